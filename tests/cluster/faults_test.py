"""Tasks that are killed, stopped, restarted or cut off in the middle of a step. The client has its error in time, and a
new session works."""
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest

import weir as tf
from processes import PATIENCE, PEER_TIMEOUT, Cluster, free_address, wait_until

pytestmark = pytest.mark.slow

raw = tf.raw_ops
LOST = (tf.errors.UnavailableError, tf.errors.AbortedError)
IN_TIME = 2 * PEER_TIMEOUT + 3  # a ping, its timeout, and what a busy machine adds


@pytest.fixture
def cluster():
    with Cluster(ps=[free_address()], worker=[free_address(), free_address()]) as made:
        yield made


def sleep_on(device, seconds):
    with tf.device(device):
        return raw.PyFunc(input=[tf.constant(seconds)], token="pyfunc_0", Tout=[tf.float32])[0]


def ticking(device, path):
    """A loop that never ends and writes to a file on its way."""
    def body(i):
        with tf.device(device):
            done = raw.PyFunc(input=[tf.constant(str(path))], token="pyfunc_1", Tout=[tf.int32])[0]
        return i + 1 + tf.reshape(done, tf.constant([], tf.int32))
    return tf.while_loop(lambda i: i >= 0, body, [tf.constant(0)])


class Step:
    """A step on its way, on a thread."""

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
    on = f"/job:{victim[:-1]}/task:{victim[-1]}"
    # worker0 is the session's master: with it the client loses everything.
    fetch = sleep_on(on if victim != "worker0" else "/job:ps/task:0", 600.0) + 1.0
    session = tf.Session(cluster.target("worker0"))
    session.run(tf.constant(1.0))
    step = Step(session, fetch)
    time.sleep(1)
    cluster.signal(victim, number)
    lost = time.monotonic()
    step.join()
    assert isinstance(step.error, LOST), step.error
    assert cluster.target(victim)[len("grpc://"):] in str(step.error)
    assert step.ended - lost < (IN_TIME if number == signal.SIGSTOP else PEER_TIMEOUT), step.error
    closer = threading.Thread(target=session.close, daemon=True)  # of a session whose master may not answer
    cluster.end(victim)
    closer.start()
    cluster.start(victim)
    check_fresh_session(cluster)
    closer.join(PATIENCE)
    assert not closer.is_alive()


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
    # Until it is there again, steps that use it fail, and others do not.
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


def test_a_task_that_was_stopped_for_a_moment_goes_on(cluster):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(5, name="v")
    with tf.Session(cluster.target("worker0")) as session:
        session.run(v.initializer)
        cluster.signal("ps0", signal.SIGSTOP)
        step = Step(session, v)
        time.sleep(PEER_TIMEOUT / 4)
        cluster.signal("ps0", signal.SIGCONT)
        assert step.join().value == 5, step.error


def test_a_client_that_is_gone_ends_its_steps(cluster, tmp_path):
    path = tmp_path / "ticks"
    program = f"""
import weir as tf, processes, faults_test
processes.functions()
faults_test.tf.Session({cluster.target("worker0")!r}).run(faults_test.ticking("/job:ps/task:0", {str(path)!r}))
"""
    client = subprocess.Popen([sys.executable, "-c", program])
    wait_until(lambda: path.exists() and path.stat().st_size > 5, "the client's step")
    client.kill()
    client.wait(PATIENCE)
    expect_silence(path)
    check_fresh_session(cluster)


def expect_silence(path):
    """The loop that writes there ends soon, and stays ended."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        before = path.stat().st_size
        time.sleep(1)
        if path.stat().st_size == before:
            return
    raise AssertionError("the step goes on")


def test_cancellation_reaches_another_task(cluster, tmp_path):
    path = tmp_path / "ticks"
    fetch = ticking("/job:ps/task:0", path)
    session = tf.Session(cluster.target("worker0"))
    with pytest.raises(tf.errors.DeadlineExceededError):
        session.run(fetch, options=tf.RunOptions(timeout_in_ms=1000))
    expect_silence(path)
    written = path.stat().st_size
    step = Step(session, fetch)
    wait_until(lambda: path.stat().st_size > written, "the second step")
    session.close()  # from another thread than the one that runs it
    assert isinstance(step.join().error, tf.errors.CancelledError), step.error
    expect_silence(path)
    check_fresh_session(cluster)


def test_ctrl_c_cancels_the_step_and_is_a_keyboard_interrupt(cluster, tmp_path):
    path = tmp_path / "ticks"
    program = f"""
import weir as tf, processes, faults_test
processes.functions()
session = tf.Session({cluster.target("worker0")!r})
fetch = faults_test.ticking("/job:ps/task:0", {str(path)!r})
try:
    session.run(fetch)
except KeyboardInterrupt:
    print("interrupted", session.run(tf.constant(7)), flush=True)
"""
    client = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True,
                              preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    wait_until(lambda: path.exists() and path.stat().st_size > 5, "the client's step")
    client.send_signal(signal.SIGINT)
    out, _ = client.communicate(timeout=PATIENCE)
    assert out == "interrupted 7\n" and client.returncode == 0
    expect_silence(path)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_in_join_lets_the_running_step_end(cluster, number):
    with tf.Session(cluster.target("worker0")) as session:
        session.run(tf.constant(1.0))
        step = Step(session, sleep_on("/job:ps/task:0", 1.5))
        time.sleep(0.7)
        cluster.signal("ps0", number)
        assert step.join().value == 1.5, step.error
        assert cluster.running["ps0"].wait(PATIENCE) == 0, cluster.said()
        with pytest.raises(tf.errors.UnavailableError):
            session.run(sleep_on("/job:ps/task:0", 0.0))


@pytest.fixture
def namespaces():
    """Two network namespaces, as words that commands begin with, with a third between them that forwards, or does not."""
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


def test_a_network_that_is_cut(namespaces):
    """The client and its worker on one side, the ps on the other. The client prints how its steps end."""
    where = {"ps0": namespaces["right"], "worker0": namespaces["left"]}
    with Cluster(run_in=where, ps=["10.213.2.2:2222"], worker=["10.213.1.2:2222"]) as cluster:
        program = f"""
import time
import weir as tf, processes, faults_test
processes.functions()
session = tf.Session({cluster.target("worker0")!r})
assert session.run(faults_test.sleep_on("/job:ps/task:0", 0.0)) == 0.0
waiting = faults_test.sleep_on("/job:ps/task:0", 600.0)
print("step", flush=True)
begin = time.monotonic()
try:
    session.run(waiting)
except tf.errors.UnavailableError as error:
    print("unavailable", time.monotonic() - begin, flush=True)
input()
with tf.Session({cluster.target("worker0")!r}) as fresh:
    print(fresh.run(faults_test.sleep_on("/job:ps/task:0", 0.5)), flush=True)
"""
        client = subprocess.Popen([*namespaces["left"], sys.executable, "-c", program], text=True,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            assert client.stdout.readline() == "step\n", cluster.said()
            time.sleep(1)
            namespaces["forward"](False)
            words = client.stdout.readline().split()
            assert words[:1] == ["unavailable"], (words, cluster.said())
            assert float(words[1]) < 1 + IN_TIME
            namespaces["forward"](True)
            out, _ = client.communicate("\n", timeout=PATIENCE)
            assert out == "0.5\n" and client.returncode == 0, cluster.said()
        finally:
            client.kill()
            client.wait()
