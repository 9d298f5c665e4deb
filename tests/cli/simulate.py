#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens a cache file as Kernel Tuner does in simulation mode, and runs through the space that it declares.

Follows kernel_tuner/util.py (process_cache, read_cache) and kernel_tuner/runners/simulation.py of version 1.x, in
words of our own: simulate.py FILE [KERNEL PROBLEM_SIZE...] prints a line of JSON: how many configurations of the
declared space are found and missing, how they ended, the best time in milliseconds with its configuration, and
the milliseconds that all of them took.
"""
import itertools
import json
import sys

ERRORS = ("InvalidConfig", "CompilationFailedConfig", "RuntimeFailedConfig")
DURATIONS = ("compile_time", "verification_time", "benchmark_time")


def read_cache(path):
    with open(path, encoding="utf-8") as file:
        text = file.read().strip()
    # Kernel Tuner takes a file with another end for one that was cut off, and adds brackets.
    if text[-3:] not in ("}\n}", "}}}"):
        raise ValueError("the file does not end as a closed cache does")
    return json.loads(text)


def simulate(cache, kernel, sizes):
    params = cache["tune_params"]
    if cache["tune_params_keys"] != list(params):
        raise ValueError("the parameters are in another order")
    if kernel is not None and (cache["kernel_name"], cache["problem_size"]) != (kernel, sizes):
        raise ValueError("the cache is for another kernel or problem")
    if not isinstance(cache["device_name"], str):
        raise ValueError("the device has no name")
    found = {"found": 0, "missing": 0, "best": None, "configuration": None, "spent": 0.0}
    for element in itertools.product(*params.values()):
        result = cache["cache"].get(",".join(str(value) for value in element))
        if result is None:
            found["missing"] += 1
            continue
        if [result[name] for name in params] != list(element):
            raise ValueError(f"the entry of {element} has other values")
        found["found"] += 1
        found["spent"] += sum(result[name] for name in DURATIONS)
        time = result[cache["objective"]]
        outcome = time if time in ERRORS else "ok"
        found[outcome] = found.get(outcome, 0) + 1
        if outcome == "ok" and (found["best"] is None or time < found["best"]):
            found["best"], found["configuration"] = time, list(element)
    if found["found"] != len(cache["cache"]):
        raise ValueError("there are entries that no configuration leads to")
    return found


if __name__ == "__main__":
    print(json.dumps(simulate(read_cache(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None,
                              [int(size) for size in sys.argv[3:]])))
