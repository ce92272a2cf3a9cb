"""Tests of `weir up`: flags and TF_CONFIG of its tasks, their output, and shutdown."""
import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import time

import pytest

WEIR = pathlib.Path(os.environ.get("WEIR_BUILD", "build")).resolve() / "weir"
PATIENCE = 60  # timeout in seconds; nothing here takes more than a few

# The start of every script in these tests: finds out its task.
HEAD = """
import os, signal, sys, time
flags = dict(a[2:].split("=", 1) for a in sys.argv[1:] if a.startswith("--") and "=" in a)
task = flags["job_name"] + flags["task_index"]
def note(name, text=""):
    with open(os.path.join(os.path.dirname(sys.argv[0]), name + ".part"), "w") as f:
        f.write(str(text))
    os.rename(f.name, f.name[:-5])
note(task + ".pid", os.getpid())
"""


@pytest.fixture
def script(tmp_path):
    def write(body):
        path = tmp_path / "script.py"
        path.write_text(HEAD + body)
        return path
    return write


def start(*arguments, **options):
    # In a background job SIGINT may be ignored, which children would inherit.
    options = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) | options
    return subprocess.Popen([WEIR, "up", *map(str, arguments)], **options)


def finish(process):
    out, error = process.communicate(timeout=PATIENCE)
    return process.returncode, out.decode(), (error or b"").decode()


def up(*arguments, **options):
    return finish(start(*arguments, **options))


def wait_for(condition):
    deadline = time.time() + PATIENCE
    while not condition():
        assert time.time() < deadline, "waited in vain"
        time.sleep(0.01)


def wait_for_files(folder, *names):
    wait_for(lambda: all((folder / name).exists() for name in names))


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def pids_in(folder):
    return [int(file.read_text()) for file in folder.glob("*.pid")]


def assert_nothing_left(folder, count):
    assert len(pids_in(folder)) == count
    assert not [pid for pid in pids_in(folder) if is_running(pid)]


# --- flags and TF_CONFIG ----------------------------------------------------------------------------------------------
def test_flags_and_config(script):
    path = script("""
import json
print(json.dumps([sys.argv[1:], json.loads(os.environ["TF_CONFIG"])]))
""")
    given = ["--x=1", "plain", "a b", "", "-h", "--help", "run", "--ps", "7", "--"]
    status, out, error = up(path, "--ps", 2, "--workers", 3, "--", *given)
    assert status == 0, error
    tasks = {}
    for line in out.splitlines():
        name, text = re.fullmatch(r"\[(\w+/\d)\] (.*)", line).groups()
        tasks[name] = json.loads(text)
    workers = [f"worker/{i}" for i in range(3)]
    # Parameter servers may be stopped before they print.
    assert set(workers) <= set(tasks) <= {"ps/0", "ps/1", *workers}
    for name, (argv, config) in tasks.items():
        job, index = name.split("/")
        assert argv[:len(given)] == given
        flags = dict(a.split("=", 1) for a in argv[len(given):])
        assert list(flags) == ["--ps_hosts", "--worker_hosts", "--job_name", "--task_index"]
        assert flags["--job_name"] == job and flags["--task_index"] == index
        cluster = {"ps": flags["--ps_hosts"].split(","), "worker": flags["--worker_hosts"].split(",")}
        assert config == {"cluster": cluster, "task": {"type": job, "index": int(index)}}
        assert config["cluster"] == tasks["worker/0"][1]["cluster"]
    cluster = tasks["worker/0"][1]["cluster"]
    assert (len(cluster["ps"]), len(cluster["worker"])) == (2, 3)
    addresses = cluster["ps"] + cluster["worker"]
    assert all(re.fullmatch(r"localhost:\d+", address) for address in addresses) and len(set(addresses)) == 5
    assert ",".join(cluster["ps"]) in error and ",".join(cluster["worker"]) in error


def test_no_flags_for_a_program_that_takes_none(tmp_path):
    """The program reads TF_CONFIG, and its parser exits at an unknown flag."""
    program = tmp_path / "strict.py"
    program.write_text("""import argparse, json, os
parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int)
print(parser.parse_args().steps, json.loads(os.environ["TF_CONFIG"])["task"]["type"])
""")
    status, _, error = up(program, "--ps", 0, "--", "--steps=3")
    assert status == 2 and "unrecognized arguments: --ps_hosts=" in error
    for order in ([program, "--ps", 0, "--no_flags"], ["--no_flags", "--ps", 0, program]):
        assert up(*order, "--", "--steps=3")[:2] == (0, "[worker/0] 3 worker\n")
    # After "--" the flag is passed to the program.
    assert up("/bin/echo", "--ps", 0, "--no_flags", "--", "--no_flags")[:2] == (0, "[worker/0] --no_flags\n")


