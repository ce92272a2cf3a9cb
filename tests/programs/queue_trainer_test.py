"""Runs queue_trainer.py on a cluster: with many queue threads, a shared epoch counter, short-lived coordinators and
validation data that runs out, it must train and terminate."""
import os
import pathlib
import re
import subprocess

import numpy as np
import pytest
import weir as tf

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WEIR_BUILD", ROOT / "build")).resolve()
PATIENCE = 240


def example(image, label):
    def text(value):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))
    features = tf.train.Features(feature={"image": text(image.astype(np.uint8).tobytes()), "label": text(np.eye(10)[label].tobytes())})
    return tf.train.Example(features=features).SerializeToString()


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """Writes records of ten blurred patterns that are easy to distinguish, with noise."""
    folder = tmp_path_factory.mktemp("records")
    rng = np.random.RandomState(7)
    patterns = np.kron(rng.uniform(0, 200, (10, 7, 7)), np.ones((4, 4)))
    for name, count in (("train", 1200), ("test", 1000)):
        with tf.python_io.TFRecordWriter(str(folder / f"{name}.tfrecords")) as writer:
            for i in range(count):
                writer.write(example(patterns[i % 10] + rng.uniform(0, 55, (28, 28)), i % 10))
    return folder


def train(records, logs, *arguments):
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "TF_CONFIG", "WEIR_LOG")}
    done = subprocess.run([BUILD / "weir", "up", ROOT / "tests/programs/queue_trainer.py", "--ps", "1", "--workers", "2", "--",
                           f"--records={records}", f"--logdir={logs}", *arguments],
                          env=environment, capture_output=True, text=True, timeout=PATIENCE)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "Traceback" not in said and "Error" not in said and "killing" not in said, said
    assert len(re.findall(r"\] finished after \d+ local steps", done.stdout)) == 2
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("issync", [0, 1])
def test_it_trains_and_ends(records, tmp_path, issync):
    out = train(records, tmp_path, f"--issync={issync}", "--steps=60")
    accuracies = [float(a) for a in re.findall(r"accuracy (\d\.\d+)", out)]
    chief_steps = int(re.search(r"worker/0\] finished after (\d+) local steps", out)[1])
    assert len(accuracies) == chief_steps // 5 >= 3 and accuracies[-1] > 0.9
    assert list(tmp_path.glob("model.ckpt-*.index"))


@pytest.mark.slow
def test_validation_that_runs_out_stops_nothing(records, tmp_path):
    out = train(records, tmp_path, "--epochs=1", "--every=1", "--steps=60")
    assert len(re.findall(r"accuracy \d", out)) <= 1000 // 128
    assert "no records are left to validate with" in out
