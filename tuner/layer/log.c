// SPDX-License-Identifier: Apache-2.0
// Lines of JSON, without a library that programs would have to load.
#define _GNU_SOURCE // O_CLOEXEC
#include "layer/log.h"

#include "base/show.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int ct_log_open(const char *folder, const char *suffix)
{
    struct ct_str path;
    int fd = -1;

    ct_str_init(&path);
    ct_str_addf(&path, "%s/%ld.%s", folder, (long)getpid(), suffix);
    if (!path.failed)
        fd = open(path.data, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ct_str_release(&path);
    return fd;
}

void ct_log_quote(struct ct_str *out, const char *text)
{
    size_t left = strlen(text);

    ct_str_putc(out, '"');
    while (left) {
        unsigned char c = (unsigned char)*text;
        size_t used = ct_show_character(text, left);

        if (c == '"' || c == '\\')
            ct_str_addf(out, "\\%c", c);
        else if (!used || c < 0x20 || c == 0x7f)
            ct_str_addf(out, "\\u%04x", c);
        else
            ct_str_add(out, text, used);
        used = used ? used : 1;
        text += used;
        left -= used;
    }
    ct_str_putc(out, '"');
}

void ct_log_hex(struct ct_str *out, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;

    ct_str_putc(out, '"');
    for (size_t i = 0; i < length; i++)
        ct_str_addf(out, "%02x", at[i]);
    ct_str_putc(out, '"');
}

void ct_log_sizes(struct ct_str *out, const size_t *sizes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ct_str_addf(out, "%c%zu", i ? ',' : '[', sizes[i]);
    ct_str_puts(out, count ? "]" : "[]");
}

bool ct_log_line(int fd, struct ct_str *line)
{
    const char *at;
    size_t left;

    ct_str_putc(line, '\n');
    if (line->failed || fd < 0)
        return false;
    at = line->data;
    left = line->length;
    while (left) {
        ssize_t written = write(fd, at, left);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        at += written;
        left -= (size_t)written;
    }
    return true;
}
