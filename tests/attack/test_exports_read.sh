#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# best --format shell, make, cmake, csv, json, t4 and kernel-tuner of a stranger's database are read
# back by a shell, make, CMake and Python: each finds what was stored, and runs nothing of it.
. "$(dirname "$0")/hostile.sh"

# What a control character is in: refused with a hint, by the formats that are no data.
refused() { [ "$status" -eq 1 ] && [ ! -s "$out" ] && grep -q 'format json' "$err"; }
differs() {
    echo "# $1: $2" | cat -v
    bad=$((bad + 1))
}
has_cmake=yes
command -v cmake >/dev/null || has_cmake=no
cat >read.cmake <<'END'
include(in.cmake)
file(WRITE got.txt "${CLTUNE_VCOPY_V}")
file(WRITE flags.txt "${CLTUNE_VCOPY_FLAGS}")
END
cat >Makefile <<'END'
include in.mk
$(info $(CLTUNE_VCOPY_V))
all:
	@printf '%s\n' $(CLTUNE_VCOPY_FLAGS) >flags.txt
END
bad=0
count=0
read_shell=0
read_make=0
read_cmake=0
while IFS= read -r line; do
    count=$((count + 1))
    # shellcheck disable=SC2059
    text=$(printf -- "$line|")
    text=${text%|}
    x="cast(x'$(hex "$text")' as text)"
    # A text that is not UTF-8 is no value of JSON.
    sql "update result set configuration = json_object('V', $x), flags = '-D V=' || $x"
    printf %s "$text" >want.txt
    run "$cltune" best --format shell
    if [ "$status" -eq 0 ]; then
        cp "$out" in.sh
        sh -c '. ./in.sh; printf %s "$CLTUNE_VCOPY_V"' >got.txt 2>&1
        cmp -s want.txt got.txt || differs shell "$line"
        read_shell=$((read_shell + 1))
    else
        refused || differs "shell status" "$line"
    fi
    run "$cltune" best --format make
    if [ "$status" -eq 0 ]; then
        cp "$out" in.mk
        rm -f flags.txt
        make -s >got.txt 2>&1
        { cat want.txt; echo; } | cmp -s - got.txt || differs make "$line"
        # Words: without quotes and blanks they are what was stored.
        if ! grep -q FLAGS "$err"; then
            tr -d ' "\t\n' <flags.txt >words
            { printf %s "-DV=$text" | tr -d ' "\t\n'; } | cmp -s - words || differs "make's flags" "$line"
        fi
        read_make=$((read_make + 1))
    else
        refused || differs "make status" "$line"
    fi
    run "$cltune" best --format cmake
    if [ "$status" -eq 0 ] && [ $has_cmake = yes ]; then
        cp "$out" in.cmake
        cmake -P read.cmake >log 2>&1 || differs "cmake" "$(cat log)"
        cmp -s want.txt got.txt || differs cmake "$line"
        if ! grep -q FLAGS "$err"; then
            tr -d ' "\t\n;' <flags.txt >words
            { printf %s "-DV=$text" | tr -d ' "\t\n'; } | cmp -s - words || differs "cmake's flags" "$line"
        fi
        read_cmake=$((read_cmake + 1))
    elif [ "$status" -ne 0 ]; then
        refused || differs "cmake status" "$line"
    fi
done <"$work/nasty"
ok "$count values: each is read back or refused" "$bad" -eq 0
ok "a shell reads most" "$read_shell" -gt 70
ok "so does make" "$read_make" -gt 55
if [ $has_cmake = yes ]; then ok "so does CMake" "$read_cmake" -gt 70; else skip 1 "no cmake"; fi

# --- data formats: a result after the other; one program reads them all at the end ---
bad=0
number_of=0
mkdir "$work/data"
while IFS= read -r line; do
    # shellcheck disable=SC2059
    text=$(printf -- "$line|")
    text=${text%|}
    printf %s "$text" | iconv -f UTF-8 -t UTF-8 >"$work/log" 2>&1 || continue
    # The screen's filter escapes control characters, which is no data of JSON.
    x="cast(x'$(hex "$text")' as text)"
    sql "update result set configuration = json_object('V', $x), flags = $x;
         update kernel set name = 'vcopy', parameters = json_object('V', json_array($x)); update device set name = $x, driver_version = $x"
    number_of=$((number_of + 1))
    printf %s "$text" >"$work/data/$number_of.want"
    for format in csv json t1 t4 kernel-tuner; do
        run "$cltune" best --format $format
        if [ "$status" -ne 0 ]; then differs "$format status" "$line"; fi
        cp "$out" "$work/data/$number_of.$format"
    done
    # CLBlast's parameters are integers: its texts are names.
    sql "update kernel set name = $x; update result set configuration = json_object($x, 1)"
    run "$cltune" best --format clblast
    if [ "$status" -ne 0 ]; then differs "clblast status" "$line"; fi
    cp "$out" "$work/data/$number_of.clblast"
done <"$work/nasty"
python3 - "$work/data" "$number_of" >"$work/read" 2>&1 <<'END' || differs "data" "$(cat "$work/read")"
import ast, csv, json, sys

def fields_of_csv(path, want):
    # Control characters are shown as escapes, which CSV has no others for.
    plain = all(" " <= c or c in "\n" for c in want) and not any(
        0x7f <= ord(c) <= 0x9f or ord(c) in (0x202e, 0x2028) for c in want)
    row = next(csv.DictReader(open(path, encoding="utf-8", newline="")))
    return [row["V"], row["device"], row["flags"]] if plain else []

found = {
    "json": lambda d: [d[0]["configuration"]["V"], d[0]["device"], d[0]["flags"]],
    "t1": lambda d: [d["KernelSpecification"]["Device"]["Name"]] + [
        f(d["ConfigurationSpace"]["TuningParameters"][0]["Values"])[0] for f in (json.loads, ast.literal_eval)],
    "clblast": lambda d: [d["kernel_family"], d["clblast_device_name"], list(d["results"][0]["parameters"])[0]],
    "t4": lambda d: [d["results"][0]["configuration"]["V"], d["metadata"]["device"]],
    "kernel-tuner": lambda d: [next(iter(d["cache"].values()))["V"], d["device_name"]],
}
folder, count = sys.argv[1], int(sys.argv[2])
bad = 0
for number in range(1, count + 1):
    want = open(f"{folder}/{number}.want", encoding="utf-8", newline="").read()
    for form in ["csv", *found]:
        path = f"{folder}/{number}.{form}"
        try:
            values = (fields_of_csv(path, want) if form == "csv"
                      else found[form](json.load(open(path, encoding="utf-8"))))
            wrong = any(value != want for value in values)
        except Exception as error:
            values, wrong = error, True
        if wrong:
            print(form, repr(want), values)
            bad += 1
print(count, "values")
sys.exit(bad > 0 or count < 60)
END
ok "CSV and JSON say what was stored" "$bad" -eq 0
ok "nothing of all that ran" "$(ls "$work"/pwn* 2>/dev/null | wc -l)" -eq 0
done_testing
