"""Tests of the scripts in tools/ that count tests, link the package and list Debian packages."""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("WEIR_BUILD", ROOT / "build"))


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


def test_check_layers_says_who_may_choose_the_files(tmp_path):
    for path in ("src/ops/io/save.cc", "src/io/table.cc", "src/train/saver.cc", "src/cluster/worker.cc", "python/bind/records.cc",
                 "src/base/env_posix.cc", "src/cli/serve.cc", "include/weir/engine.h", "python/bind/process.h",
                 "src/train/saver.h", "src/io/table_test.cc", "src/op/testing.h"):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("// RealEnv() in a comment\nEnv& env = RealEnv();\n")
    result = tool("check_layers", "--root", tmp_path)
    assert result.returncode == 1
    refused = [line.split(": ")[0] for line in result.stdout.splitlines()]
    assert sorted(refused) == ["python/bind/records.cc:2", "src/cluster/worker.cc:2", "src/io/table.cc:2",
                               "src/ops/io/save.cc:2", "src/train/saver.cc:2"]
    assert tool("check_layers").returncode == 0, tool("check_layers").stdout


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


def clean(*command, **settings):
    done = subprocess.run([ROOT / "tools/clean_environment", *command], env={**os.environ, **settings}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_clean_environment_keeps_only_what_tests_need():
    settings = {"HOME": "/a b", "PYTHONUNBUFFERED": "1", "PYTHONPATH": "/x", "LD_PRELOAD": "", "WEIR_LOG": "1", "PIP_CERT": "$(c d)"}
    names = dict(line.split("=", 1) for line in clean("env", **settings).splitlines())
    assert names["HOME"] == "/a b" and names["PIP_CERT"] == "$(c d)"
    assert not {"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "LD_PRELOAD", "WEIR_LOG", "LANG"} & set(names)


def test_clean_environment_passes_arguments_and_settings_on():
    assert clean("A=1 2", "sh", "-c", 'printf "%s|" "$A" "$@"', "sh", "x y", "", "*") == "1 2|x y||*|"


def test_tests_start_from_a_clean_environment():
    for target in ("check", "test", "test-asan", "interop"):
        planned = subprocess.run(["make", "-n", target, "WEIR_TF_PYTHON=python"], cwd=ROOT, capture_output=True, text=True).stdout
        lines = [line for line in planned.splitlines() if "ctest" in line or "clean_environment" in line]
        assert lines and all("tools/clean_environment" in line for line in lines), planned
    script = (ROOT / ".ci/run").read_text()
    assert script.index("tools/clean_environment") < script.index("tools/install_deps")


def test_make_help_lists_every_documented_target():
    listed = subprocess.run(["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True).stdout
    for target in "deps build demo check test test-all interop bench soak generate format lint install".split():
        assert f"  make {target} " in listed


def test_the_graph_building_functions_are_what_the_registry_says(tmp_path):
    subprocess.run([BUILD / "tools" / "weir_build_functions", tmp_path], check=True)
    folder = ROOT / "src/graph/build"
    written = sorted(file.name for file in tmp_path.iterdir())
    assert written == sorted(file.name for file in [*folder.glob("*_ops.h"), *folder.glob("*_ops.cc")])
    differing = [name for name in written if (tmp_path / name).read_text() != (folder / name).read_text()]
    assert not differing, f"src/graph/build/{differing} differ from the registry: run `make generate` and commit what it writes"


def test_generated_files_that_are_right_are_not_touched(tmp_path):
    command = [BUILD / "tools" / "weir_build_functions", tmp_path]
    subprocess.run(command, check=True)
    (tmp_path / "nn_ops.h").write_text("old")
    times = {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    subprocess.run(command, check=True)
    assert [file.name for file in tmp_path.iterdir() if file.stat().st_mtime_ns != times[file]] == ["nn_ops.h"]
