"""Runs cluster programs as a user does and checks their output: published ones, unmodified, if they are next to the
repository, and those of examples/, in Python and in C++. They have fixed ports, so each runs in its own network
namespace if the system allows that."""
import os
import pathlib
import re
import socket
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WEIR_BUILD", ROOT / "build")).resolve()
PUBLISHED = ROOT.parent / "shared/programs"
EXAMPLES = ROOT / "examples/cluster"
PORTS = (2222, 2223, 2224)
PATIENCE = 120

GREETING = r"b'Hello, distributed TensorFlow!'\n"
NUMBER = r" *-?\d+\.\d*(e-?\d+)? *"
TABLE = rf"\[\[{NUMBER} {NUMBER}\]\n \[{NUMBER} {NUMBER}\]\]\n"

published = pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published programs are not beside the repository")


def own_network():
    """Returns a command prefix that creates a network namespace; empty if the system does not allow that."""
    command = ["unshare", "--net", "--map-root-user", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    try:
        return command if subprocess.run([*command, "true"], capture_output=True).returncode == 0 else []
    except FileNotFoundError:
        return []


@pytest.fixture(scope="module")
def network():
    return own_network()


def ports_in_use():
    used = []
    for port in PORTS:
        with socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                s.bind(("127.0.0.1", port))
            except OSError:
                used.append(port)
    return used


@pytest.fixture
def run(network, tmp_path):
    """Runs a command in that network and returns its status, output and standard error."""
    def run(*command):
        if not network and (used := ports_in_use()):
            pytest.skip(f"no network namespace can be made, and ports {used} are in use")
        environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "TF_CONFIG", "WEIR_LOG")}
        result = subprocess.run([*network, *map(str, command)], cwd=tmp_path, env=environment, capture_output=True, text=True,
                                timeout=PATIENCE)
        return result.returncode, result.stdout, result.stderr
    return run


@pytest.fixture
def weir_run(run):
    return lambda script, *arguments: run(BUILD / "weir", "run", script, *arguments)


def started(error):
    return re.findall(r"Started server with target: (\S+)$", error, re.M)


def assert_prints(result, pattern):
    status, out, error = result
    assert status == 0, error
    assert re.fullmatch(pattern, out), out
    return error


def assert_no_gpu(result, node):
    """Checks that the error names the node, the requested device and the available devices."""
    status, out, error = result
    assert status == 1 and out == ""
    last = error[error.rindex("Cannot assign a device"):]
    assert node in last and "/device:GPU:0" in last and "/job:local/replica:0/task:0/device:CPU:0" in last


# --- published programs -----------------------------------------------------------------------------------------------
@published
@pytest.mark.parametrize("name, pattern", [("hello", GREETING), ("hello_placed", GREETING + TABLE),
                                           ("hello_task_out_of_range", GREETING + TABLE + 3 * GREETING)],
                         ids=["hello", "placed", "task_out_of_range"])
def test_published_hello(weir_run, name, pattern):
    error = assert_prints(weir_run(PUBLISHED / f"{name}.py"), pattern)
    assert re.fullmatch(r"grpc://localhost:\d+", *started(error))
    assert re.search(r"Start master session [0-9a-f]{16} with config:", error)


@published
@pytest.mark.parametrize("name", ["hello_gpu", "hello_task_gpu"])
def test_published_hello_without_a_gpu(weir_run, name):
    result = weir_run(PUBLISHED / f"{name}.py")
    assert "InvalidArgumentError" in result[2]
    assert_no_gpu(result, "node 'b/")


@published
@pytest.mark.parametrize("name, out", [("main", ""), ("worker0", "12.0\n"), ("worker1", "40.0\n")])
def test_published_cluster_in_a_process(weir_run, name, out):
    error = assert_prints(weir_run(PUBLISHED / f"{name}.py"), re.escape(out))
    assert started(error) == [f"grpc://localhost:{port}" for port in PORTS]
    assert len(re.findall(r"Start master session [0-9a-f]{16} with config:", error)) == (0 if name == "main" else 1)


# --- examples ---------------------------------------------------------------------------------------------------------
def test_hello(weir_run, run):
    error = assert_prints(weir_run(EXAMPLES / "hello.py"), GREETING)
    assert re.fullmatch(r"grpc://localhost:\d+", *started(error))
    error = assert_prints(run(BUILD / "examples/cluster_hello"), "Hello, distributed TensorFlow!\n")
    assert len(started(error)) == 1


def test_placed(weir_run, run):
    assert_prints(weir_run(EXAMPLES / "placed.py"), GREETING + TABLE)
    assert_prints(weir_run(EXAMPLES / "placed.py", "/gpu:0", "--soft"), GREETING + TABLE)
    assert_no_gpu(weir_run(EXAMPLES / "placed.py", "/gpu:0"), "node 'table/")
    table = 2 * rf"{NUMBER} {NUMBER}\n"
    assert_prints(run(BUILD / "examples/cluster_placed"), "Hello, distributed TensorFlow!\n" + table)
    assert_prints(run(BUILD / "examples/cluster_placed", "/gpu:0", "soft"), "Hello, distributed TensorFlow!\n" + table)
    assert_no_gpu(run(BUILD / "examples/cluster_placed", "/gpu:0"), "node 'random_normal/")


@pytest.mark.parametrize("language", ["python", "cpp"])
def test_two_workers(weir_run, run, language):
    result = weir_run(EXAMPLES / "two_workers.py") if language == "python" else run(BUILD / "examples/cluster_two_workers")
    error = assert_prints(result, "12.0\n40.0\n")
    assert started(error) == [f"grpc://localhost:{port}" for port in PORTS]
    assert len(re.findall(r"Start master session [0-9a-f]{16} with config:", error)) == 2


def test_training_on_a_cluster(run):
    status, out, error = run(BUILD / "weir", "up", EXAMPLES / "train.py", "--ps", 1, "--workers", 2)
    assert status == 0, error
    assert float(re.search(r"\[worker/0\] accuracy (\d\.\d+)", out)[1]) > 0.95
    shares = [int(re.search(rf"\[worker/{i}\] (\d+) steps by this worker", out)[1]) for i in range(2)]
    assert 1200 <= sum(shares) <= 1201  # the last step of one worker may follow that of the other


@pytest.mark.parametrize("program", ["cluster/train.py", "cluster/trainer.py", "cluster/digits.py", "digits/train.py"])
def test_training_needs_a_parameter_server(run, program):
    status, _, error = run(BUILD / "weir", "up", ROOT / "examples" / program, "--ps", 0)
    assert status == 1 and "start it with `weir up ... --ps 1`" in error and "Traceback" not in error