def without_names():
    """Returns a command prefix that disables name resolution. Skips the test if the system does not allow that."""
    script = 'for file in /etc/hosts /etc/resolv.conf; do [ ! -e $file ] || mount --bind /dev/null $file; done; exec "$@"'
    command = ["unshare", "--mount", "--map-root-user", "sh", "-euc", script, "sh"]
    try:
        done = subprocess.run([*command, "true"], capture_output=True)
    except FileNotFoundError:
        pytest.skip("there is no unshare")
    if done.returncode:
        pytest.skip(f"no mount namespace can be made: {done.stderr}")
    return command


@pytest.mark.parametrize("transport", ["", "grpc"])
@pytest.mark.parametrize("name", ["localhost", "LocalHost", "a.localhost"])
def test_localhost_needs_no_resolver(tmp_path, name, transport):
    program = tmp_path / "program.py"
    program.write_text(f"""import json, os, time
import weir as tf
config = json.loads(os.environ["TF_CONFIG"])
cluster = {{job: [a.replace("localhost", {name!r}) for a in addresses] for job, addresses in config["cluster"].items()}}
server = tf.train.Server(cluster, job_name=config["task"]["type"], task_index=config["task"]["index"])
if config["task"]["type"] == "ps":
    server.join()
with tf.device("/job:ps/task:0"):
    x = tf.constant(20)
    ended = tf.FIFOQueue(2, tf.int32, shared_name="ended")
    ends, count = ended.enqueue(1), ended.size()
with tf.device("/job:worker/task:1"):
    y = x + 22
sess = tf.Session(server.target)
print(sess.run(y), tf.Session("grpc://" + cluster["ps"][0]).run(y))
sess.run(ends)
while sess.run(count) < 2:  # neither worker ends before the other has asked it
    time.sleep(0.01)
""")
    command = [*without_names(), WEIR, "up", program, "--no_flags", "--ps", "1", "--workers", "2"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=PATIENCE,
                          env=os.environ | ({"WEIR_TRANSPORT": transport} if transport else {}))
    assert done.returncode == 0 and sorted(done.stdout.splitlines()) == ["[worker/0] 42 42", "[worker/1] 42 42"], done.stdout + done.stderr


def test_ports_are_free(script):
    path = script("""
import socket
for address in flags["worker_hosts"].split(","):
    s = socket.socket()
    s.bind(("127.0.0.1", int(address.split(":")[1])))
    s.close()
""")
    assert up(path, "--ps", 0, "--workers", 1)[0] == 0


def test_no_parameter_servers(script):
    path = script("import json\nprint(sys.argv[1], *json.loads(os.environ['TF_CONFIG'])['cluster'])")
    status, out, _ = up("--ps", "0", path)
    assert (status, out) == (0, "[worker/0] --ps_hosts= worker\n")


def test_programs_that_are_not_python(tmp_path):
    shell = tmp_path / "task"
    shell.write_text("#!/bin/sh\necho $TF_CONFIG | tr -d ' ' | grep -o '\"type\":\"worker\"'\necho \"$1\"\n")
    shell.chmod(0o755)
    status, out, error = up("./task", "--ps", 0, "--", "a b", cwd=tmp_path)
    assert (status, out) == (0, '[worker/0] "type":"worker"\n[worker/0] a b\n'), error
    status, out, _ = up("/bin/echo", "--ps", 0, "--", "a b")  # a binary
    assert status == 0 and out.startswith("[worker/0] a b --ps_hosts= --worker_hosts=localhost:")
    shell.chmod(0o644)
    status, _, error = up(shell, "--ps", 0)
    assert status == 127 and f"cannot start {shell}: Permission denied" in error


