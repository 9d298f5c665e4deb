#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a newcomer's slips are answered with: the place in the space file and what to write
# instead.  tests/golden/space-files has the messages of reading; these need a command.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
spaces=$root/tests/cli/spaces
cp "$spaces/virtual.cl" "$spaces/copy.c" "$work/"

# change NAME SED: a variant of the space of the virtual device.
change() { sed "$2" "$spaces/virtual.ini" >"$work/$1.ini"; }
line() { grep -n "$2" "$work/$1.ini" | head -1 | cut -d: -f1; }
# run_first NAME: runs its first configuration on the VideoCore.
run_first() { run "$cltune" run "$work/$1.ini" -d VideoCore WG=1 VEC=1; }

# Arguments of the reference that its function does not have.
change args '/^args     =/s/, uint(n)/, uint(n), float(1)/'
run_first args
exits 2 "a reference with an argument too many"
err_has "$work/args.ini:$(line args '^args     =')" "the place is that of its args"
err_lacks "args of [" "not one in code that nobody wrote"

# A buffer that the reference does not get.
change unseen '/^args     =/s/output, //'
run "$cltune" space "$work/unseen.ini" --check
exits 2 "a checked buffer that the reference does not get"
err_has "buffer 'output' is checked, but is not passed to the reference: add it to its 'args'" \
    "says what to do"

# A mistake of one configuration.
change local 's/^local  = WG/local  = WG - 1/; s/^global = n/global = n * (WG - 2)/'
run_first local
exits 2 "a configuration that cannot be launched"
err_has "(with WG=1)" "is named"

# Types by parameter.
change vec 's/^type  = float/type  = float${VEC}/; s/16$/16, 5/'
sed -i 's/^VEC = .*/VEC = 1, 4, 5/' "$work/vec.ini"
run "$cltune" space "$work/vec.ini" --check
exits 2 "a value that makes a type wrong"
err_has "'float5' is not an OpenCL type (with VEC=5)" "is found before anything runs"
sed -i 's/^VEC = .*/VEC = 1, 4/' "$work/vec.ini"
run "$cltune" space "$work/vec.ini" --check
exits 0 "float1 is float"
ok "without a word" ! -s "$err"

# A default that violates a constraint.
change default 's/^\[buffer input\]/[constraint]\nwide = WG > 1\n&/'
run "$cltune" space "$work/default.ini"
exits 0 "a default that is no configuration leaves a space"
err_has "warning: the first values of the parameters violate constraint 'wide'" "and is told"
err_has "[default] section" "with the remedy"

# Files that are missing.
change missing 's/virtual.cl/nowhere.cl/; s/copy.c/nowhere.c/'
run "$cltune" space "$work/missing.ini"
exits 0 "a space can be looked at without its sources"
err_has "missing.ini:5:10: warning: 'nowhere.cl' cannot be read" "but the source is missed"
err_has "'nowhere.c' cannot be read" "and the reference"
run "$cltune" space "$work/missing.ini" --check
exits 2 "but not checked"

# Parameters on the command line.
run "$cltune" run "$spaces/virtual.ini" -d VideoCore COPY=1
exits 2 "an unknown parameter"
err_has "'COPY' is not a parameter; the parameters are WG, VEC" "names those that there are"
change idle 's/^VEC = .*/VEC = 1, 4 if WG > 1/'
run "$cltune" run "$work/idle.ini" -d VideoCore WG=1 VEC=4
exits 2 "a value of an inactive parameter"
err_has "'VEC' cannot be 4: it applies only if WG > 1, and is 1 otherwise" "says why"

# Nothing of a configuration is compared.
change apart 's/^args   = input, output/args   = input, WG > 1 ? output : input/'
run_first apart
exits 0 "a configuration whose launches leave the checked buffer alone"
out_has "not verified" "is not called verified"
run "$cltune" run "$work/apart.ini" -d VideoCore WG=2 VEC=1 --json
ok "another one is" "$(jq .verified "$out")" = true

done_testing
