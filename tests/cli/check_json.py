# SPDX-License-Identifier: Apache-2.0
"""Validates a JSON file: check_json.py SCHEMA FILE; says where it does not match."""
import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1], encoding="utf-8"))
document = json.load(open(sys.argv[2], encoding="utf-8"))
checker = jsonschema.Draft202012Validator(schema)
faults = list(checker.iter_errors(document))
for fault in faults:
    print(f"{fault.json_path}: {fault.message}")
sys.exit(1 if faults else 0)
