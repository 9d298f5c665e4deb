// SPDX-License-Identifier: Apache-2.0
// Streams as cookies: the C library calls these functions, which write to the descriptor.
#define _GNU_SOURCE // fopencookie
#include "report/screen.h"

#include "base/show.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { OUTPUT_BYTES = 1 << 16 };

struct screen {
    int fd;
    int error;          /* errno of the first write that failed */
    char unfinished[3]; /* an incomplete multi-byte character */
    size_t unfinished_bytes;
    struct ct_str text; /* buffer kept between writes */
    bool within;        /* a line has begun */
};

/* One per process, like `stdout`; the streams are NULL as long as nothing is filtered. */
static struct screen output = {.fd = STDOUT_FILENO};
static struct screen talk = {.fd = STDERR_FILENO};
static FILE *shown_output;
static FILE *shown_talk;
static _Thread_local const char *line_prefix;

/* Only ASCII that a terminal displays. */
static bool is_plain(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)(bytes[i] - ' ') > '~' - ' ' && bytes[i] != '\n')
            return false;
    return true;
}

static bool write_bytes(struct screen *screen, const char *bytes, size_t length)
{
    while (length) {
        ssize_t written = write(screen->fd, bytes, length);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            if (!screen->error)
                screen->error = errno;
            return false;
        }
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

/* With the thread's prefix before each line of standard error. */
static bool write_all(struct screen *screen, const char *bytes, size_t length)
{
    bool good = true;

    if (!line_prefix || screen != &talk)
        return write_bytes(screen, bytes, length);
    while (good && length) {
        const char *end = memchr(bytes, '\n', length);
        size_t line = end ? (size_t)(end - bytes) + 1 : length;

        good = screen->within || write_bytes(screen, line_prefix, strlen(line_prefix));
        good = good && write_bytes(screen, bytes, line);
        screen->within = !end;
        bytes += line;
        length -= line;
    }
    return good;
}

/* The C library's hook: returns 0 for failure. */
static ssize_t write_shown(void *cookie, const char *bytes, size_t length)
{
    struct screen *screen = cookie;
    struct ct_str *text = &screen->text;
    struct ct_str whole;
    bool good;

    if (!screen->unfinished_bytes && is_plain(bytes, length))
        return write_all(screen, bytes, length) ? (ssize_t)length : 0;
    ct_str_init(&whole);
    ct_str_add(&whole, screen->unfinished, screen->unfinished_bytes);
    ct_str_add(&whole, bytes, length);
    screen->unfinished_bytes = ct_show_unfinished(whole.data, whole.length);
    memcpy(screen->unfinished, whole.data + whole.length - screen->unfinished_bytes,
           screen->unfinished_bytes);
    ct_str_reset(text);
    ct_show_add(text, whole.data, whole.length - screen->unfinished_bytes, CT_SHOW_LINES);
    good = !whole.failed && !text->failed;
    if (!good && !screen->error)
        screen->error = ENOMEM;
    good = good && write_all(screen, text->data, text->length);
    ct_str_release(&whole);
    return good ? (ssize_t)length : 0;
}

static FILE *open_screen(struct screen *screen, int mode, size_t size)
{
    cookie_io_functions_t functions = {.write = write_shown};
    FILE *stream = fopencookie(screen, "w", functions);

    ct_str_init(&screen->text);
    if (stream)
        setvbuf(stream, NULL, mode, size);
    return stream;
}

void ct_screen_open(void)
{
    shown_output =
        open_screen(&output, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, OUTPUT_BYTES);
    shown_talk = open_screen(&talk, _IONBF, 0);
}

FILE *ct_screen_out(void)
{
    return shown_output ? shown_output : stdout;
}

FILE *ct_screen_err(void)
{
    return shown_talk ? shown_talk : stderr;
}

void ct_screen_prefix(const char *text)
{
    line_prefix = text;
    talk.within = false;
}

FILE *ct_screen_terminal(void)
{
    return stderr;
}

void ct_screen_lost_json(void)
{
    fprintf(
        ct_screen_err(),
        "cltune: cannot write JSON: out of memory, or a value is not a finite number\n");
    /* That says it all. */
    if (!output.error)
        output.error = EPIPE;
}

int ct_screen_finish(void)
{
    errno = 0;
    if (fflush(ct_screen_out()) && !output.error)
        output.error = errno ? errno : EIO;
    if (ferror(ct_screen_out()) && !output.error)
        output.error = EIO;
    return output.error;
}
