# SPDX-License-Identifier: Apache-2.0
"""What benchmarks of whole searches share: their spaces, the program, cold runs of it."""
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# File, problem, and the values of parameters.
SPACES = {
    "fir": ("spaces/fir.ini", [],
            ["WG=1,16,64", "ITEMS=1,2,4", "VEC=1,8,16", "LOCAL=off", "BAKED=on", "UNROLL=1"]),
    "gemm": ("examples/gemm/gemm.ini", ["m=256", "n=256", "k=256"],
             ["MTILE=32,64", "NTILE=32,64", "KTILE=8,16", "VEC=1,2", "UNROLL=1,4", "PAD=0",
              "MITEMS=4"]),
    "transpose": ("spaces/transpose.ini", ["width=2048", "height=2048"],
                  ["KIND=direct,local", "TILE=8,16,32", "ROWS=1,2", "VEC=1,2,4", "PAD=0,1",
                   "FLOW=loads"]),
    "dot": ("spaces/dot.ini", ["n=4194304"],
            ["WG=16,64,256", "ITEMS=1024,16384", "VEC=1,4,16", "SUMS=1,2", "FOLD=host"]),
    "convolution": ("examples/convolution/convolution.ini", [],
                    ["TBX=8,16,32", "TBY=4,8", "WPTX=1,2", "WPTY=1,2", "PAD=0", "MATH="]),
}
# For large GPUs, which are too fast for the others.
LARGE = {
    "coulomb": ("examples/coulomb/coulomb.ini", ["size=256"],
                ["WGX=16,32", "WGY=2,4,8", "ZITER=4,16,32", "UNROLL=1", "VEC=1,4"]),
    "transpose-8192": ("spaces/transpose.ini", ["width=8192", "height=8192"], []),
}


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        models = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return f"{models[0] if models else 'unknown processor'}, {os.cpu_count()} processors"


def own_program():
    given = os.environ.get("CLTUNE")
    if given:
        return os.path.abspath(given)
    subprocess.run(["make", "-s", "-C", ROOT, f"-j{os.cpu_count()}", "all"], check=True)
    return os.path.join(ROOT, "build", "cltune")


def ask(program, words, scratch, form="--json"):
    """Its answer (with "--json-lines" a list of all records), and the wall and processor seconds that it
    took."""
    folder = tempfile.mkdtemp(dir=scratch)
    env = dict(os.environ, HOME=folder, XDG_CACHE_HOME=os.path.join(folder, "cache"),
               XDG_DATA_HOME=os.path.join(folder, "data"), TMPDIR=folder,
               POCL_CACHE_DIR=os.path.join(folder, "pocl"),
               CLTUNE_DB=os.path.join(folder, "cltune.db"))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    done = subprocess.run([program] + words + [form, "-q"], cwd=ROOT, env=env, text=True,
                          check=False, capture_output=True, stdin=subprocess.DEVNULL)
    wall = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    shutil.rmtree(folder, ignore_errors=True)
    if done.returncode:
        sys.exit(f"{program} {' '.join(words)}: status {done.returncode}\n{done.stderr[-2000:]}")
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if form == "--json-lines":
        return [json.loads(line) for line in done.stdout.splitlines()], wall, used
    return json.loads(done.stdout), wall, used


def options_of(problem, params):
    words = []
    for size in problem:
        words += ["-p", size]
    for values in params:
        words += ["--param", values]
    return words


def operand(configuration):
    values = {True: "on", False: "off"}
    return " ".join(f"{name}={values.get(value, value) if isinstance(value, bool) else value}"
                    for name, value in configuration.items())


def compared(program, path, problem, theirs, ours, device, scratch):
    """What `cltune compare` says of ours, beside theirs: "ratio" (above 1: slower) and its interval."""
    words = [operand(one) for one in (theirs, ours)]
    answer, _, _ = ask(program, ["compare", path, *words, "-d", device, "--rounds", "6"] +
                       options_of(problem, []), scratch)
    return answer["configurations"][1]
