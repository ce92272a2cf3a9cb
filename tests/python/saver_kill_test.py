"""Kills a process repeatedly while it saves: the latest checkpoint can always be restored."""
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import weir as tf

SAVES = """
import sys
import numpy as np
import weir as tf

folder, sharded, first = sys.argv[1], sys.argv[2] == "sharded", int(sys.argv[3])
values = [tf.get_variable(f"v{i}", initializer=np.full([50, 50], first, np.float32)) for i in range(4)]
more = [v.assign_add(np.ones([50, 50], np.float32)) for v in values]
saver = tf.train.Saver(max_to_keep=3, sharded=sharded)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    step = first
    while True:
        sess.run(more)
        step += 1
        print(step, flush=True)
        saver.save(sess, folder + "/m", global_step=step, write_meta_graph=step % 3 == 0)
"""


def restored_step(folder):
    """Returns the step of the latest checkpoint. All its variables must have that value."""
    latest = tf.train.latest_checkpoint(folder)
    if latest is None:
        return 0
    with tf.Graph().as_default(), tf.Session() as sess:
        values = [tf.get_variable(f"v{i}", shape=[50, 50]) for i in range(4)]
        tf.train.Saver().restore(sess, latest)
        found = {float(number) for value in sess.run(values) for number in np.unique(value)}
    assert found == {float(latest.rsplit("-", 1)[1])}
    return int(found.pop())


@pytest.mark.parametrize("kills", [25, pytest.param(300, marks=pytest.mark.slow)])
def test_every_latest_checkpoint_restores(tmp_path, kills):
    chance = random.Random(kills)
    step = 0
    for kill in range(kills):
        arguments = [sys.executable, "-c", SAVES, str(tmp_path), "sharded" if kill % 2 else "whole", str(step)]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env=os.environ) as child:
            for _ in range(chance.randint(1, 6)):
                last = int(child.stdout.readline())
            time.sleep(chance.uniform(0, 0.01))  # a save takes about that long, so the kill may hit any moment of it
            child.send_signal(signal.SIGKILL)
        found = restored_step(str(tmp_path))
        assert found >= last - 1, f"kill {kill} of {kills}: step {last} began to be saved, but {found} is the latest"
        step = found
    # The next save removes the temporary files of the killed processes.
    with tf.Graph().as_default(), tf.Session() as sess:
        sess.run(tf.get_variable("v", initializer=1.0).initializer)
        tf.train.Saver().save(sess, str(tmp_path / "m"), global_step=step + 1)
    assert not list(tmp_path.rglob("*.tempstate*"))
