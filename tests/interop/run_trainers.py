"""Run by TensorFlow's interpreter: python run_trainers.py PLAN runs the programs that the JSON list PLAN describes.

Each program runs in a child process, which has TensorFlow already imported. The file FOLDER/done says that a run is
complete; its content is the exit status of every task.
"""
import faulthandler
import json
import os
import pathlib
import runpy
import signal
import sys
import traceback

from oracle import contrib
from oracle.tensorflow1 import tf

SECONDS = 300


def work(task):
    """The life of a child process: runs the program as its interpreter would."""
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    os.chdir(task["folder"])
    for number, kind in ((1, "out"), (2, "err")):
        os.dup2(os.open(f"{task['role']}.{kind}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    sys.stdout = open(1, "w", buffering=1, closefd=False)
    os.environ.update(task["environment"])
    sys.argv = [task["program"], *task["arguments"]]
    status = 1
    try:
        runpy.run_path(task["program"], run_name="__main__")
        status = 0
    except SystemExit as leaving:
        status = leaving.code or 0
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status if isinstance(status, int) else 1)


def start(task):
    child = os.fork()
    if child == 0:
        work(task)
    return child


def run(tasks):
    """Runs the tasks of a program. Ends those that serve others once the others have ended."""
    children = {task["role"]: start(task) for task in tasks}
    found = {}
    for task in sorted(tasks, key=lambda task: task["serves"]):
        if task["serves"]:
            os.kill(children[task["role"]], signal.SIGKILL)
        found[task["role"]] = os.waitstatus_to_exitcode(os.waitpid(children[task["role"]], 0)[1])
    return found


if __name__ == "__main__":
    contrib.install()
    tf.disable_v2_behavior()
    for tasks in json.loads(pathlib.Path(sys.argv[1]).read_text()):
        folder = pathlib.Path(tasks[0]["folder"])
        (folder / "part").write_text(json.dumps(run(tasks)))
        (folder / "part").rename(folder / "done")
