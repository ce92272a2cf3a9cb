"""Tests the status line that training shows on a terminal, and that no other output contains parts of it."""
import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import termios
import time

WEIR = pathlib.Path(os.environ.get("WEIR_BUILD", "build")).resolve() / "weir"
PATIENCE = 60  # timeout in seconds; nothing here takes more than a few

# Runs steps until the file "enough" exists, which the test creates when it has seen the expected screen.
LOOP = """
import os, sys, time
import numpy as np
import tensorflow as tf
here = os.path.dirname(os.path.abspath(sys.argv[0]))
flags = dict(a[2:].split("=", 1) for a in sys.argv[1:] if a.startswith("--") and "=" in a)
if flags.get("job_name") == "ps":
    time.sleep(600)
def goes_on():
    time.sleep(0.005)
    return not os.path.exists(os.path.join(here, "enough"))
step = tf.train.get_or_create_global_step()
x = tf.placeholder(tf.float32, [None, 3])
train = tf.assign_add(step, 1)
loss = tf.reduce_sum(x) * 0.1
"""
MONITORED = LOOP + """
hook = tf.train.LoggingTensorHook({"loss": loss}, every_n_iter=1)
with tf.train.MonitoredTrainingSession(hooks=[hook]) as sess:
    count = 0
    while goes_on():
        sess.run([train, loss], {x: np.ones([20, 3])})
        count += 1
        if count % 50 == 0:
            print("half a line", end="", flush=True)
            print(" and the rest")
            tf.logging.warning("a warning")
print("done")
"""
SUPERVISED = LOOP + """
sv = tf.train.Supervisor()
with sv.managed_session() as sess:
    while goes_on():
        sess.run(train)
        print("a printed line")
print("done")
"""


class Screen:
    """A minimal terminal emulator: understands only the escape sequences that status lines use."""

    def __init__(self):
        self.rows, self.row, self.column = [""], 0, 0

    def write(self, text):
        for token in re.findall(r"\x1b\[\d*[A-Za-z]|[^\x1b]", text):
            self._one(token)

    def _one(self, token):
        if token == "\r":
            self.column = 0
        elif token == "\n":
            self.row += 1
            if self.row == len(self.rows):
                self.rows.append("")
        elif token[0] == "\x1b":
            kind, number = token[-1], int(token[2:-1] or 1)
            assert kind in "KJAm", f"unexpected {token!r}"
            if kind in "KJ":
                self.rows[self.row] = self.rows[self.row][:self.column]
            if kind == "J":
                del self.rows[self.row + 1:]
            if kind == "A":
                self.row -= number
                assert self.row >= 0
        else:
            line = self.rows[self.row].ljust(self.column)
            self.rows[self.row] = line[:self.column] + token + line[self.column + 1:]
            self.column += 1


def run_on_terminal(tmp_path, command, until, columns=100, **environment):
    """Runs until `until` matches the screen, then lets the program end. Returns the final rows and the raw output."""
    terminal, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm"} | environment
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=end, stderr=end, env=env)
    os.close(end)
    screen, pending, raw = Screen(), "", ""
    deadline = time.time() + PATIENCE
    try:
        while piece := os.read(terminal, 1 << 16):
            if time.time() > deadline:
                process.kill()
            raw += piece.decode()
            pending += piece.decode()
            cut = pending.rfind("\x1b", len(pending) - 8 if len(pending) > 8 else 0)  # the last sequence may be incomplete
            ready, pending = (pending, "") if cut < 0 or re.match(r"\x1b\[\d*[A-Za-z]", pending[cut:]) else (pending[:cut], pending[cut:])
            screen.write(ready)
            if re.search(until, "\n".join(screen.rows)):
                (tmp_path / "enough").touch()
    except OSError:  # the other end was closed
        pass
    os.close(terminal)
    assert process.wait(PATIENCE) == 0, raw
    return screen.rows, raw


def write(tmp_path, text):
    (tmp_path / "train.py").write_text(text)
    return tmp_path / "train.py"


def test_monitored_session(tmp_path):
    live = r"global step \d+ \| \S+ steps/s \| loss = 6 \| \d+ examples/s"
    # Runs until a warning and a line after it appear above the status line.
    rows, raw = run_on_terminal(tmp_path, [WEIR, "run", write(tmp_path, MONITORED)], rf"(?s)a warning.*a warning.*\n{live}")
    assert re.search(r"\r" + live + r"\x1b\[K\r", raw)
    lines = [row for row in rows if row]
    assert lines[-1] == "done" and re.fullmatch(live, lines[-2])
    others = set(lines[:-2])
    assert others == {"half a line and the rest", "WARNING:tensorflow:a warning"}, others


def test_it_fits(tmp_path):
    rows, raw = run_on_terminal(tmp_path, [WEIR, "run", write(tmp_path, MONITORED)], "global step .* steps", columns=30)
    assert all(len(row) < 30 for row in rows if row.startswith("global step")) and "examples" not in raw


def test_supervisor(tmp_path):
    live = r"global step \d+ \| \S+ steps/s"
    rows, raw = run_on_terminal(tmp_path, [WEIR, "run", write(tmp_path, SUPERVISED)], rf"\n{live}", WEIR_LOG="error")
    lines = [row for row in rows if row]
    assert lines[-1] == "done" and re.fullmatch(live, lines[-2])
    assert set(lines[:-2]) == {"a printed line"}


def test_several_tasks(tmp_path):
    live = r"\[worker/{}\] global step \d+ \| \S+ steps/s \| loss = 6 \| \d+ examples/s"
    both = rf"(?s)a warning.*\n{live.format(0)}\n{live.format(1)}$"
    rows, raw = run_on_terminal(tmp_path, [WEIR, "up", write(tmp_path, MONITORED), "--ps", "1", "--workers", "2"], both)
    lines = [row for row in rows if row]
    for worker in range(2):
        assert sum(bool(re.fullmatch(live.format(worker), line)) for line in lines) == 1
        assert f"[worker/{worker}] done" in lines
    others = {line for line in lines if "global step" not in line and not line.startswith("weir: ")}
    assert others <= {f"[worker/{i}] {text}" for i in range(2)
                      for text in ("half a line and the rest", "WARNING:tensorflow:a warning", "done")}, others
    assert "[ps/0]" not in raw


def test_plain_elsewhere(tmp_path):
    """There is no status line on a pipe, with TERM=dumb or with NO_COLOR."""
    script = write(tmp_path, MONITORED)
    for environment in ({"TERM": "dumb"}, {"NO_COLOR": "1"}):
        (tmp_path / "enough").unlink(missing_ok=True)
        for command in ([WEIR, "run", script], [WEIR, "up", script, "--ps", "0"]):
            _, raw = run_on_terminal(tmp_path, command, "a warning", **environment)
            assert "\x1b" not in raw and "global step" not in raw and "done" in raw
    for command in ([WEIR, "run", script], [WEIR, "up", script, "--ps", "0"]):
        result = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=os.environ | {"TERM": "xterm"})
        assert result.returncode == 0 and "global step" not in result.stdout + result.stderr, result.stderr
