"""Counts the instructions of hot paths under callgrind and compares them with recorded ones. The test `instructions` runs it.

    count.py PROGRAM                    fails if a count grew by more than 5 %
    WEIR_RECORD=1 count.py PROGRAM      updates counts.txt instead

PROGRAM is weir_instructions (paths.cc). The script counts the instructions of the program's own code inside its
Measured* functions, and the calls of operator new there. It does not count libraries and code that is selected by CPU
at run time (vector code, checksums). Counts depend on the compiler. With a different compiler, the script exits with
77, which ctest shows as skipped.
"""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

RECORDED = pathlib.Path(__file__).with_name("counts.txt")
MOST = 1.05
SKIPPED = 77
CHOSEN_AT_RUN_TIME = re.compile(r"::N_[A-Z0-9_]+::|crc32c::|\bhwy::")
HEADER = """\
# What the hot paths of paths.cc cost: instructions of Weir's own code and allocations, over all rounds of a path.
# Written by: WEIR_RECORD=1 ctest --test-dir build -R '^instructions$'
"""


def read_profile(path, program):
    """Returns the name of the measured path in a profile, and its instruction count."""
    names = {}
    measured, instructions = None, 0
    mine = counted = False
    of_callee = False  # the line after calls= has the inclusive cost of the callee
    for line in path.read_text().splitlines():
        key, _, value = line.partition("=")
        if key in ("ob", "cob", "fn", "cfn"):  # "(number) name" first, later only "(number)"
            number, _, name = value.partition(" ")
            name = names.setdefault((key[-2:], number), name)
        if line.startswith("desc: Trigger:"):
            found = re.search(r"Measured(\w+)<", line)
            measured = found and found.group(1)
        elif key == "ob":
            mine = os.path.realpath(name) == program
        elif key == "fn":
            counted = mine and not CHOSEN_AT_RUN_TIME.search(name)
        elif key == "calls":
            of_callee = True
        elif line[:1] and line[0] in "+-*0123456789":
            if counted and not of_callee:
                instructions += int(line.split()[1])
            of_callee = False
    return measured, instructions


def count(program):
    """Returns {path: (instructions, allocations)}."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "profile"
        # The two patterns differ because callgrind ignores a pattern that another option has used already. The
        # environment is empty because its size moves the stack.
        run = subprocess.run(
            ["valgrind", "--quiet", "--tool=callgrind", "--toggle-collect=*Measured*", "--dump-after=void*Measured*",
             f"--callgrind-out-file={out}", program, folder],
            env={"PATH": os.environ["PATH"], "OMP_NUM_THREADS": "1", "LC_ALL": "C"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if run.returncode != 0:
            sys.exit(f"{program} failed under valgrind:\n{run.stdout}{run.stderr}")
        instructions = dict(read_profile(path, program) for path in pathlib.Path(folder).glob("profile.*"))
    allocations = {name: int(number) for name, number in (line.split() for line in run.stdout.splitlines())}
    if not allocations or any(not instructions.get(name) for name in allocations):
        sys.exit(f"callgrind counted nothing in {[name for name in allocations if not instructions.get(name)]}")
    return {name: (instructions[name], number) for name, number in allocations.items()}


def read_recorded():
    compiler, counts = "", {}
    for line in RECORDED.read_text().splitlines():
        if line.startswith("compiler: "):
            compiler = line.removeprefix("compiler: ")
        elif line and not line.startswith("#"):
            name, instructions, allocations = line.split()
            counts[name] = (int(instructions), int(allocations))
    return compiler, counts


def compare(recorded, counted):
    """Returns the lines to print, and the list of lines that report failures."""
    lines, failures = [], []
    for name in collections.ChainMap(counted, recorded):
        if name not in counted or name not in recorded:
            failures.append(f"{name}: {'not measured' if name in recorded else 'not recorded'}")
            continue
        for what, now, before in zip(("instructions", "allocations"), counted[name], recorded[name]):
            change = (now / before - 1) * 100 if before else 0.0 if now == 0 else float("inf")
            lines.append(f"{name}: {now} {what}, recorded {before} ({change:+.1f} %)")
            if now > before * MOST:
                failures.append(lines[-1])
    return lines, failures


def main():
    program = os.path.realpath(sys.argv[1])
    if os.uname().machine != "x86_64":
        print(f"skipped: the recorded counts are of x86-64, this is {os.uname().machine}")
        sys.exit(SKIPPED)
    if not shutil.which("valgrind"):
        sys.exit("valgrind is missing: `make deps` installs it")
    compiler = subprocess.run([program, "--about"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    if os.environ.get("WEIR_RECORD") == "1":
        rows = [f"{name} {instructions} {allocations}" for name, (instructions, allocations) in sorted(count(program).items())]
        RECORDED.write_text(HEADER + f"compiler: {compiler}\n" + "\n".join(rows) + "\n")
        print(RECORDED.read_text())
        return
    recorded_compiler, recorded = read_recorded()
    if compiler != recorded_compiler:
        print(f"skipped: counts were recorded with {recorded_compiler}, this is built with {compiler}")
        sys.exit(SKIPPED)
    lines, failures = compare(recorded, count(program))
    print("\n".join(lines))
    if failures:
        sys.exit("these paths cost over 5 % more instructions than counts.txt says:\n  " + "\n  ".join(failures) +
                 "\nWhere that is meant: WEIR_RECORD=1 ctest --test-dir build -R '^instructions$', and commit tests/instructions/counts.txt.")


if __name__ == "__main__":
    main()
