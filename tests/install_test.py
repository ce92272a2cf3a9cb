"""What `make install` lays down works away from the build tree: the program, the package, find_package(Weir)."""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("WEIR_BUILD", ROOT / "build"))
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(User CXX)
find_package(Weir REQUIRED)
add_executable(user user.cc)
target_link_libraries(user PRIVATE Weir::weir)
"""


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
def test_a_cpp_program_finds_weir(prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(CMAKE)
    (tmp_path / "user.cc").write_text((ROOT / "examples/cpp/hello.cc").read_text())
    run("cmake", "-G", "Ninja", "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}", cwd=tmp_path)
    run("cmake", "--build", tmp_path / "build")
    assert run(tmp_path / "build" / "user") == run(BUILD / "examples" / "hello")