def test_help_and_wrong_calls(tmp_path):
    status, out, _ = up("--help")
    assert status == 0 and "weir up train.py --ps 1 --workers 2 -- --steps=1000" in out
    status, out, error = up(tmp_path / "none.py")
    assert status == 2 and f"file '{tmp_path}/none.py' not found" in error
    for wrong in (["--workers", "0"], ["--ps", "-1"], ["--ps", "many"], ["--unknown"]):
        status, out, error = up(tmp_path, *wrong)
        assert status != 0 and wrong[0] in error


# --- output -----------------------------------------------------------------------------------------------------------
def test_lines_are_whole_and_prefixed(script):
    path = script("""
for i in range(100):
    os.write(1, b"out %d: " % i)
    os.write(2, b"error %d\\n" % i)
    os.write(1, b"x" * 100 + b"\\n")
os.write(1, b"\\n\\xff\\x00 bytes\\nno end")
""")
    process = start(path, "--ps", 0, "--workers", 2)
    out, error = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    for worker in (b"[worker/0] ", b"[worker/1] "):
        mine = [line[len(worker):] for line in out.split(b"\n") if line.startswith(worker)]
        assert mine == [b"out %d: " % i + b"x" * 100 for i in range(100)] + [b"", b"\xff\x00 bytes", b"no end"]
        assert [line for line in error.split(b"\n") if line.startswith(worker)] == [worker + b"error %d" % i for i in range(100)]
    assert out.endswith(b"no end\n") and len(out.splitlines()) == 206


def test_lines_come_when_they_are_printed(script):
    path = script("print('now')\ntime.sleep(600)")
    process = start(path, "--ps", 0)
    assert process.stdout.readline() == b"[worker/0] now\n"
    process.send_signal(signal.SIGTERM)
    assert finish(process)[0] == 128 + signal.SIGTERM


def test_much_output(script):
    path = script("""
for i in range(20000):
    print(i, "x" * 200)
os.write(1, b"y" * 200000)
""")
    status, out, _ = up(path, "--ps", 0, "--workers", 2)
    assert status == 0
    for worker in ("[worker/0] ", "[worker/1] "):
        mine = [line[len(worker):] for line in out.splitlines() if line.startswith(worker)]
        assert mine[:20000] == [f"{i} " + "x" * 200 for i in range(20000)]
        assert "".join(mine[20000:]) == "y" * 200000 and max(map(len, mine)) <= 65536


def test_lines_of_both_streams_keep_their_order(script, tmp_path):
    """A line that a task writes after its previous line was printed is printed after that line, even on another
    stream."""
    path = script("""
for i in range(20):
    print("line", i, file=sys.stderr if i % 2 else sys.stdout)
    while not os.path.exists(os.path.join(os.path.dirname(sys.argv[0]), f"seen{i}")):
        time.sleep(0.001)
""")
    process = start(path, "--ps", 0, stderr=subprocess.STDOUT)
    assert process.stdout.readline().startswith(b"weir: ")
    for i in range(20):
        assert process.stdout.readline() == b"[worker/0] line %d\n" % i
        (tmp_path / f"seen{i}").touch()
    assert finish(process)[:2] == (0, "")


def test_colours_on_a_terminal(script):
    path = script("print('hello')")

    def run(**environment):
        terminal, end = pty.openpty()
        process = start(path, "--ps", 0, "--workers", 2, stdout=end, stderr=end, env=os.environ | {"TERM": "xterm"} | environment)
        os.close(end)
        text = b""
        try:
            while piece := os.read(terminal, 4096):
                text += piece
        except OSError:  # the other end was closed
            pass
        os.close(terminal)
        assert process.wait(PATIENCE) == 0
        return sorted(line for line in text.decode().replace("\r\n", "\n").splitlines() if "hello" in line)

    lines = run()
    found = [re.fullmatch(r"\x1b\[(\d+)m\[worker/(\d)\]\x1b\[0m hello", line).groups() for line in lines]
    assert sorted(task for _, task in found) == ["0", "1"] and len({colour for colour, _ in found}) == 2
    assert run(NO_COLOR="1") == ["[worker/0] hello", "[worker/1] hello"]


def test_reader_that_has_gone(script, tmp_path):
    path = script("""
while True:
    print("x" * 1000)
""")
    process = start(path, "--ps", 1, "--workers", 2)
    wait_for_files(tmp_path, "ps0.pid", "worker0.pid", "worker1.pid")
    process.stdout.read(10)
    process.stdout.close()
    process.stderr.close()
    assert process.wait(PATIENCE) == 128 + signal.SIGPIPE
    assert_nothing_left(tmp_path, 3)


