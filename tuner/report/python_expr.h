// SPDX-License-Identifier: Apache-2.0
// Stored constraints as Python expressions, for formats whose readers evaluate Python.
#ifndef CT_REPORT_PYTHON_EXPR_H
#define CT_REPORT_PYTHON_EXPR_H

#include "report/export.h"

/* Appends `text`, an expression of the space file's language, in Python's syntax.  Names are
 * parameters of the answer, which stay, and its sizes, which become numbers; `params` receives
 * the names of the parameters, each once.  `/` and `%` between integers become Python's, which
 * are the same for numbers that are not negative.  False, with `out` cut back, if the expression
 * has another name, or a function that Python lacks. */
bool ct_python_expr_put(struct ct_str *out, const struct ct_export_answer *answer,
                        const char *text, json_t *params);

#endif
