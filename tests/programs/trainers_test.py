"""Runs trainers on clusters of processes: published ones, unmodified, and those of examples/ in C++. They write to
fixed paths, so each process gets its own /tmp and /opt. The clusters use free addresses."""
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

import pytest

from free_addresses import free_addresses

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WEIR_BUILD", ROOT / "build")).resolve()
PUBLISHED = ROOT.parent / "shared/programs"
PATIENCE = 300

pytestmark = pytest.mark.slow
published = pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published programs are not beside the repository")


def scratch(path, kept=(ROOT, BUILD, PUBLISHED.resolve())):
    """Returns a command prefix that mounts a private /tmp and /opt, in which the folders of `kept` remain visible."""
    folders, roots = [], []
    for root in (pathlib.Path("/tmp"), pathlib.Path("/opt")):
        own = path / root.name
        own.mkdir(exist_ok=True)
        roots.append((own, root))
        for folder in kept:
            if folder.is_dir() and folder.is_relative_to(root):
                place = own / folder.relative_to(root)
                place.mkdir(parents=True, exist_ok=True)
                folders.append((folder, place))
    roots.sort(key=lambda pair: path.is_relative_to(pair[1]))  # the mount that hides `path` comes last
    script = " && ".join(shlex.join(["mount", "--rbind", str(source), str(place)]) for source, place in folders + roots)
    return ["unshare", "--mount", "--map-root-user", "sh", "-c", script + ' && exec "$@"', "sh"]


@pytest.fixture(scope="module")
def can_mount(tmp_path_factory):
    try:
        done = subprocess.run([*scratch(tmp_path_factory.mktemp("mount")), "true"], capture_output=True)
    except FileNotFoundError:
        pytest.skip("there is no unshare")
    if done.returncode:
        pytest.skip(f"no mount namespace can be made: {done.stderr}")


@pytest.mark.parametrize("root", ["/tmp", "/opt"])
def test_scratch_folders_leave_a_checkout_below_them_in_place(can_mount, tmp_path, root):
    checkout = pathlib.Path(root) / f"weir checkout {os.getpid()}"
    try:
        checkout.mkdir()
    except PermissionError:
        pytest.skip(f"no permission to write to {root}")
    try:
        (checkout / "program").write_text("here")
        script = 'cat "$1" && touch /tmp/a /opt/b && ls -A /tmp /opt'
        done = subprocess.run([*scratch(tmp_path, kept=(checkout,)), "sh", "-c", script, "sh", checkout / "program"],
                              capture_output=True, text=True)
    finally:
        shutil.rmtree(checkout)
    names = {"/tmp": ["a"], "/opt": ["b"]}
    names[root].append(checkout.name)
    expected = "here" + "\n".join(f"{folder}:\n" + "".join(f"{name}\n" for name in sorted(names[folder])) for folder in ("/opt", "/tmp"))
    assert (done.returncode, done.stdout) == (0, expected), done.stderr


class Trainers:
    """The processes of a program, by job and task. `command` takes the flags of a cluster."""

    def __init__(self, command, path, ps, workers):
        self.command, self.path = command, path
        hosts = free_addresses(ps + workers)
        self.flags = [f"--ps_hosts={','.join(hosts[:ps])}", f"--worker_hosts={','.join(hosts[ps:])}"]
        self.running = {}
        for task in range(ps):
            self.start("ps", task)
        for task in range(workers):
            self.start("worker", task)

    def start(self, job, task):
        environment = {name: value for name, value in os.environ.items() if name not in ("TF_CONFIG", "WEIR_LOG")}
        out, err = ((self.path / f"{job}{task}.{kind}").open("a") for kind in ("out", "err"))
        with out, err:
            self.running[job, task] = subprocess.Popen(
                [*scratch(self.path), *self.command, *self.flags, f"--job_name={job}", f"--task_index={task}"],
                cwd=self.path, env={**environment, "PYTHONUNBUFFERED": "1"}, stdout=out, stderr=err,
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))

    def said(self, job, task, kind="out"):
        return (self.path / f"{job}{task}.{kind}").read_text()

    def wait_until_said(self, job, task, pattern):
        end = time.monotonic() + PATIENCE
        while not (found := re.findall(pattern, self.said(job, task))):
            assert self.running[job, task].poll() is None, self.said(job, task, "err")
            assert time.monotonic() < end, f"{job} {task} never said {pattern}"
            time.sleep(0.05)
        return found

    def finish(self, job, task):
        return self.running.pop((job, task)).wait(PATIENCE)

    def end(self, number, job, task):
        self.running[job, task].send_signal(number)
        return self.finish(job, task)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        for process in self.running.values():
            process.kill()
            process.wait()


