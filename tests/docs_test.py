"""What the documentation claims is so: its links lead somewhere, its folders exist, its example runs."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_links_lead_to_files():
    missing = []
    for doc in DOCS:
        prose = re.sub(r"```.*?```|`[^`]*`", "", doc.read_text(), flags=re.S)
        for target in re.findall(r"\]\(([^)#]+)\)", prose):
            if "://" not in target and not (doc.parent / target).exists():
                missing.append(f"{doc.name}: {target}")
    assert not missing


def test_every_folder_of_src_has_its_row():
    rows = re.findall(r"^\| `src/(\w+)/` \|", (ROOT / "docs/architecture.md").read_text(), re.M)
    folders = {p.parent.relative_to(ROOT / "src").parts[0] for p in (ROOT / "src").rglob("*.h")} | {"cli"}
    assert set(rows) >= folders, f"docs/architecture.md says nothing of {sorted(folders - set(rows))}"


def test_layers_in_the_documentation_are_those_that_are_checked():
    source = (ROOT / "tools/check_layers").read_text()
    for folder, allowed in re.findall(r"^\| `src/(\w+)/` \|[^|]*\| ([\w, ]*?) ?\|$", (ROOT / "docs/architecture.md").read_text(), re.M):
        line = re.search(rf'^    "{folder}": \[(.*)\],', source, re.M)
        if line:
            assert [a.strip() for a in allowed.split(",") if a.strip()] == re.findall(r'"(\w+)"', line.group(1)), folder


def test_the_example_of_the_readme_runs(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert len(blocks) == 1
    script = tmp_path / "first.py"
    script.write_text(blocks[0])
    out = subprocess.run([sys.executable, str(script)], check=True, capture_output=True, text=True, timeout=60).stdout
    slope, offset = [float(x) for x in re.findall(r"-?\d+\.\d+", out)]
    assert abs(slope - 2.0) < 0.2 and abs(offset - 0.2) < 0.3


def test_make_targets_named_in_the_readme_exist():
    makefile = (ROOT / "Makefile").read_text()
    for target in set(re.findall(r"`make ([a-z-]+)", (ROOT / "README.md").read_text())):
        assert re.search(rf"^{target}:", makefile, re.M), target
