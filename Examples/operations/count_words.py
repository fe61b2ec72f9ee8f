"""Reports where it is to Weir: a line of JSON in the file that WEIR_STATES names, for each step."""
import json
import os
import sys


def report(state, **values):
    path = os.environ.get("WEIR_STATES", "/dev/null")
    with open(path, "w", encoding="utf-8") as states:
        states.write(json.dumps({"state": state, **values}) + "\n")


count = int(sys.argv[1])
words = 0
for number in range(1, count + 1):
    report("reading", file=number, completed=number, total=count, unit="items")
    words += len(f"this stands for file {number}".split())
    print(f"file {number}: {words} words so far")
report("adding", words=words)
