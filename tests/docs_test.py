"""Checks claims of the documentation: its links, paths and folders exist, and its example runs."""
import fnmatch
import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", ROOT / "tests/ops/README.md", *sorted((ROOT / "docs").glob("*.md"))]
SUFFIXES = (".cc", ".h", ".py", ".md", ".txt", ".optest", ".proto", ".json")


def tree():
    """Returns every file and folder of the repository as "/path", folders with a trailing slash."""
    paths = set()
    for folder, folders, files in os.walk(ROOT):
        below = "/" if folder == str(ROOT) else "/" + os.path.relpath(folder, ROOT) + "/"
        folders[:] = [name for name in folders if below + name not in ("/build", "/.git") and name != "__pycache__"]
        paths |= {below + name for name in files} | {below + name + "/" for name in folders}
    return paths


def expanded(word):
    """Expands "a.{h,cc}" to "a.h" and "a.cc"."""
    braces = re.search(r"\{([^{}]*)\}", word)
    if not braces:
        return [word]
    return [w for choice in braces[1].split(",") for w in expanded(word[:braces.start()] + choice + word[braces.end():])]


def looks_like_a_path(word, folders):
    if word.startswith(("build/", "tf.")) or not re.fullmatch(r"[\w.*{},<>…/-]+", word):
        return False
    return word.endswith(SUFFIXES) or re.search(r"\.\{(\w+,)*\w+\}$", word) is not None or (
        "/" in word and word.split("/")[0] in folders)


def paths_in(text, folders):
    """Yields the words in backticks that name files or folders, but not command lines and their arguments."""
    for quoted in re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.S)):
        words = quoted.split()
        if all(looks_like_a_path(word, folders) for word in words):
            for word in words:
                yield from expanded(word)


def lead_nowhere(text, paths):
    folders = {path.rstrip("/").rpartition("/")[2] for path in paths if path.endswith("/")}
    for word in paths_in(text, folders):
        # A placeholder matches any name. A path may omit leading folders, because include paths start at src/.
        pattern = re.sub(r"<\w+>|…", "*", word)
        pattern = re.sub(r"(^|/)x(?=[_./])", r"\1*", pattern)
        wanted = ["*/" + pattern] if pattern.endswith("/") else ["*/" + pattern, "*/" + pattern + "/"]
        if not any(fnmatch.fnmatchcase(path, one) for one in wanted for path in paths):
            yield word


@pytest.mark.parametrize("doc", DOCS, ids=lambda doc: doc.relative_to(ROOT).as_posix())
def test_paths_exist(doc):
    assert not list(lead_nowhere(doc.read_text(), tree()))


def test_paths_that_do_not_exist_are_found():
    paths = {"/src/", "/src/op/", "/src/op/op_def.h", "/src/op/op_def.cc", "/tools/", "/tools/lint"}
    good = "`src/op/`, `op/op_def.{h,cc}`, `op_def.h`, `tools/lint`, `src/<folder>/x_def.h`, `src/op/*.cc`, `while/mul`, `x.shape`, `a.b c.py`, `/gpu:0`"
    bad = "`src/io/`, `op/op.h`, `gone.cc`, `tools/format`, `op_def.{h,cu}`, `op/x_test.cc`, ```\n`src/no`\n```"
    assert not list(lead_nowhere(good, paths))
    assert list(lead_nowhere(bad, paths)) == ["src/io/", "op/op.h", "gone.cc", "tools/format", "op_def.cu", "op/x_test.cc"]


def test_links_lead_to_files():
    missing = []
    for doc in DOCS:
        prose = re.sub(r"```.*?```|`[^`]*`", "", doc.read_text(), flags=re.S)
        for target in re.findall(r"\]\(([^)#]+)\)", prose):
            if "://" not in target and not (doc.parent / target).exists():
                missing.append(f"{doc.name}: {target}")
    assert not missing


def test_every_folder_of_src_has_its_row_and_every_row_its_folder():
    rows = set(re.findall(r"^\| `src/(\w+)/` \|", (ROOT / "docs/architecture.md").read_text(), re.M))
    assert rows == {p.relative_to(ROOT / "src").parts[0] for p in (ROOT / "src").rglob("*.cc")} | {
        p.relative_to(ROOT / "src").parts[0] for p in (ROOT / "src").rglob("*.h")}


def test_every_file_of_the_binding_has_its_row():
    text = (ROOT / "docs/python-binding.md").read_text()
    table = text[text.index("| file of"):text.index("\n## ")]
    rows = {name.partition(".")[0] for cells in re.findall(r"^\| (`.*?) \|", table, re.M) for name in re.findall(r"`([\w.]+)`", cells)}
    files = {p.stem for p in (ROOT / "python/bind").glob("*.cc")}
    headers = {p.stem for p in (ROOT / "python/bind").glob("*.h")}
    assert not files - rows and not rows - files - headers


def test_layers_in_the_documentation_are_those_that_are_checked():
    source = (ROOT / "tools/check_layers").read_text()
    for folder, allowed in re.findall(r"^\| `src/(\w+)/` \|[^|]*\| ([\w, ]*?) ?\|$", (ROOT / "docs/architecture.md").read_text(), re.M):
        line = re.search(rf'^    "{folder}": \[(.*)\],', source, re.M)
        if line:
            assert [a.strip() for a in allowed.split(",") if a.strip()] == re.findall(r'"(\w+)"', line.group(1)), folder