@published
def test_linear_regression(can_mount, tmp_path):
    pytest.importorskip("sklearn")
    with Trainers([BUILD / "weir", "run", PUBLISHED / "linear_regression.py"], tmp_path, ps=1, workers=2) as trainers:
        line = r"Partial result from node: (\d), w: (\S+), b0: (\S+)\n"
        for task in (0, 1):
            trainers.wait_until_said("worker", task, line * 40)
        for task in (1, 0):
            assert trainers.end(signal.SIGINT, "worker", task) != 0
            error = trainers.said("worker", task, "err")
            assert error.rstrip().endswith("KeyboardInterrupt"), error
        for task in (0, 1):
            node, w, b = re.findall(line, trainers.said("worker", task))[-1]
            assert int(node) == task
            assert abs(float(w) - 2) < 0.5 and abs(float(b) - 0.2) < 0.3
        logs = tmp_path / "tmp/train_logs"
        assert (logs / "checkpoint").exists() and list(logs.glob("model.ckpt-*.index")) and (logs / "graph.pbtxt").exists()
        assert trainers.end(signal.SIGTERM, "ps", 0) == 0


def test_linear_regression_in_cpp(can_mount, tmp_path):
    command = [BUILD / "examples/cluster_linear_regression"]
    line = r"Partial result from node: (\d), w: (\S+), b: (\S+)\n"
    with Trainers(command, tmp_path, ps=1, workers=2) as trainers:
        for task in (0, 1):
            trainers.wait_until_said("worker", task, line * 5)
        for task in (1, 0):
            assert trainers.end(signal.SIGINT, "worker", task) == 0, trainers.said("worker", task, "err")
            node, w, b = re.findall(line, trainers.said("worker", task))[-1]
            assert int(node) == task
            assert abs(float(w) - 2) < 0.5 and abs(float(b) - 0.2) < 0.3
        assert list((tmp_path / "tmp/train_logs").glob("model.ckpt-*.index"))
        assert trainers.end(signal.SIGTERM, "ps", 0) == 0, trainers.said("ps", 0, "err")


@pytest.mark.parametrize("language", [pytest.param("python", marks=published), "cpp"])
def test_mnist_softmax(can_mount, tmp_path, language):
    pytest.importorskip("sklearn")
    subprocess.run([sys.executable, ROOT / "tools/write_digits", tmp_path / "data"], check=True)
    commands = {"python": [BUILD / "weir", "run", PUBLISHED / "mnist_softmax.py"], "cpp": [BUILD / "examples/cluster_mnist_softmax"]}
    with Trainers(commands[language], tmp_path, ps=2, workers=2) as trainers:
        for task in (0, 1):
            assert trainers.finish("worker", task) == 0, trainers.said("worker", task, "err")
            out = trainers.said("worker", task)
            assert re.match(rf"Cluster job: worker, task_index: {task}, target: grpc://localhost:\d+\n", out)
            assert "done.\n" in out
        assert "accuracy" not in trainers.said("worker", 0)
        assert float(re.search(r"accuracy: (\S+)\n", trainers.said("worker", 1))[1]) > 0.9
        if language == "python":
            steps = [int(n) for task in (0, 1) for n in re.findall(rf"Step (\d+) in task {task}\n", trainers.said("worker", task))]
            assert max(steps) >= 2000
        for task in (0, 1):
            assert trainers.end((signal.SIGTERM, signal.SIGINT)[task], "ps", task) == 0, trainers.said("ps", task, "err")