def test_reader_that_is_slow(script, tmp_path):
    """If the output is not read, tasks block in print, and Ctrl-C still works."""
    path = script("""
for i in range(100000):
    print("x" * 1000)
    note(task + ".count", i)
note("never")
""")
    process = start(path, "--ps", 0, "--grace", 0.2)
    count = tmp_path / "worker0.count"
    wait_for_files(tmp_path, count.name)
    seen = None
    while seen != (seen := count.read_text()):
        time.sleep(0.3)
    assert int(seen) < 10000
    process.send_signal(signal.SIGINT)
    wait_for(lambda: not any(map(is_running, pids_in(tmp_path))))
    process.send_signal(signal.SIGINT)  # discards the pending output
    assert process.wait(PATIENCE) == 128 + signal.SIGINT
    process.communicate()


# --- shutdown ---------------------------------------------------------------------------------------------------------
def test_parameter_servers_end_with_the_workers(script, tmp_path):
    path = script("""
if task.startswith("ps"):
    def stop(*_):
        print("asked to end")
        sys.exit(7)
    signal.signal(signal.SIGTERM, stop)
    note(task + ".ready")
    time.sleep(600)
while not all(os.path.exists(os.path.join(os.path.dirname(sys.argv[0]), f"ps{i}.ready")) for i in range(2)):
    time.sleep(0.01)
print("done")
""")
    status, out, error = up(path, "--ps", 2, "--workers", 2)
    assert status == 0, error
    assert sorted(out.splitlines()) == ["[ps/0] asked to end", "[ps/1] asked to end", "[worker/0] done", "[worker/1] done"]
    assert_nothing_left(tmp_path, 4)


def test_parameter_server_that_will_not_end(script, tmp_path):
    path = script("""
if task == "ps0":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    note("ready")
    time.sleep(600)
while not os.path.exists(os.path.join(os.path.dirname(sys.argv[0]), "ready")):
    time.sleep(0.01)
""")
    status, out, error = up(path, "--grace", 0.2)
    assert status == 0 and "ps/0 did not end within 0.2 s; killing it" in error
    assert_nothing_left(tmp_path, 2)


def test_parameter_server_that_ends_by_itself(script):
    path = script("""
if task == "ps0":
    note("gone")
else:
    while not os.path.exists(os.path.join(os.path.dirname(sys.argv[0]), "gone")):
        time.sleep(0.01)
    time.sleep(0.2)
    print("done")
""")
    status, out, _ = up(path)
    assert (status, out) == (0, "[worker/0] done\n")


FAILS = """
others = [name for name in ("ps0", "worker0", "worker1") if name != FAILING]
if task != FAILING:
    note(task + ".ready")
    time.sleep(600)
while not all(os.path.exists(os.path.join(os.path.dirname(sys.argv[0]), name + ".ready")) for name in others):
    time.sleep(0.01)
"""


@pytest.mark.parametrize("failing, how, status, message", [
    ("worker1", "sys.exit(3)", 3, "worker/1 failed with status 3; stopping the other tasks"),
    ("worker0", "raise ValueError('wrong')", 1, "worker/0 failed with status 1; stopping the other tasks"),
    ("ps0", "sys.exit(4)", 4, "ps/0 failed with status 4; stopping the other tasks"),
    ("worker0", "os.kill(os.getpid(), signal.SIGKILL)", 137, "worker/0 was killed by signal 9 (Killed); stopping the other tasks"),
])
def test_a_failure_ends_the_rest(script, tmp_path, failing, how, status, message):
    path = script(FAILS.replace("FAILING", repr(failing)) + how)
    found, _, error = up(path, "--workers", 2)
    assert found == status and f"weir: {message}\n" in error
    if "ValueError" in how:
        assert "[worker/0] ValueError: wrong\n" in error
    assert_nothing_left(tmp_path, 3)


DIES = """
starts = os.path.join(os.path.dirname(sys.argv[0]), "starts." + task)
with open(starts, "a") as f:
    f.write(os.environ["TF_CONFIG"] + "\\n")
count = len(open(starts).readlines())
print("start", count)
if task == "ps0" and count == 1:
    os.kill(os.getpid(), signal.SIGKILL)
if task == "ps0":
    time.sleep(600)
if task == "worker0" and count <= FAILURES:
    sys.exit(3)
while len(open(starts.replace(task, "ps0")).readlines()) < 2:
    time.sleep(0.01)  # the job ends with this task
print("done")
"""


