"""Tasks that are killed, stopped, restarted or disconnected during a step. The client gets an error in time, and a new
session works."""
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest

import weir as tf
from free_addresses import free_cluster
from processes import PATIENCE, PEER_TIMEOUT, Cluster, wait_until

pytestmark = pytest.mark.slow

raw = tf.raw_ops
LOST = (tf.errors.UnavailableError, tf.errors.AbortedError)
IN_TIME = 2 * PEER_TIMEOUT + 3  # a ping, its timeout, and a margin for a busy machine
PS = "/job:ps/task:0"


@pytest.fixture(params=["auto", "grpc", "ucx"])
def cluster(request, monkeypatch):
    monkeypatch.setenv("WEIR_TRANSPORT", request.param)  # for the tasks
    with Cluster(**free_cluster(ps=1, worker=2)) as made:
        yield made


def device_of(name):
    return f"/job:{name[:-1]}/task:{name[-1]}"


def run_apart(target, make):
    """Builds a fetch with `make` in a new graph, runs it in a new session and returns its value."""
    with tf.Graph().as_default():
        fetch = make()
        with tf.Session(target, config=tf.ConfigProto(operation_timeout_in_ms=PATIENCE * 1000)) as session:
            return session.run(fetch)


class Gate:
    """Blocks steps on one task until it is opened. `target` is a master that is not expected to fail."""

    def __init__(self, target, device):
        self.target, self.device = target, device
        self.set("waiting", 0.0)
        self.set("value", 0.0)

    def variable(self, name):
        with tf.device(self.device):
            return raw.VarHandleOp(dtype=tf.float32, shape=[], shared_name=f"gate/{name}")

    def set(self, name, value):
        run_apart(self.target, lambda: raw.AssignVariableOp(resource=self.variable(name), value=tf.constant(value)))

    def get(self, name):
        return run_apart(self.target, lambda: raw.ReadVariableOp(resource=self.variable(name), dtype=tf.float32))

    def wait(self):
        """Builds a tensor that blocks until the gate is opened, and has the value that it is opened with."""
        waiting, value = self.variable("waiting"), self.variable("value")

        def read(_):
            return raw.ReadVariableOp(resource=value, dtype=tf.float32)
        with tf.device(self.device):
            with tf.control_dependencies([raw.AssignVariableOp(resource=waiting, value=tf.constant(1.0))]):
                closed = tf.constant(0.0)
            return tf.while_loop(lambda found: tf.equal(found, 0.0), read, [closed])

    def wait_for_step(self):
        wait_until(lambda: self.get("waiting") == 1.0, "a step at the gate")

    def open(self, value):
        self.set("value", value)


class Ticks:
    """Endless loops, over two tasks or on the ps alone, that count their iterations there."""

    def __init__(self):
        with tf.device(PS):
            self.count = tf.Variable(0, name="ticks", dtype=tf.int64, use_resource=True)

        def body(i):
            with tf.device(PS):
                counted = tf.assign_add(self.count, 1)
            with tf.control_dependencies([counted]):
                return i + 1
        self.forever = tf.while_loop(lambda i: i >= 0, body, [tf.constant(0)])
        with tf.device(PS):
            self.alone = tf.while_loop(lambda i: i >= 0, body, [tf.constant(0)])

    def watch(self, cluster):
        """Resets the counter and returns a function that reads it."""
        session = tf.Session(cluster.target("ps0"))
        session.run(self.count.initializer)
        return lambda: session.run(self.count)


def wait_for_silence(count):
    """Waits until the counter stops."""
    def silent():
        before = count()
        time.sleep(0.5)
        return count() == before
    wait_until(silent, "the end of the step")


class Step:
    """A step that runs on a separate thread."""

    def __init__(self, session, fetch, **options):
        self.error = self.value = self.seconds = None

        def run():
            begin = time.monotonic()
            try:
                self.value = session.run(fetch, **options)
            except Exception as error:
                self.error = error
            self.seconds = time.monotonic() - begin
            self.ended = time.monotonic()

        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()

    def join(self):
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive(), "the step hangs"
        return self


def run_program(text, command=()):
    """Runs a client program in a separate process. The program may use all names of this file."""
    # Children would inherit an ignored SIGINT.
    return subprocess.Popen([*command, sys.executable, "-c", "from faults_test import *\n" + text], text=True,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))


def check_fresh_session(cluster, master="worker0"):
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            v = tf.Variable(1.0, name="fresh")
        with tf.device("/job:worker/task:1"):
            doubled = v * 2.0
        with tf.Session(cluster.target(master), config=tf.ConfigProto(operation_timeout_in_ms=PATIENCE * 1000)) as fresh:
            fresh.run(v.initializer)
            assert fresh.run(doubled) == 2.0


