# SPDX-License-Identifier: Apache-2.0
# A Slurm of one node in a folder of its own, on ports of its own: munge, slurmctld, slurmd.  Source it
# after lib.sh.
#
# slurm_missing   says why there can be none here; nothing if there can
# slurm_start     sets SLURM_CONF; fails after 20 s, with the logs as comments
# slurm_wait      until nothing is queued or running, at most a minute
# slurm_stop      ends the three daemons, by their numbers

# Short, because a socket's path has at most 107 characters.
slurm=

slurm_missing() {
    for program in munged slurmctld slurmd sbatch squeue scontrol scancel; do
        PATH=$PATH:/usr/sbin command -v $program >/dev/null || { echo "$program is not installed"; return; }
    done
    [ "$(id -u)" -eq 0 ] || echo "starting slurmd requires root"
}

slurm_start() {
    PATH=$PATH:/usr/sbin
    slurm=$(mktemp -d /tmp/ct-slurm-XXXXXX)
    trap 'slurm_stop; rm -rf "$work"' EXIT
    mkdir "$slurm/state" "$slurm/spool"
    host=$(hostname -s)
    # shellcheck disable=SC2046
    set -- $(perl -MIO::Socket::INET -e '@s = map { IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1") } 1..2;
        print join " ", map { $_->sockport } @s')
    cat >"$slurm/slurm.conf" <<S
ClusterName=cltune
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$1
SlurmdPort=$2
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$slurm/munge.socket
CredType=cred/munge
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/slurmd.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
KillWait=2
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=1,sched_min_interval=100000,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
NodeName=$host NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=debug Nodes=$host Default=YES MaxTime=10 State=UP OverSubscribe=NO
S
    printf 'CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n' >"$slurm/cgroup.conf"
    (umask 077 && head -c 1024 /dev/urandom >"$slurm/munge.key")
    export SLURM_CONF="$slurm/slurm.conf"
    munged --force --key-file="$slurm/munge.key" --socket="$slurm/munge.socket" --pid-file="$slurm/munged.pid" \
        --log-file="$slurm/munged.log" --seed-file="$slurm/munge.seed" >"$slurm/start.log" 2>&1
    slurmctld -c -f "$SLURM_CONF" >>"$slurm/start.log" 2>&1
    slurmd -f "$SLURM_CONF" >>"$slurm/start.log" 2>&1
    tries=0
    until [ "$(sinfo -h -o %T 2>/dev/null)" = idle ]; do
        [ $tries -lt 100 ] || { sed 's/^/# /' "$slurm"/*.log; return 1; }
        tries=$((tries + 1))
        sleep 0.2
    done
}

# What was queued again may begin in two seconds, not in two minutes as usual: in the same second slurmd
# takes it for what it has just ended ("credential revoked").
slurm_hurry() {
    squeue -h -r -t PD -o '%i %r' | while read -r job reason; do
        [ "$reason" = BeginTime ] && ! grep -qx "$job" "$slurm/hurried" 2>/dev/null || continue
        scontrol update "JobId=$job" StartTime=now+2 2>/dev/null && echo "$job" >>"$slurm/hurried"
    done
}

slurm_wait() {
    tries=0
    while [ -n "$(squeue -h)" ] && [ $tries -lt 300 ]; do
        slurm_hurry
        tries=$((tries + 1))
        sleep 0.2
    done
}

slurm_stop() {
    [ -z "$slurm" ] || {
        [ ! -e "$slurm/slurmctld.pid" ] || scancel -u "$(id -un)" 2>/dev/null
        for daemon in slurmd slurmctld munged; do
            [ ! -s "$slurm/$daemon.pid" ] || kill "$(cat "$slurm/$daemon.pid")"
        done
        tries=0
        while [ -n "$(cat "$slurm"/slurmctld.pid "$slurm"/slurmd.pid 2>/dev/null)" ] && [ $tries -lt 50 ]; do
            tries=$((tries + 1))
            sleep 0.1
        done
        rm -rf "$slurm"
        slurm=
    }
}
