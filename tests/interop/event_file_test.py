"""Reads event files of Weir with TensorBoard's loader."""
import pickle

import numpy as np
import pytest

import weir as tf
from conftest import run_tensorflow


def write(folder):
    """Trains a small model and writes every kind of event."""
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as sess:
        x = tf.placeholder(tf.float32, [], name="x")
        with tf.name_scope("layer"):
            tf.summary.scalar("loss", x)
            tf.summary.scalar("loss", x * 2, family="parts")
        tf.summary.histogram("weights", tf.stack([x, x + 1, x + 2]))
        tf.summary.image("picture", tf.zeros([2, 3, 4, 3]))
        tf.summary.audio("sound", tf.zeros([1, 100]), 8000.0, max_outputs=1)
        tf.summary.text("note", tf.as_string(x))
        tf.summary.tensor_summary("shape", tf.constant([3, 4]))
        every = tf.summary.merge_all()
        with tf.summary.FileWriter(folder, graph) as writer:
            for step in range(5):
                writer.add_summary(sess.run(every, {x: step}), step)
            writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="by_hand", simple_value=7.5)]), np.int64(9))
            metadata = tf.RunMetadata()
            sess.run(every, {x: 1.0}, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
            writer.add_run_metadata(metadata, "step 4", 4)
            writer.add_session_log(tf.SessionLog(status=tf.SessionLog.CHECKPOINT, checkpoint_path="a/b"), 4)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("events")
    write(str(folder / "logs"))
    run_tensorflow("read_events.py", folder / "logs", folder / "found.pkl")
    with open(folder / "found.pkl", "rb") as file:
        return pickle.load(file)


def test_scalars(found):
    assert found["scalars"] == {
        "layer/loss": [(step, float(step)) for step in range(5)],
        "parts/layer/parts/loss": [(step, 2.0 * step) for step in range(5)],
        "by_hand": [(9, 7.5)],
    }


def test_histograms(found):
    assert found["histograms"] == {"weights": [(step, 3.0, step + 2.0) for step in range(5)]}


def test_images_and_sound(found):
    assert set(found["images"]) == {"picture/image/0", "picture/image/1"}
    assert [item[:3] for item in found["images"]["picture/image/0"]] == [(step, 4, 3) for step in range(5)]
    assert all(item[3].startswith(b"\x89PNG") for item in found["images"]["picture/image/0"])
    assert found["audio"] == {"sound/audio": [(step, 8000.0, 100) for step in range(5)]}


def test_text_and_tensors(found):
    assert found["plugins"]["note"] == "text"
    assert found["tensors"]["note"] == [(step, b"%d.000000" % step) for step in range(5)]
    assert found["tensors"]["shape"] == [(step, [3, 4]) for step in range(5)]


def test_graph(found):
    assert "layer/loss" in found["graph"] and "layer/loss/tags" in found["graph"]
    assert found["collections"] == ["summaries"]


def test_run_metadata_and_session_log(found):
    assert list(found["devices"]) == ["step 4"] and any("CPU:0" in device for device in found["devices"]["step 4"])
    assert (4, 3, "a/b") in found["logs"]
