"""Tests that an installed Weir works without the build tree: the program, the package, the headers, find_package(Weir)."""
import concurrent.futures
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


def test_public_headers_name_no_third_party_types_but_abseil():
    """TensorFlow's messages are declared in one header and defined in none."""
    headers = sorted((ROOT / "include/weir").rglob("*.h"))
    declared = set(re.findall(r"^class (\w+);", (ROOT / "include/weir/proto/messages.h").read_text(), re.M))
    wrong = []
    for header in headers:
        code = re.sub(r"//.*", "", header.read_text())
        wrong += [(header.name, name) for name in re.findall(r"\b(?:fmt|spdlog|grpc|google|pybind11|Eigen)::\w+", code)]
        wrong += [(header.name, name) for name in re.findall(r"\btensorflow::(\w+)", code) if name not in declared]
    assert len(headers) > 90 and not wrong


@pytest.mark.slow
def test_each_public_header_compiles_alone(prefix, tmp_path):
    include = prefix / "include"
    assert not (include / "weir/src").exists()
    headers = sorted(path.relative_to(include).as_posix() for path in (include / "weir").rglob("*.h"))
    assert {"weir/weir.h", "weir/engine.h", "weir/raw_ops.h", "weir/graph/build/math_ops.h"} <= set(headers)

    def needs(number):
        """Compiles a file that includes only this header. Returns the files that the compiler read."""
        source, read = tmp_path / f"{number}.cc", tmp_path / f"{number}.d"
        source.write_text(f"#include <{headers[number]}>\n")
        run("g++", "-std=c++20", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-I", include, "-fsyntax-only",
            "-MD", "-MF", read, source, cwd=tmp_path)
        return read.read_text()

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for header, read in zip(headers, pool.map(needs, range(len(headers)))):
            assert not re.search(r"\S*/(google/protobuf|fmt|spdlog|grpcpp?|proto)/\S*(?<!messages)\.h", read), header
            assert str(ROOT) not in read, header


@pytest.mark.slow
def test_the_cpp_program_of_the_readme_finds_weir(prefix, tmp_path):
    blocks = dict(re.findall(r"```(cpp|cmake)\n(.*?)```", (ROOT / "README.md").read_text(), re.S))
    (tmp_path / "CMakeLists.txt").write_text(blocks["cmake"])
    (tmp_path / "first.cc").write_text(blocks["cpp"])
    run("cmake", "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}", cwd=tmp_path)
    run("cmake", "--build", tmp_path / "build")
    slope, offset = map(float, run(tmp_path / "build" / "first").split())
    assert abs(slope - 2.0) < 0.2 and abs(offset - 0.2) < 0.3
