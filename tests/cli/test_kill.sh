#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SIGKILL at fifty random moments or more, and continuing to the end: nothing stored is lost or
# doubled, results and winner are those of an undisturbed search, and nothing is left
# behind.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
space=$root/tests/cli/spaces/many.ini
whole=$work/whole.db
killed=$work/killed.db

results() {
    sqlite3 "$1" "select configuration, experiment, status, time_ns from result order by 1, 2"
}

# Workers notice that their parent is gone by themselves, within a moment.
workers_left() {
    tries=0
    while pgrep -f "^$cltune --ct-worker" >/dev/null && [ $tries -lt 50 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    pgrep -f "^$cltune --ct-worker"
}

run "$cltune" search "$space" -d 0:1 --db "$whole" --json -q
exits 0 "undisturbed"
ok "every configuration is there" "$(results "$whole" | wc -l)" = 1000
winner=$(jq -c '.best[0].configuration' "$out")
ok "and the fastest wins" "$winner" = '{"A":17,"B":11}'

# The moments are drawn with a seed; one that falls before anything happened, or into the
# making of the database, is as good as any.  After each: is everything that was stored
# still there, once, and as it was?
mkdir "$work/tmp"
cat >"$work/kill.pl" <<'P'
use Time::HiRes qw(sleep);
my ($database, $lines, @command) = @ARGV;
my %known;
my ($lost, $doubled, $changed, $most, $shown, $missing) = (0, 0, 0, 0, 0, 0);
srand 20;
# A machine that is busy starts a search in the time that others show fifty results in:
# there it takes later kills, and more of them, until enough was shown.
my $longest = 0.6;
for (my $round = 1; $round <= 50 || ($shown <= 100 && $round <= 250); $round++) {
    my $pid = fork // die;
    if (!$pid) {
        open STDOUT, ">", $lines; open STDERR, ">", "/dev/null"; open STDIN, "<", "/dev/null";
        exec @command or die;
    }
    sleep(0.02 + rand $longest);
    kill "KILL", $pid;
    waitpid $pid, 0;
    next unless -e $database;
    my %now;
    for (split /\n/, `sqlite3 $database "select experiment, status, time_ns from result" 2>/dev/null`) {
        my ($experiment, $status, $time) = split /\|/;
        $doubled++ if $now{$experiment};
        $now{$experiment} = "$status $time";
    }
    for (keys %known) {
        next if $known{$_} =~ /^interrupted/;
        if (!$now{$_}) { $lost++ } elsif ($now{$_} ne $known{$_}) { $changed++ }
    }
    %known = %now;
    # What was shown, which is after several were stored together, is there.
    my %stored = map { $_ => 1 } split /\n/,
        `sqlite3 $database "select configuration from result where status <> 'interrupted'" 2>/dev/null`;
    open my $in, "<", $lines or die;
    while (<$in>) {
        next unless /"record": ?"result".*"configuration": ?\{"A": ?(\d+), ?"B": ?(\d+)\}/;
        $shown++;
        $missing++ unless $stored{"{\"A\":$1,\"B\":$2}"};
    }
    $longest *= 1.15 if $shown < 2 * $round && $longest < 5;
    my $flying = `sqlite3 $database "select count(*) from inflight" 2>/dev/null`;
    $most = $flying if $flying > $most;
}
printf "lost %d doubled %d changed %d\n", $lost, $doubled, $changed;
printf "shown %s, of which not stored: %d\n", $shown > 100 ? "many" : $shown, $missing;
printf "stored %d, in flight at most %d\n", scalar(keys %known), $most;
P
run env TMPDIR="$work/tmp" perl "$work/kill.pl" "$killed" "$work/lines" \
    "$cltune" search "$space" -d 0:1 --db "$killed" --json-lines
out_has "lost 0 doubled 0 changed 0" "killed 50 times and more: what is stored stays"
out_has "shown many, of which not stored: 0" "and what was shown is stored"
sed 's/^/# /' "$out"
ok "and is sound" "$(sqlite3 "$killed" 'pragma integrity_check')" = ok
ok "no worker is left" -z "$(workers_left)"

run env TMPDIR="$work/tmp" "$cltune" search "$space" -d 0:1 --db "$killed" --json -q
exits 0 "continued to the end"
ok "the winner is the same" "$(jq -c '.best[0].configuration' "$out")" = "$winner"
results "$whole" >"$work/whole.txt"
results "$killed" >"$work/killed.txt"
run cmp "$work/whole.txt" "$work/killed.txt"
exits 0 "all results are those of the undisturbed search"
ok "nothing is in flight any more" "$(sqlite3 "$killed" 'select count(*) from inflight')" = 0
ok "the look-up answers with the winner" \
    "$("$cltune" best many --db "$killed" --json | jq -c '.[0].configuration')" = "$winner"
ok "no temporary file is left" -z "$(ls -A "$work/tmp")"
ok "no shared memory is left" -z "$(ls /dev/shm 2>/dev/null | grep -i cltune)"

done_testing