def wait_for_checkpoint(trainers, folder):
    end = time.monotonic() + PATIENCE
    while not list(folder.glob("model.ckpt-*.index")):
        assert trainers.running["worker", 0].poll() is None, trainers.said("worker", 0, "err")
        assert time.monotonic() < end, f"no checkpoint in {folder}"
        time.sleep(0.05)


def last_step(folder):
    return int(re.search(r'model_checkpoint_path: "[^"]*model\.ckpt-(\d+)"', (folder / "checkpoint").read_text())[1])


@published
def test_trainer_skeleton(can_mount, tmp_path):
    # Fills in what the published program leaves open: a model, and few enough steps for a test.
    text = (PUBLISHED / "trainer_skeleton.py").read_text()
    for old, new in [("      loss = ...\n", "      w = tf.Variable(0.0, name='w')\n      loss = tf.reduce_mean(tf.square(w - tf.random_uniform([8])))\n"),
                     ("last_step=1000000", "last_step=10000")]:
        assert text.count(old) == 1
        text = text.replace(old, new)
    (tmp_path / "tmp").mkdir()  # mounted as /tmp for the program
    (tmp_path / "tmp/trainer.py").write_text(text)
    logs = tmp_path / "tmp/train_logs"
    with Trainers([BUILD / "weir", "run", "/tmp/trainer.py"], tmp_path, ps=1, workers=2) as trainers:
        wait_for_checkpoint(trainers, logs)
        trainers.end(signal.SIGKILL, "ps", 0)
        trainers.start("ps", 0)
        for task in (0, 1):
            assert trainers.finish("worker", task) == 0, trainers.said("worker", task, "err")
        # As in TensorFlow, a worker checks the step number from before its update, so each may run one step too many.
        assert 10000 <= last_step(logs) <= 10002
        # A restarted worker finds that training is finished.
        for task in (0, 1):
            trainers.start("worker", task)
        for task in (0, 1):
            assert trainers.finish("worker", task) == 0, trainers.said("worker", task, "err")
        assert last_step(logs) <= 10005


def test_trainer(can_mount, tmp_path):
    command = [BUILD / "weir", "run", ROOT / "examples/cluster/trainer.py", "--logdir=/tmp/logs"]
    line = r"step (\d+): y = (\S+) x \+ (\S+)\n"
    with Trainers([*command, "--last_step=2000"], tmp_path, ps=2, workers=2) as trainers:
        for task in (0, 1):
            assert trainers.finish("worker", task) == 0, trainers.said("worker", task, "err")
            step, slope, offset = map(float, re.findall(line, trainers.said("worker", task))[-1])
            assert step >= 1990 and abs(slope - 2) < 0.1 and abs(offset - 0.5) < 0.1
    with Trainers([*command, "--last_step=3000"], tmp_path, ps=2, workers=1) as trainers:
        assert trainers.finish("worker", 0) == 0, trainers.said("worker", 0, "err")
    assert 3000 <= last_step(tmp_path / "tmp/logs") <= 3001


def test_workers_that_step_together_outlive_one_that_is_killed(can_mount, tmp_path):
    pytest.importorskip("sklearn")
    subprocess.run([sys.executable, ROOT / "tools/write_digits", tmp_path / "data"], check=True)
    command = [BUILD / "weir", "run", ROOT / "examples/cluster/digits.py", "--data_dir=data", "--logdir=/tmp/logs", "--sync", "--aggregate=2",
               "--steps=1500"]
    with Trainers(command, tmp_path, ps=2, workers=3) as trainers:
        trainers.wait_until_said("worker", 0, r"step +[1-9]\d*")
        trainers.end(signal.SIGKILL, "worker", 2)
        before = len(re.findall(r"step +\d+", trainers.said("worker", 0)))
        trainers.wait_until_said("worker", 0, r"(?:step .*\n){%d}" % (before + 2))
        trainers.start("worker", 2)
        for task in range(3):
            assert trainers.finish("worker", task) == 0, trainers.said("worker", task, "err")
        assert float(re.search(r"accuracy (\S+) on", trainers.said("worker", 0))[1]) > 0.9
