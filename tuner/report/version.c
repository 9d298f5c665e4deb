// SPDX-License-Identifier: Apache-2.0
#include "report/version.h"

#include "base/hash.h"
#include "db/store.h"
#include "report/print.h"
#include "schedule/doctor.h"

#include <jansson.h>
#include <libsmartcols/libsmartcols.h>
#include <stdio.h>
#include <zlib.h>

/* A fact of the build; pkg-config knows it. */
#ifndef CT_INIH_VERSION
#define CT_INIH_VERSION ""
#endif

static void print(const char *name, const char *version)
{
    ct_print("%-14s %s\n", name, *version ? version : "unknown version");
}

static void print_loader(void)
{
    struct ct_findings findings = {0};
    struct ct_err err = CT_ERR_INIT;

    if (ct_doctor_loader(&findings, &err))
        print("OpenCL loader", err.message);
    for (size_t i = 0; i < findings.count; i++)
        print("OpenCL loader", findings.items[i].text);
    ct_findings_release(&findings);
}

void ct_report_version(void)
{
    const unsigned hash = ct_hash_library_version();
    const char *smartcols = "";
    char xxhash[32];

    scols_get_library_version(&smartcols);
    snprintf(xxhash, sizeof(xxhash), "%u.%u.%u", hash / 10000, hash / 100 % 100,
             hash % 100);
    ct_print("cltune %s\n", CT_VERSION);
    print("SQLite", ct_db_library_version());
    print("jansson", jansson_version_str());
    print("xxHash", xxhash);
    print("zlib", zlibVersion());
    print("libsmartcols", smartcols);
    print("inih", CT_INIH_VERSION);
    print_loader();
}