@pytest.mark.parametrize("victim", ["ps0", "worker1", "worker0"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_a_task_that_is_lost_in_the_middle_of_a_step(cluster, victim, number):
    # worker0 is the session's master: if it is lost, the client loses everything.
    on = device_of(victim if victim != "worker0" else "ps0")
    gate = Gate(cluster.target("worker1" if victim != "worker1" else "ps0"), on)
    session = tf.Session(cluster.target("worker0"))
    step = Step(session, gate.wait() + 1.0)
    gate.wait_for_step()
    cluster.signal(victim, number)
    lost = time.monotonic()
    step.join()
    assert isinstance(step.error, LOST), step.error
    assert cluster.target(victim)[len("grpc://"):] in str(step.error)
    assert ("no sign of life" if number == signal.SIGSTOP else "the connection broke") in str(step.error)
    if victim != "worker0":
        assert f"/job:{victim[:-1]}/replica:0/task:{victim[-1]}" in str(step.error)
    assert step.ended - lost < (IN_TIME if number == signal.SIGSTOP else PEER_TIMEOUT), step.error
    closer = threading.Thread(target=session.close, daemon=True)  # the session's master may not answer
    cluster.end(victim)
    closer.start()
    cluster.start(victim)
    check_fresh_session(cluster)
    closer.join(PATIENCE)
    assert not closer.is_alive()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_steps_of_a_lost_master_end_on_other_tasks(cluster, number):
    ticks = Ticks()
    count = ticks.watch(cluster)
    session = tf.Session(cluster.target("worker1"))
    step = Step(session, ticks.alone)
    wait_until(lambda: count() > 5, "the step")
    cluster.signal("worker1", number)
    assert isinstance(step.join().error, LOST), step.error
    wait_for_silence(count)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_a_ps_that_is_lost_between_many_steps(cluster, number):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(0, name="v")
        add = tf.assign_add(v, 1)
    session = tf.Session(cluster.target("worker0"))
    session.run(v.initializer)
    steps = 0

    def many():
        nonlocal steps
        while True:
            session.run(add)
            steps += 1

    class Many:
        run = staticmethod(lambda fetch: many())
    step = Step(Many, None)
    wait_until(lambda: steps > 50, "some steps")
    cluster.signal("ps0", number)
    lost = time.monotonic()
    step.join()
    assert isinstance(step.error, LOST), step.error
    assert step.ended - lost < IN_TIME
    cluster.end("ps0")
    # Until it is back, steps that use it fail, and others work.
    with pytest.raises(tf.errors.UnavailableError):
        session.run(add)
    with tf.device("/job:worker/task:1"):
        assert session.run(tf.constant(2) + 3) == 5
    cluster.start("ps0")

    def aborted():
        try:
            session.run(add)
        except tf.errors.UnavailableError:
            return False
        except tf.errors.AbortedError as error:
            assert "restarted" in str(error)
            return True
        raise AssertionError("the session went on with a task that knows nothing of it")
    wait_until(aborted, "AbortedError")
    check_fresh_session(cluster)


def test_a_task_that_is_stopped_briefly_continues(cluster):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(5, name="v")
    with tf.Session(cluster.target("worker0")) as session:
        session.run(v.initializer)
        cluster.signal("ps0", signal.SIGSTOP)
        step = Step(session, v)
        time.sleep(PEER_TIMEOUT / 4)  # the length of the silence
        cluster.signal("ps0", signal.SIGCONT)
        assert step.join().value == 5, step.error


def test_a_client_that_is_gone_ends_its_steps(cluster):
    count = Ticks().watch(cluster)
    client = run_program(f"tf.Session({cluster.target('worker0')!r}).run(Ticks().forever)")
    wait_until(lambda: count() > 5, "the client's step")
    client.kill()
    client.wait(PATIENCE)
    wait_for_silence(count)
    check_fresh_session(cluster)


def test_cancellation_reaches_another_task(cluster):
    ticks = Ticks()
    count = ticks.watch(cluster)
    session = tf.Session(cluster.target("worker0"))
    with pytest.raises(tf.errors.DeadlineExceededError):
        session.run(ticks.forever, options=tf.RunOptions(timeout_in_ms=1000))
    wait_for_silence(count)
    before = count()
    step = Step(session, ticks.forever)
    wait_until(lambda: count() > before, "the second step")
    session.close()  # from another thread than the one that runs the step
    assert isinstance(step.join().error, tf.errors.CancelledError), step.error
    wait_for_silence(count)
    check_fresh_session(cluster)


def test_ctrl_c_cancels_the_step_and_is_a_keyboard_interrupt(cluster):
    count = Ticks().watch(cluster)
    client = run_program(f"""
session = tf.Session({cluster.target("worker0")!r})
forever = Ticks().forever
try:
    session.run(forever)
except KeyboardInterrupt:
    print("interrupted", session.run(tf.constant(7)), flush=True)
""")
    wait_until(lambda: count() > 5, "the client's step")
    client.send_signal(signal.SIGINT)
    out, _ = client.communicate(timeout=PATIENCE)
    assert out == "interrupted 7\n" and client.returncode == 0
    wait_for_silence(count)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_in_join_lets_the_running_step_end(cluster, number):
    gate = Gate(cluster.target("worker1"), device_of("worker1"))
    waiting = gate.wait()
    with tf.device(PS):
        tripled = waiting * 3.0
        other = tf.constant(1.0) + 1.0
    with tf.Session(cluster.target("worker0")) as session, tf.Session(cluster.target("worker1")) as second:
        assert second.run(other) == 2.0
        step = Step(session, tripled)
        gate.wait_for_step()
        cluster.signal("ps0", number)

        def refuses():  # while the running step continues
            try:
                second.run(other)
            except tf.errors.UnavailableError:
                return True
            return False
        wait_until(refuses, "the signal's effect")
        assert cluster.running["ps0"].poll() is None and step.thread.is_alive()
        gate.open(2.0)
        assert step.join().value == 6.0, step.error
        assert cluster.running["ps0"].wait(PATIENCE) == 0, cluster.said()
    cluster.end("ps0")
    cluster.start("ps0")  # on the same port
    check_fresh_session(cluster)


@pytest.fixture
def namespaces():
    """Two network namespaces, as command prefixes, connected by a third one that forwards packets or drops them."""
    if os.getuid() != 0 or shutil.which("ip") is None:
        pytest.skip("network namespaces need root and the program `ip`")
    names = [f"weir{os.getpid()}{letter}" for letter in "amb"]
    left, middle, right = names

    def ip(*words, check=True):
        return subprocess.run(["ip", *words], check=check, capture_output=True, text=True)
    try:
        try:
            for name in names:
                ip("netns", "add", name)
                ip("-n", name, "link", "set", "lo", "up")
            for number, end in ((1, left), (2, right)):
                ip("link", "add", "weir", "netns", end, "type", "veth", "peer", "name", f"weir{number}", "netns", middle)
                ip("-n", end, "addr", "add", f"10.213.{number}.2/24", "dev", "weir")
                ip("-n", middle, "addr", "add", f"10.213.{number}.1/24", "dev", f"weir{number}")
                ip("-n", end, "link", "set", "weir", "up")
                ip("-n", middle, "link", "set", f"weir{number}", "up")
                ip("-n", end, "route", "add", "default", "via", f"10.213.{number}.1")
        except subprocess.CalledProcessError as error:
            pytest.skip(f"no network namespaces here: {error.stderr.strip()}")

        def forward(on):
            subprocess.run(["ip", "netns", "exec", middle, "sh", "-c", f"echo {int(on)} > /proc/sys/net/ipv4/ip_forward"],
                           check=True)
        forward(True)
        yield {"left": ["ip", "netns", "exec", left], "right": ["ip", "netns", "exec", right], "forward": forward}
    finally:
        for name in names:
            ip("netns", "del", name, check=False)


@pytest.mark.parametrize("transport", ["auto", "auto+ucx"])
def test_a_network_that_is_cut(namespaces, monkeypatch, transport):
    """The client and its worker are on one side, the ps on the other. The client prints how its steps end."""
    monkeypatch.setenv("WEIR_TRANSPORT", transport)
    where = {"ps0": namespaces["right"], "worker0": namespaces["left"]}
    with Cluster(run_in=where, ps=["10.213.2.2:2222"], worker=["10.213.1.2:2222"]) as cluster:
        client = run_program(f"""
import time
target = {cluster.target("worker0")!r}
gate = Gate(target, PS)
print("gate", flush=True)
input()
step = Step(tf.Session(target), gate.wait())
gate.wait_for_step()
print("inside", flush=True)
input()
begin = time.monotonic()
step.join()
assert "/job:ps/replica:0/task:0" in str(step.error) and "10.213.2.2:2222" in str(step.error), step.error
print(type(step.error).__name__, time.monotonic() - begin, flush=True)
input()
gate.open(0.5)
print(run_apart(target, gate.wait), flush=True)
""", namespaces["left"])
        try:
            assert client.stdout.readline() == "gate\n", cluster.said()
            if transport == "auto+ucx":
                wait_until(lambda: f"using UCX for calls to {cluster.jobs['ps'][0]}" in cluster.said(), "UCX")
            print(file=client.stdin, flush=True)
            assert client.stdout.readline() == "inside\n", cluster.said()
            namespaces["forward"](False)
            print(file=client.stdin, flush=True)
            name, seconds = client.stdout.readline().split() or ["nothing", "0"]
            assert name == "UnavailableError", cluster.said()
            assert float(seconds) < IN_TIME
            namespaces["forward"](True)
            out, _ = client.communicate("\n", timeout=PATIENCE)
            assert out == "0.5\n" and client.returncode == 0, cluster.said()
            assert "UCX is" not in cluster.said() or transport == "auto+ucx", cluster.said()
        finally:
            client.kill()
            client.wait()
