// SPDX-License-Identifier: Apache-2.0
// JSON on standard output.
#include "report/json.h"

#include "plan/json.h"
#include "report/print.h"
#include "report/screen.h"

#include <stdio.h>
#include <stdlib.h>

bool ct_report_json(const json_t *json)
{
    char *text = ct_json_dump(json, JSON_INDENT(2));

    if (text)
        ct_print_line(text);
    else
        ct_screen_lost_json();
    free(text);
    return text != NULL;
}
