"""Tests of `weir serve` and `weir devices`: clusters without Python, all ways to describe a cluster, shutdown."""
import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

import weir as tf
from free_addresses import free_addresses

WEIR = pathlib.Path(os.environ.get("WEIR_BUILD", "build")).resolve() / "weir"
PATIENCE = 60  # timeout in seconds; nothing here takes more than a few
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("TF_CONFIG", "WEIR_BIND_ADDRESS")}


def weir(*arguments, **environment):
    result = subprocess.run([WEIR, *map(str, arguments)], env=ENVIRONMENT | environment, capture_output=True, text=True,
                            timeout=PATIENCE)
    return result.returncode, result.stdout, result.stderr


class Served:
    """A running `weir serve`, with its standard error."""

    def __init__(self, arguments, environment):
        # In a background job SIGINT may be ignored, which children would inherit.
        self.process = subprocess.Popen([WEIR, "serve", *map(str, arguments)], env=ENVIRONMENT | environment, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.said = self.process.stderr.readline()
        found = re.search(r"Started server with target: (grpc://\S+)", self.said)
        assert found, self.said + self.process.stderr.read()
        self.target = found[1]

    def wait_for_line(self, text):
        """Reads standard error up to a line with the text."""
        guard = threading.Timer(PATIENCE, self.process.kill)
        guard.start()
        while text not in (line := self.process.stderr.readline()):
            assert line, f"the server ended without saying {text!r}"
        guard.cancel()

    def end(self, number=signal.SIGTERM):
        """Sends the signal and returns the exit status and standard error."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        out, error = self.process.communicate(timeout=PATIENCE)
        assert out == ""
        return self.process.returncode, error


@contextlib.contextmanager
def serving(*arguments, **environment):
    served = Served(arguments, environment)
    try:
        yield served
    finally:
        served.process.kill()
        served.process.communicate()


def value_on(target, device):
    with tf.Graph().as_default():
        with tf.device(device):
            three = tf.add(1.0, 2.0)
        with tf.Session(target, config=tf.ConfigProto(operation_timeout_in_ms=1000 * PATIENCE)) as sess:
            return sess.run(three)


# --- which cluster, which task ----------------------------------------------------------------------------------------
def test_cluster_of_two_processes():
    ps, worker = free_addresses(2)
    flag = f"ps={ps};worker={worker}"
    with serving("--cluster", flag, "--job_name", "ps") as a, serving(f"--cluster={flag}", "--job_name=worker", "--task_index=0") as b:
        assert (a.target, b.target) == (f"grpc://{ps}", f"grpc://{worker}")
        assert value_on(b.target, "/job:ps/task:0") == 3.0
        assert [a.end()[0], b.end()[0]] == [0, 0]


def configured(address, task):
    return json.dumps({"cluster": {"ps": ["localhost:1"], "worker": [address]}} | ({"task": task} if task else {}))


@pytest.mark.parametrize("how", ["hosts", "file", "file with the task", "TF_CONFIG", "TF_CONFIG and flags"])
def test_ways_to_describe_the_cluster(how, tmp_path):
    [address] = free_addresses(1)
    path = tmp_path / "cluster.json"
    task = {"type": "worker", "index": 0}
    environment = {}
    if how == "hosts":
        arguments = ["--ps_hosts", "localhost:1", "--worker_hosts", address, "--job_name", "worker", "--task_index", 0]
    elif how.startswith("file"):
        path.write_text(configured(address, task if "task" in how else None))
        arguments = ["--config", path, *([] if "task" in how else ["--job_name", "worker"])]
        environment["TF_CONFIG"] = "what the file says goes first"
    else:
        environment["TF_CONFIG"] = configured(address, {"type": "ps", "index": 0} if "flags" in how else task)
        arguments = ["--job_name", "worker"] if "flags" in how else []
    with serving(*arguments, **environment) as served:
        assert served.target == f"grpc://{address}"
        assert value_on(served.target, "/job:worker/task:0") == 3.0


def test_the_only_task_needs_no_name():
    with serving("--cluster", "lonely=localhost:0") as served:
        assert value_on(served.target, "/job:lonely") == 3.0


def test_bind_address():
    """A task can listen at another address than the one that its cluster has for it."""
    [address] = free_addresses(1)
    port = int(address.split(":")[1])
    arguments = ["--cluster", f"worker=192.0.2.1:{port}", "--insecure"]
    status, _, error = weir("serve", *arguments)
    assert status == 1 and "192.0.2.1" in error and "bind_address" in error and "WEIR_BIND_ADDRESS" in error
    for options, environment in ((["--bind_address", "127.0.0.1"], {}), ([], {"WEIR_BIND_ADDRESS": f"127.0.0.1:{port}"})):
        with serving(*arguments, *options, **environment) as served:
            assert served.target == f"grpc://192.0.2.1:{port}"
            assert value_on(f"grpc://127.0.0.1:{port}", "/job:worker") == 3.0
            assert served.end()[0] == 0


@pytest.mark.parametrize("arguments, environment, parts", [
    ([], {}, ["no cluster given", "--cluster", "--config", "TF_CONFIG"]),
    (["--cluster", "ps=a:1", "--ps_hosts", "b:1"], {}, ["give only one of"]),
    (["--cluster", "a:1,b:1"], {}, ["--cluster", "'a:1,b:1'", "ps=host:port"]),
    (["--cluster", "ps=a:1;ps=b:1"], {}, ["'ps' twice"]),
    (["--cluster", "ps=a:1,a"], {}, ["--cluster", "ps", "'a'"]),
    (["--worker_hosts", "a:1,,b:1", "--job_name", "worker"], {}, ["--worker_hosts", "worker"]),
    (["--cluster", "ps=a:1;worker=b:1"], {}, ["the cluster has several jobs", "--job_name"]),
    (["--cluster", "ps=a:1,b:1"], {}, ["job 'ps' has", "--task_index"]),
    (["--cluster", "ps=a:1", "--job_name", "worker"], {}, ["worker", "ps"]),
    (["--cluster", "ps=a:1", "--task_index", "1"], {}, ["1", "ps"]),
    (["--task_index", "-1", "--cluster", "ps=a:1"], {}, ["--task_index"]),
    (["--config", "/nowhere.json"], {}, ["/nowhere.json"]),
    ([], {"TF_CONFIG": "{"}, ["TF_CONFIG", "invalid JSON"]),
    (["stray"], {}, ["stray"]),
])
def test_wrong_calls(arguments, environment, parts):
    status, out, error = weir("serve", *arguments, **environment)
    assert status not in (0, 1) and out == ""
    assert all(part in error for part in parts), error


def test_port_in_use():
    with serving("--cluster", "ps=localhost:0") as served:
        address = served.target.removeprefix("grpc://")
        status, _, error = weir("serve", "--cluster", f"ps={address}")
        assert status == 1 and f"port {address.split(':')[1]} is in use" in error


def test_help():
    for command, example in (("serve", "weir serve --cluster 'ps=a:2222;worker=b:2222,c:2222' --job_name worker --task_index 1"),
                             ("devices", "weir devices grpc://localhost:2222 --timeout 2")):
        status, out, _ = weir(command, "--help")
        assert status == 0 and example in out
        assert command in weir("--help")[1]


# --- the end ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_stops_the_server_with_status_0(number):
    with serving("--cluster", "local=localhost:0") as served:
        assert value_on(served.target, "/job:local") == 3.0
        start = time.monotonic()
        status, error = served.end(number)
        assert status == 0 and "Start master session" in error
        assert time.monotonic() - start < 2  # no step is running, so it does not wait
        with serving("--cluster", served.target.replace("grpc://", "local=")) as again:  # the port is free
            assert value_on(again.target, "/job:local") == 3.0


def test_running_steps_end_first():
    """A step that is running when the signal arrives returns its value; then the port is released."""
    with serving("--cluster", "local=localhost:0", "--grace", 30) as served, tf.Graph().as_default(), tf.Session(served.target) as sess:
        gate = tf.placeholder(tf.int32, [])
        long = tf.while_loop(lambda i: i < gate, lambda i: i + 1, [0])
        assert sess.run(long, {gate: 10}) == 10
        start = time.monotonic()
        sess.run(long, {gate: 20_000})
        rounds = int(20_000 / (time.monotonic() - start))  # takes about a second
        values = []
        step = threading.Thread(target=lambda: values.append(sess.run(long, {gate: rounds})))
        step.start()
        time.sleep(0.2)
        assert served.end()[0] == 0
        step.join(PATIENCE)
        assert values == [rounds]


def test_steps_that_do_not_end_are_cancelled():
    with serving("--cluster", "local=localhost:0", "--grace", 0.2) as served, tf.Graph().as_default(), tf.Session(served.target) as sess:
        forever = tf.while_loop(lambda i: i < 2, lambda i: i * 1, [0])
        sess.run(tf.constant(0))
        raised = []

        def run():
            try:
                sess.run(forever)
            except tf.errors.OpError as error:
                raised.append(error)
        step = threading.Thread(target=run)
        step.start()
        time.sleep(0.3)
        start = time.monotonic()
        assert served.end()[0] == 0
        assert time.monotonic() - start < 5
        step.join(PATIENCE)
        assert len(raised) == 1 and isinstance(raised[0], (tf.errors.UnavailableError, tf.errors.CancelledError, tf.errors.AbortedError))


def test_a_second_signal_does_not_wait():
    with serving("--cluster", "local=localhost:0", "--grace", 600) as served, tf.Graph().as_default(), tf.Session(served.target) as sess:
        forever = tf.while_loop(lambda i: i < 2, lambda i: i * 1, [0])
        sess.run(tf.constant(0))
        step = threading.Thread(target=lambda: pytest.raises(tf.errors.OpError, sess.run, forever))
        step.start()
        time.sleep(0.3)
        served.process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        assert served.process.poll() is None
        status, _ = served.end(signal.SIGINT)
        assert status == -signal.SIGINT
        step.join(PATIENCE)


# --- devices ----------------------------------------------------------------------------------------------------------
ROW = re.compile(r"(/job:\w+/replica:0/task:\d/device:CPU:0) +(CPU)  +([0-9a-f]{16})")


def test_devices_of_a_cluster():
    ps, worker = free_addresses(2)
    flag = f"ps={ps};worker={worker}"
    with serving("--cluster", flag, "--job_name", "ps") as a, serving("--cluster", flag, "--job_name", "worker"):
        tables = []
        for target in (a.target, worker):
            status, out, error = weir("devices", target)
            assert (status, error) == (0, "")
            head, *rows = out.splitlines()
            assert head.split() == ["NAME", "KIND", "INCARNATION"]
            tables.append(sorted(ROW.fullmatch(row).groups() for row in rows))
        assert tables[0] == tables[1]
        assert [row[0] for row in tables[0]] == [f"/job:{job}/replica:0/task:0/device:CPU:0" for job in ("ps", "worker")]
        with tf.Session(a.target) as sess:
            assert {row[0]: int(row[2], 16) for row in tables[0]} == {d.name: d.incarnation for d in sess.list_devices()}


def test_devices_when_a_task_is_not_up():
    """Lists the devices of the other tasks and names the missing one."""
    ps, worker, missing = free_addresses(3)
    flag = f"ps={ps};worker={worker},{missing}"
    with serving("--cluster", flag, "--job_name", "ps"), serving("--cluster", flag, "--job_name", "worker", "--task_index", 0):
        for target, timeout in ((f"grpc://{ps}", 0.5), (worker, 2)):
            start = time.monotonic()
            status, out, error = weir("devices", target, "--timeout", timeout)
            assert time.monotonic() - start < timeout + 5
            names = [f"/job:{job}/replica:0/task:0/device:CPU:0" for job in ("ps", "worker")]
            assert status == 0 and sorted(line.split()[0] for line in out.splitlines()) == [*names, "NAME"], error
            assert error == f"weir devices: no answer from /job:worker/replica:0/task:1 at {missing}\n"


def test_devices_of_a_task_that_hangs():
    """A task that accepts connections but does not answer counts as missing."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        other = f"127.0.0.1:{silent.getsockname()[1]}"
        [address] = free_addresses(1)
        with serving("--cluster", f"ps={address};worker={other}", "--job_name", "ps"):
            status, out, error = weir("devices", address, "--timeout", 1)
            assert status == 0 and len(out.splitlines()) == 2, error
            assert error == f"weir devices: no answer from /job:worker/replica:0/task:0 at {other}\n"


def test_devices_without_a_server_or_with_a_wrong_target():
    [address] = free_addresses(1)
    status, out, error = weir("devices", address)
    assert status == 1 and out == "" and address in error
    with socket.socket() as silent:  # accepts connections, never answers
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        status, out, error = weir("devices", f"localhost:{silent.getsockname()[1]}", "--timeout", 0.5)
        assert status == 1 and out == "" and "weir devices: " in error
    for wrong in ("http://a:1", "grpc://a", "a:99999", ""):
        status, out, error = weir("devices", wrong)
        assert status == 2 and f"target '{wrong}'" in error
    assert weir("devices")[0] == 2


ENDS_LATER = """
import os, sys, time
import weir as tf
server = tf.train.Server(eval(sys.argv[1]), job_name="worker", task_index=int(sys.argv[2]))
print("up", flush=True)
sys.stdin.readline()
if sys.argv[3] == "raises":
    raise ValueError("wrong")
"""


def start_worker(cluster, task, how="ends"):
    worker = subprocess.Popen([sys.executable, "-c", ENDS_LATER, repr(cluster), str(task), how], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert worker.stdout.readline() == "up\n", worker.stderr.read()
    return worker


def let_end(worker):
    return worker.communicate("go\n", timeout=PATIENCE)


def test_a_server_ends_with_the_workers():
    """Workers that are killed or fail have not ended: they come back."""
    ps, *workers = free_addresses(3)
    cluster = {"ps": [ps], "worker": workers}
    with serving("--cluster", f"ps={ps};worker={','.join(workers)}", "--job_name", "ps", "--end_with", "worker") as served:
        def is_up(seconds):
            with contextlib.suppress(subprocess.TimeoutExpired):
                served.process.wait(seconds)
            return served.process.poll() is None
        first, second = start_worker(cluster, 0), start_worker(cluster, 1)
        for _ in range(2):
            served.wait_for_line("is up")
        second.kill()
        second.communicate()
        let_end(first)
        assert is_up(1)
        second = start_worker(cluster, 1, "raises")
        served.wait_for_line("is up")
        assert "ValueError" in let_end(second)[1]
        assert is_up(1)
        second = start_worker(cluster, 1)
        served.wait_for_line("is up")  # this may have been the end of the failed one
        assert is_up(1)
        let_end(second)
        served.process.wait(PATIENCE)
        status, error = served.end()
        assert status == 0 and "All tasks of job worker have ended" in error


def test_a_server_cannot_end_with_an_unknown_job():
    status, _, error = weir("serve", "--cluster", f"ps={free_addresses(1)[0]}", "--end_with", "worker")
    assert status == 2 and "end_with 'worker'" in error and "'worker'" in error


def refusal(*arguments, **environment):
    """The error of a server that must not start."""
    status, out, error = weir("serve", *arguments, **environment)
    assert status in (1, 2) and out == "" and "Started server" not in error, error
    return error


def test_only_loopback_addresses_need_no_credentials():
    [address] = free_addresses(1)
    port = address.split(":")[1]
    for host in ("0.0.0.0", "[::]", "127.0.0.1.example.invalid", "127.example.invalid", "localhost.example.invalid"):
        assert "--insecure" in refusal("--cluster", f"worker={address}", "--bind_address", f"{host}:{port}"), host
    # A typing error must not switch protection off.
    for value in ("1", "true", "yes", " 0"):
        error = refusal("--cluster", f"worker={address}", "--bind_address", f"0.0.0.0:{port}", "--insecure",
                        WEIR_REQUIRE_TLS=value)
        assert "WEIR_REQUIRE_TLS" in error
    for host in ("localhost", "127.0.0.1", "127.1.2.3"):
        with serving("--cluster", f"worker={address}", "--bind_address", f"{host}:{port}", WEIR_REQUIRE_TLS="1"):
            pass
    for value in ("", "0"):
        with serving("--cluster", f"worker={address}", "--bind_address", f"0.0.0.0:{port}", "--insecure",
                     WEIR_REQUIRE_TLS=value):
            pass


def test_required_tls_is_not_satisfied_by_tokens(tmp_path):
    [address] = free_addresses(1)
    port = address.split(":")[1]
    tokens = tmp_path / "tokens"
    tokens.write_text("0123456789abcdef0123456789abcdef client/alice\n")
    tokens.chmod(0o600)
    arguments = ["--cluster", f"worker={address}", "--accepted_tokens", tokens]
    exposed = [*arguments, "--bind_address", f"0.0.0.0:{port}"]
    assert "clear text" in refusal(*exposed, WEIR_REQUIRE_TLS="1")
    tokens.chmod(0o666)
    assert "chmod" in refusal(*arguments)


def test_limits_are_flags_or_variables():
    """Connections beyond the limit are closed, and the server goes on."""
    [address] = free_addresses(1)
    host, port = address.split(":")
    for flags, environment in ((["--max_connections", "2"], {}), ([], {"WEIR_MAX_CONNECTIONS": "2"})):
        with serving("--cluster", f"worker={address}", *flags, WEIR_TRANSPORT="grpc", **environment) as served:
            peers = [socket.create_connection((host, int(port)), timeout=PATIENCE) for _ in range(2)]
            assert all(peer.recv(1) for peer in peers)
            with socket.create_connection((host, int(port)), timeout=PATIENCE) as late, contextlib.suppress(ConnectionResetError):
                assert late.recv(1) == b""
            for peer in peers:
                peer.close()
            time.sleep(0.3)
            assert weir("devices", served.target, "--timeout", 20, WEIR_TRANSPORT="grpc")[0] == 0
    assert "WEIR_MAX_STEPS" in refusal("--cluster", f"worker={address}", WEIR_MAX_STEPS="many")
    status, _, error = weir("serve", "--cluster", f"worker={address}", "--max_steps", "0")
    assert status == 2 and "--max_steps" in error


def test_a_server_outlives_more_connections_than_it_has_descriptors():
    [address] = free_addresses(1)
    host, port = address.split(":")
    code = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)); os.execv(sys.argv[1], sys.argv[1:])"
    process = subprocess.Popen([sys.executable, "-c", code, WEIR, "serve", "--cluster", f"worker={address}", "--max_connections", "1000"],
                               env=ENVIRONMENT | {"WEIR_TRANSPORT": "grpc"}, text=True, stderr=subprocess.PIPE)
    try:
        assert "Started server" in process.stderr.readline()
        peers = [socket.create_connection((host, int(port)), timeout=PATIENCE) for _ in range(100)]
        time.sleep(0.5)
        for peer in peers:
            peer.close()
        assert weir("devices", f"grpc://{address}", "--timeout", 20, WEIR_TRANSPORT="grpc")[0] == 0
    finally:
        process.kill()
        process.communicate()
