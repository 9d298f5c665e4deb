#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs whose locale has a decimal comma get the same answers from the library.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
printf 'LC_NUMERIC\ndecimal_point ","\nthousands_sep ""\ngrouping -1\nEND LC_NUMERIC\n' >comma.src
if grep -q __asan_init "$build/libcltunedb.a" || { ! localedef -c -i comma.src ./comma >/dev/null 2>&1 && [ ! -e comma/LC_NUMERIC ]; }; then
    skip 1 "no locale can be made here, or the library has sanitizers, which its programs would have to have"
    done_testing
    exit 0
fi
cat >scale.cl <<'END'
__kernel void scale(__global const float *in, __global float *out) { out[get_global_id(0)] = in[get_global_id(0)]; }
END
cat >scale.c <<'END'
#include <stdint.h>
void scale(const float *in, float *out) { (void)in; (void)out; }
END
cat >scale.ini <<'END'
[kernel]
name = scale
source = scale.cl
[problem]
n = 1024
ratio = 0.5
[derive]
weight = ratio * 0.25
[param]
ALPHA = 0.75, 2.5
[define]
HALF = n * 0.5
SHARE = weight * ratio
[buffer in]
type = float
count = n
fill = uniform(-1, 1)
[buffer out]
type = float
count = n
[launch scale]
kernel = scale
global = n
args = in, out
END
virtual() { run env "OCL_ICD_VENDORS=$virtual" "$@"; }
virtual "$cltune" search scale.ini -d 0:0 --rough -q
exits 0 "a search with real numbers"
cat >host.c <<'END'
#include <cltunedb.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

static int find(void)
{
    const cltunedb_value sizes[] = {
        {.name = "n", .kind = CLTUNEDB_INT, .i = 100, .r = 100, .s = ""},
        {.name = "ratio", .kind = CLTUNEDB_REAL, .r = 1.5, .s = ""}};
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    cltunedb_answers *answers = NULL;
    cltunedb *db = NULL;
    char message[CLTUNEDB_MESSAGE_BYTES] = "";

    query.kernel = "scale";
    query.problem = sizes;
    query.problem_count = 2;
    if (cltunedb_open(NULL, &db, message, sizeof(message)) ||
        cltunedb_find(db, &query, &answers, message, sizeof(message)))
        return printf("%s\n", message), 1;
    for (size_t i = 0; i < cltunedb_answer_count(answers); i++) {
        const cltunedb_answer *answer = cltunedb_answer_at(answers, i);

        printf("%s\n%s\n%s\n", answer->configuration_json, answer->problem_json,
               answer->problem_flags ? answer->problem_flags : "none");
    }
    cltunedb_free(answers);
    cltunedb_close(db);
    return 0;
}

int main(int argc, char **argv)
{
    char text[32];

    if (argc > 1 && (!setlocale(LC_NUMERIC, argv[1]) ||
                     (snprintf(text, sizeof(text), "%.1f", 2.5), strcmp(text, "2,5") != 0)))
        return puts("no such locale"), 2;
    if (find())
        return 1;
    snprintf(text, sizeof(text), "%.1f", 2.5);
    return argc > 1 && strcmp(text, "2,5") != 0 ? puts("the locale has changed"), 3 : 0;
}
END
# shellcheck disable=SC2046 # options
run cc -I"$root/db" host.c "$build/libcltunedb.a" -o host $(pkg-config --libs sqlite3 jansson zlib libxxhash) -lm -lpthread
exits 0 "a program builds"
run ./host
exits 0 "without a locale"
out_has "-D ALPHA=" "the options are found"
out_has "-D HALF=5e+01" "with real numbers"
cp "$out" expected
run env "LOCPATH=$work" ./host comma
exits 0 "with a decimal comma, which stays the program's"
ok "the answers are the same" "$(cat "$out")" = "$(cat expected)"

done_testing
