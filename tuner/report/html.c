// SPDX-License-Identifier: Apache-2.0
// Puts the report together from its embedded files.
#include "report/html.h"

#include "base/hash.h"
#include "report/html_files.h"

#include <string.h>

/* The embedded file of this name; "" is impossible, as a test finds each in the page. */
static const char *file_named(const char *name)
{
    for (int i = 0; i < ct_html_files_count; i++) {
        const char *slash = strrchr(ct_html_files_paths[i], '/');

        if (strcmp(slash ? slash + 1 : ct_html_files_paths[i], name) == 0)
            return ct_html_files[i];
    }
    return "";
}

static void put_script(struct ct_str *out, const char *nonce, const char *text)
{
    ct_str_addf(out, "<script nonce=\"%s\">\n", nonce);
    ct_str_puts(out, text);
    ct_str_puts(out, "</script>\n");
}

enum ct_status ct_report_html(struct ct_str *out, const struct ct_stored_columns *columns,
                              int64_t made_unix_s, struct ct_err *err)
{
    static const char *const scripts[] = {"data.js",       "charts.js",  "views.js",
                                          "importance.js", "compare.js", "main.js"};
    struct ct_str data;
    struct ct_hash nonce;

    ct_str_init(&data);
    ct_report_html_data(&data, columns, made_unix_s);
    /* Nobody who put a text into the database could know it. */
    nonce = ct_hash_bytes(data.data, data.length);
    ct_str_addf(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "script-src 'nonce-%s'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<link rel=\"icon\" href=\"data:,\">\n"
        "<title>cltune report</title>\n<style>\n",
        nonce.text);
    ct_str_puts(out, file_named("report.css"));
    ct_str_puts(out, "</style>\n</head>\n<body>\n");
    ct_str_puts(out, file_named("page.html"));
    ct_str_puts(out, "<script type=\"application/json\" id=\"data\">");
    ct_str_add(out, data.data, data.length);
    ct_str_puts(out, "</script>\n");
    put_script(out, nonce.text, file_named("echarts.min.js"));
    for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++)
        put_script(out, nonce.text, file_named(scripts[i]));
    ct_str_puts(out, "</body>\n</html>\n");
    if (data.failed)
        out->failed = true;
    ct_str_release(&data);
    return out->failed ? ct_err_nomem(err) : CT_OK;
}
