"""Tests that an installed Weir works without the build tree: the program, the package, find_package(Weir)."""
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("WEIR_BUILD", ROOT / "build"))
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

def run(*command, cwd=None):
    result = subprocess.run(list(map(str, command)), cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    path = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", BUILD, "--prefix", path)
    return path


@pytest.mark.slow
def test_weir_run_uses_the_installed_package(prefix, tmp_path):
    script = tmp_path / "trainer.py"
    script.write_text("import sys, tensorflow as tf, weir\nprint(weir.__file__, tf.__version__, *sys.argv[1:])\n")
    package, version, *arguments = run(prefix / "bin" / "weir", "run", script, "--help", "x", cwd=tmp_path).split()
    assert package.startswith(str(prefix))
    assert version == "1.15.5"
    assert arguments == ["--help", "x"]


@pytest.mark.slow
def test_the_cpp_program_of_the_readme_finds_weir(prefix, tmp_path):
    blocks = dict(re.findall(r"```(cpp|cmake)\n(.*?)```", (ROOT / "README.md").read_text(), re.S))
    (tmp_path / "CMakeLists.txt").write_text(blocks["cmake"])
    (tmp_path / "first.cc").write_text(blocks["cpp"])
    run("cmake", "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}", cwd=tmp_path)
    run("cmake", "--build", tmp_path / "build")
    slope, offset = map(float, run(tmp_path / "build" / "first").split())
    assert abs(slope - 2.0) < 0.2 and abs(offset - 0.2) < 0.3