def test_a_task_that_dies_is_started_again_at_its_address(script, tmp_path):
    found, output, error = up(script(DIES.replace("FAILURES", "2")), "--restarts", 2)
    assert found == 0, error
    assert "weir: ps/0 was killed by signal 9 (Killed); starting it again (1 of 2)\n" in error
    assert "weir: worker/0 failed with status 3; starting it again (2 of 2)\n" in error
    for task, starts in [("ps0", 2), ("worker0", 3)]:
        configs = (tmp_path / f"starts.{task}").read_text().splitlines()
        assert len(configs) == starts and len(set(configs)) == 1


def test_a_task_that_dies_too_often_ends_the_rest(script, tmp_path):
    found, _, error = up(script(DIES.replace("FAILURES", "9")), "--restarts", 2)
    assert found == 3 and "weir: worker/0 failed with status 3; stopping the other tasks\n" in error
    assert len((tmp_path / "starts.worker0").read_text().splitlines()) == 3


def test_ctrl_c(script, tmp_path):
    """Workers get the signal; parameter servers stay up until the workers have cleaned up."""
    path = script("""
if task == "ps0":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ps asked to end"))
note(task + ".ready")
try:
    time.sleep(600)
except KeyboardInterrupt:
    time.sleep(0.3)
    pid = int(open(os.path.join(os.path.dirname(sys.argv[0]), "ps0.pid")).read())
    os.kill(pid, 0)
    print("saved")
""")
    process = start(path, "--workers", 2)
    wait_for_files(tmp_path, "ps0.ready", "worker0.ready", "worker1.ready")
    process.send_signal(signal.SIGINT)
    status, out, error = finish(process)
    assert status == 128 + signal.SIGINT
    assert sorted(out.splitlines()) == ["[worker/0] saved", "[worker/1] saved"]
    assert "[ps/0] ps asked to end\n" in error and "failed" not in error
    assert_nothing_left(tmp_path, 3)


def test_ctrl_c_twice(script, tmp_path):
    path = script("""
signal.signal(signal.SIGINT, lambda *_: note(task + ".asked"))
note(task + ".ready")
while True:
    time.sleep(600)
""")
    process = start(path, "--workers", 2, "--grace", 1000)
    wait_for_files(tmp_path, "ps0.ready", "worker0.ready", "worker1.ready")
    process.send_signal(signal.SIGINT)
    wait_for_files(tmp_path, "worker0.asked", "worker1.asked")
    process.send_signal(signal.SIGINT)
    assert finish(process)[0] == 128 + signal.SIGINT
    assert_nothing_left(tmp_path, 3)


# A task that has child processes, in its process group.
WITH_CHILDREN = """
import subprocess
child = subprocess.Popen(["/bin/sleep", "600"], stdout=subprocess.DEVNULL)
note(task + "_child.pid", child.pid)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_nothing_is_left_behind(script, tmp_path, number):
    path = script(WITH_CHILDREN + "note(task + '.ready')\ntime.sleep(600)\n")
    process = start(path, "--workers", 2)
    wait_for_files(tmp_path, "ps0.ready", "worker0.ready", "worker1.ready")
    process.send_signal(number)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == (-number if number == signal.SIGKILL else 128 + number)
    assert len(pids_in(tmp_path)) == 6
    wait_for(lambda: not any(map(is_running, pids_in(tmp_path))))


def test_children_of_a_task_end_with_it(script, tmp_path):
    path = script(WITH_CHILDREN)
    status, _, error = up(path, "--ps", 0, "--workers", 2)
    assert status == 0, error
    assert len(pids_in(tmp_path)) == 4
    wait_for(lambda: not any(map(is_running, pids_in(tmp_path))))


def test_stopped_tasks_are_ended_too(script, tmp_path):
    path = script("note(task + '.ready')\nos.kill(os.getpid(), signal.SIGSTOP)\n")
    process = start(path, "--grace", 0.3)
    wait_for_files(tmp_path, "ps0.ready", "worker0.ready")
    process.send_signal(signal.SIGTERM)
    assert finish(process)[0] == 128 + signal.SIGTERM
    assert_nothing_left(tmp_path, 2)