def test_the_table_of_roles_is_that_of_the_services():
    source = (ROOT / "src/cluster/services.h").read_text().replace("\\\n", "\n")
    groups = {"kTasks": {"tasks"}, "kAdministrators": {"administrators"},
              "kEverybody": {"clients", "tasks", "administrators"}}
    served = {}
    for name, roles in re.findall(r"^ *METHOD\((\w+),[^()]*, ([\w| ]+)\)", source, re.M):
        served[name] = set().union(*(groups[role.strip()] for role in roles.split("|")))
    columns = ["clients", "tasks", "administrators"]
    documented = {}
    for row in re.findall(r"^\| (\w+) \|((?: yes)? )\|((?: yes)? )\|((?: yes)? )\|$", (ROOT / "docs/security.md").read_text(), re.M):
        if row[0] != "method":
            documented[row[0]] = {column for column, cell in zip(columns, row[1:]) if cell.strip() == "yes"}
    assert len(served) == 21 and served == documented


def test_the_table_of_limits_is_that_of_the_servers():
    source = (ROOT / "src/cluster/limits.h").read_text()
    rows = re.findall(r'\{Limit::\w+, "([^"]+)", "(\w+)", "([-\w]+)",\s*([\d\']+), (\d), \w+\}', source)
    assert len(rows) == 10
    parts = {"1": "the memory", "2": "1/2 of the memory", "4": "1/4 of the memory"}
    served = {row[0]: [row[1], row[2], row[3].replace("'", "") if row[3] != "0" else parts[row[4]]] for row in rows}
    text = (ROOT / "docs/security.md").read_text()
    documented = {cells[0]: list(cells[1:]) for cells in
                  re.findall(r"^\| ([\w ]+) \| (WEIR_\w+) \| ([-\w]+) \| ([^|,]*)[^|]* \|$", text, re.M)}
    assert {what: [cell.strip() for cell in cells] for what, cells in documented.items()} == served
    for variable, _, _ in served.values():
        assert variable in (ROOT / "docs/cluster.md").read_text()


def test_the_example_of_the_readme_runs(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert len(blocks) == 1
    script = tmp_path / "first.py"
    script.write_text(blocks[0])
    out = subprocess.run([sys.executable, str(script)], check=True, capture_output=True, text=True, timeout=60).stdout
    slope, offset = [float(x) for x in re.findall(r"-?\d+\.\d+", out)]
    assert abs(slope - 2.0) < 0.2 and abs(offset - 0.2) < 0.3


def test_the_cpp_guide_quotes_programs_that_are_built_and_run():
    """Each program of docs/cpp.md is a file of examples/cpp, which the build compiles and ctest runs."""
    text = (ROOT / "docs/cpp.md").read_text()
    quoted = dict(re.findall(r"^`(guide_\w+\.cc)`:\n\n```cpp\n(.*?)```", text, re.M | re.S))
    files = {path.name: path.read_text() for path in (ROOT / "examples/cpp").glob("guide_*.cc")}
    assert len(files) == 8 and quoted == files


def test_make_targets_that_the_documentation_names_exist():
    makefile = (ROOT / "Makefile").read_text()
    named = {target for doc in DOCS for target in re.findall(r"(?:`|^)make ([a-z][a-z-]*)", doc.read_text(), re.M)}
    assert {"demo", "check", "test", "test-all"} <= named
    assert not [target for target in named if not re.search(rf"^([a-z -]+ )?{target}( [a-z -]+)?:", makefile, re.M)]


def test_the_filters_that_the_documentation_names_match_tests():
    sources = "".join(p.read_text() for p in [*(ROOT / "src").rglob("*_test.cc")])
    suites = set(re.findall(r"^TEST(?:_[FP])?\((\w+),", sources, re.M)) | {p.stem for p in (ROOT / "tests/ops").glob("*.optest")}
    for doc in DOCS:
        for suite in re.findall(r"--gtest_filter='?(\w+)\.\*", doc.read_text()):
            assert suite in suites, f"{doc.name}: no test is called {suite}.*"


def test_a_simulated_seed_replays_as_the_documentation_says():
    """Runs the commands of docs/cluster.md: a few seeds pass, and replaying a seed prints the same log each time."""
    build = pathlib.Path(os.environ.get("WEIR_BUILD", ROOT / "build"))
    text = (ROOT / "docs/cluster.md").read_text()
    block = re.search(r"\n## Simulation\n.*?```sh\n(.*?)```", text, re.S)[1]
    commands = [line.partition("#")[0].strip().replace("build/", shlex.quote(f"{build}/"), 1) for line in block.splitlines()]
    assert [re.findall(r"WEIR_SIM_SEEDS?", command) for command in commands] == [[], ["WEIR_SIM_SEEDS"], ["WEIR_SIM_SEED"]]
    told = [subprocess.run(["bash", "-c", command + " --gtest_filter=*EverySeed*"], check=True, capture_output=True, text=True, timeout=120)
            for command in (commands[1], commands[2], commands[2])]
    assert "20 seeds: " in told[0].stdout
    story = [[line for line in run.stderr.splitlines() if re.match(r" +\d+\.\d{6}  ", line)] for run in told]
    assert not story[0] and len(story[1]) > 100 and story[1] == story[2]
