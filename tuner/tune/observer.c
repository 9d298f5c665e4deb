// SPDX-License-Identifier: Apache-2.0
// Calls an observer.
#include "tune/observer.h"

#include "base/str.h"

#include <stdarg.h>

void ct_observer_event(const struct ct_observer *observer, const struct ct_event *event)
{
    if (observer && observer->event)
        observer->event(observer->user, event);
}

void ct_observer_warn(const struct ct_observer *observer, const char *format, ...)
{
    struct ct_str text;
    va_list args;

    ct_str_init(&text);
    va_start(args, format);
    ct_str_vaddf(&text, format, args);
    va_end(args);
    ct_observer_event(observer, &(struct ct_event){.kind = CT_EVENT_WARNING,
                                                   .text = text.data ? text.data : ""});
    ct_str_release(&text);
}
