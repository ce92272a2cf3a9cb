"""The tools of the front door: what counts tests, mirrors the package and lists packages does so rightly."""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def tool(name, *arguments):
    return subprocess.run([ROOT / "tools" / name, *map(str, arguments)], capture_output=True, text=True)


def test_count_tests_counts_cases_inside_entries(tmp_path):
    report = tmp_path / "ctest.xml"
    report.write_text("""<testsuite>
      <testcase name="unit" status="run"><system-out>[  PASSED  ] 7 tests.</system-out></testcase>
      <testcase name="unit_bad" status="fail"><failure/><system-out>[  PASSED  ] 2 tests.
[  FAILED  ] 3 tests, listed below:</system-out></testcase>
      <testcase name="crash" status="fail"><failure/><system-out>[ RUN      ] X</system-out></testcase>
      <testcase name="py" status="run"><system-out>==== 5 passed, 1 skipped in 0.10s ====</system-out></testcase>
      <testcase name="py_bad" status="fail"><failure/><system-out>1 failed, 4 passed, 2 errors in 1.20s</system-out></testcase>
      <testcase name="plain" status="run"><system-out/></testcase>
      <testcase name="skipped" status="notrun"><skipped/></testcase>
    </testsuite>""")
    result = tool("count_tests", report)
    assert result.stdout == "19 7\n"
    assert "failed: crash" in result.stderr and "failed: unit\n" not in result.stderr


def test_link_package_follows_the_source(tmp_path):
    source, target = tmp_path / "source", tmp_path / "target"
    (source / "sub").mkdir(parents=True)
    (source / "a.py").write_text("1")
    (source / "sub" / "b.py").write_text("2")
    target.mkdir()
    (target / "_module.so").write_text("built")
    assert tool("link_package", source, target).returncode == 0
    assert (target / "sub" / "b.py").read_text() == "2"
    (source / "a.py").unlink()
    (source / "c.py").write_text("3")
    assert tool("link_package", source, target).returncode == 0
    assert sorted(os.listdir(target)) == ["_module.so", "c.py", "sub"]


def test_install_deps_rejects_an_unknown_group():
    result = tool("install_deps", "everything")
    assert result.returncode == 2 and "everything" in result.stderr


def test_make_help_lists_every_documented_target():
    listed = subprocess.run(["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True).stdout
    for target in "deps build demo check test test-all interop bench format lint install".split():
        assert f"  make {target} " in listed
