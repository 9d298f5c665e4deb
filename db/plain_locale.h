// SPDX-License-Identifier: Apache-2.0
// The host program's locale, put aside in this thread while the library works: in many of them
// numbers have a decimal comma, which options, JSON and stored sizes never have.
#ifndef CT_DB_PLAIN_LOCALE_H
#define CT_DB_PLAIN_LOCALE_H

#include <locale.h>

struct ct_plain_locale {
    locale_t own; /* (locale_t)0: memory is short, and the host's stays */
    locale_t before;
};

/* Between the two nothing of the host program may be called.  They nest. */
static inline struct ct_plain_locale ct_plain_locale_begin(void)
{
    struct ct_plain_locale plain = {.own = newlocale(LC_ALL_MASK, "C", (locale_t)0)};

    if (plain.own)
        plain.before = uselocale(plain.own);
    return plain;
}

static inline void ct_plain_locale_end(const struct ct_plain_locale *plain)
{
    if (!plain->own)
        return;
    uselocale(plain->before);
    freelocale(plain->own);
}

#endif
