"""Tests tf.summary: names, tags, families and collections of summary nodes; event files and their writers."""
import glob
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import weir as tf


def value_of(summary):
    """Returns the only value of a summary node."""
    with tf.Session() as sess:
        values = tf.Summary.FromString(sess.run(summary)).value
    assert len(values) == 1
    return values[0]


def events(folder):
    """Returns all events in the files of a folder, except the version events."""
    found = [event for path in sorted(glob.glob(os.path.join(folder, "*tfevents*"))) for event in tf.train.summary_iterator(path)]
    return [event for event in found if not event.file_version]


def test_scalar():
    loss = tf.summary.scalar("loss", tf.constant(2.5))
    assert (loss.op.name, loss.op.type, loss.op.inputs[0].op.name) == ("loss", "ScalarSummary", "loss/tags")
    value = value_of(loss)
    assert (value.tag, value.simple_value) == ("loss", 2.5)
    assert tf.get_collection(tf.GraphKeys.SUMMARIES) == [loss]


def test_tags_follow_scopes_and_are_unique():
    with tf.name_scope("layer"):
        first = tf.summary.scalar("loss", 1.0)
        second = tf.summary.scalar("loss", 2.0)
    assert [value_of(s).tag for s in (first, second)] == ["layer/loss", "layer/loss_1"]


def test_illegal_characters_in_names():
    assert value_of(tf.summary.scalar("my loss: é!", 1.0)).tag == "my_loss____"
    assert value_of(tf.summary.scalar("/a/b", 1.0)).tag == "a/b"


def test_family():
    with tf.name_scope("outer"):
        summary = tf.summary.histogram("weights", [1.0, 2.0], family="my family")
    assert summary.op.name == "outer/my_family/weights"
    assert value_of(summary).tag == "my_family/outer/my_family/weights"


def test_collections():
    a = tf.summary.scalar("a", 1.0, collections=["mine", "yours"])
    assert tf.get_collection("mine") == [a] and tf.get_collection("yours") == [a]
    assert tf.get_collection(tf.GraphKeys.SUMMARIES) == []
    tf.summary.scalar("b", 1.0, collections=[])
    assert tf.summary.merge_all() is None


def test_histogram_image_audio():
    assert value_of(tf.summary.histogram("h", np.arange(10.0))).histo.num == 10
    image = value_of(tf.summary.image("i", np.zeros([1, 2, 3, 1], np.uint8), max_outputs=1))
    assert (image.tag, image.image.height, image.image.width) == ("i/image", 2, 3)
    audio = value_of(tf.summary.audio("s", np.zeros([1, 10], np.float32), sample_rate=16000.0, max_outputs=1))
    assert (audio.tag, audio.audio.sample_rate, audio.audio.length_frames) == ("s/audio", 16000.0, 10)


def test_text_and_tensors():
    text = value_of(tf.summary.text("note", tf.constant(["a", "b"])))
    assert (text.tag, text.metadata.plugin_data.plugin_name, list(text.tensor.string_val)) == ("note", "text", [b"a", b"b"])
    with pytest.raises(ValueError, match="dtype string"):
        tf.summary.text("number", tf.constant(1))
    tensor = value_of(tf.summary.tensor_summary("t", tf.constant([1, 2]), summary_description="what it is", display_name="T"))
    assert (tensor.metadata.summary_description, tensor.metadata.display_name) == ("what it is", "T")


def test_merge():
    merged = tf.summary.merge([tf.summary.scalar("a", 1.0), tf.summary.scalar("b", 2.0)])
    assert merged.op.name == "Merge/MergeSummary"
    assert tf.summary.merge([merged], name="again").op.name == "again/again"
    with tf.Session() as sess:
        assert [v.tag for v in tf.Summary.FromString(sess.run(merged)).value] == ["a", "b"]


def test_merge_all_takes_a_scope():
    assert tf.summary.merge_all() is None
    with tf.name_scope("in"):
        tf.summary.scalar("a", 1.0)
    tf.summary.scalar("b", 2.0)
    assert value_of(tf.summary.merge_all(scope="in")).tag == "in/a"
    with tf.Session() as sess:
        assert len(tf.Summary.FromString(sess.run(tf.summary.merge_all())).value) == 2


def test_old_names():
    assert tf.merge_all_summaries() is None
    one = tf.scalar_summary("any tag at all", tf.constant(1.0))
    several = tf.scalar_summary(["a", "b"], tf.constant([1.0, 2.0]), name="several")
    tf.histogram_summary("h", [1.0])
    tf.image_summary("i", np.zeros([1, 1, 1, 1], np.float32))
    tf.audio_summary("s", np.zeros([1, 4], np.float32), 8000.0)
    assert one.op.name == "ScalarSummary" and several.op.name == "several"
    assert tf.merge_summary([one, several]).op.name == "MergeSummary/MergeSummary"
    with tf.Session() as sess:
        values = tf.Summary.FromString(sess.run(tf.merge_all_summaries())).value
    assert [v.tag for v in values] == ["any tag at all", "a", "b", "h", "i/image/0", "s/audio/0"]


def test_summary_description():
    node = tf.raw_ops.TensorSummary(tensor=tf.constant(1), description='{"type_hint": "number"}').op.node_def
    assert tf.summary.get_summary_description(node).type_hint == "number"
    with pytest.raises(ValueError, match="Const"):
        tf.summary.get_summary_description(tf.constant(1).op.node_def)


def test_writer(tmp_path):
    folder = str(tmp_path / "new" / "logs")
    tf.summary.scalar("loss", 1.5)
    merged = tf.summary.merge_all()
    with tf.Session() as sess, tf.summary.FileWriter(folder, sess.graph) as writer:
        writer.add_summary(sess.run(merged), global_step=3)
        writer.add_summary(sess.run(merged), np.int32(4))
        writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), 5)
        writer.add_event(tf.summary.Event(wall_time=7.0, step=6))
        assert writer.get_logdir() == folder
    found = events(folder)
    assert [event.WhichOneof("what") for event in found] == ["graph_def", "meta_graph_def", "summary", "summary", "session_log", None]
    assert [event.step for event in found] == [0, 0, 3, 4, 5, 6]
    assert found[2].summary.value[0].simple_value == 1.5 and found[5].wall_time == 7.0
    graph = tf.GraphDef.FromString(found[0].graph_def)
    assert {node.name for node in graph.node} >= {"loss", "loss/tags"}
    assert all("_output_shapes" in node.attr for node in graph.node)
    assert "summaries" in tf.MetaGraphDef.FromString(found[1].meta_graph_def).collection_def


def test_metadata_is_written_once(tmp_path):
    summary = tf.summary.text("note", tf.constant("x"))
    with tf.Session() as sess, tf.summary.FileWriter(str(tmp_path)) as writer:
        for step in range(3):
            writer.add_summary(sess.run(summary), step)
    assert [event.summary.value[0].HasField("metadata") for event in events(tmp_path)] == [True, False, False]


def test_flush_shows_what_was_added(tmp_path):
    writer = tf.train.SummaryWriter(str(tmp_path), max_queue=1, flush_secs=1000)
    for step in range(100):
        writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="x", simple_value=step)]), step)
    writer.flush()
    assert [event.step for event in events(tmp_path)] == list(range(100))


def test_closed_and_reopened(tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path), filename_suffix=".mine")
    writer.add_summary(tf.Summary(), 1)
    writer.close()
    writer.close()
    writer.add_summary(tf.Summary(), 2)
    writer.flush()
    writer.reopen()
    writer.add_summary(tf.Summary(), 3)
    writer.close()
    assert [event.step for event in events(tmp_path)] == [1, 3]
    assert all(path.endswith(".mine") for path in os.listdir(tmp_path))


def test_run_metadata_tags_are_used_once(tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path))
    writer.add_run_metadata(tf.RunMetadata(), "first", 1)
    with pytest.raises(ValueError, match="first"):
        writer.add_run_metadata(tf.RunMetadata(), "first", 2)
    writer.add_run_metadata(tf.RunMetadata(), "second")
    writer.close()
    assert [event.tagged_run_metadata.tag for event in events(tmp_path)] == ["first", "second"]


def test_invalid_summaries_and_graphs(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(tf.errors.OpError, match="file"):
        tf.summary.FileWriter(str(tmp_path / "file"))
    writer = tf.summary.FileWriter(str(tmp_path))
    for bad in (None, 3, tf.GraphDef()):
        with pytest.raises(TypeError):
            writer.add_summary(bad)
    with pytest.raises(ValueError):
        writer.add_summary(b"no message")
    with pytest.raises(TypeError, match="Graph"):
        writer.add_graph(3)
    with pytest.raises(ValueError, match="not both"):
        writer.add_graph(tf.get_default_graph(), graph_def=tf.GraphDef())
    with pytest.raises(TypeError, match="MetaGraphDef"):
        writer.add_meta_graph(tf.GraphDef())
    writer.add_graph(tf.GraphDef(), 3)
    writer.close()


def test_writers_of_many_threads(tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path), max_queue=2)

    def write(first):
        for step in range(first, first + 50):
            writer.add_summary(tf.Summary(), step)

    threads = [threading.Thread(target=write, args=(50 * i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    assert sorted(event.step for event in events(tmp_path)) == list(range(200))


def test_the_cache_keeps_no_writer_that_failed(tmp_path):
    (tmp_path / "file").write_text("")
    for _ in range(2):
        with pytest.raises(tf.errors.OpError):
            tf.summary.FileWriterCache.get(str(tmp_path / "file"))
    tf.summary.FileWriterCache.clear()



def test_cache(tmp_path):
    a = tf.summary.FileWriterCache.get(str(tmp_path))
    assert tf.summary.FileWriterCache.get(str(tmp_path)) is a
    a.add_summary(tf.Summary(), 1)
    tf.summary.FileWriterCache.clear()
    assert [event.WhichOneof("what") for event in events(tmp_path)] == ["graph_def", "meta_graph_def", "summary"]
    b = tf.summary.FileWriterCache.get(str(tmp_path))
    assert b is not a
    tf.summary.FileWriterCache.clear()


def test_pending_events_are_written_at_exit(tmp_path):
    program = ("import sys, weir as tf\nwriter = tf.summary.FileWriter(sys.argv[1])\nkept = [writer]\nkept.append(kept)\n"
               "writer.add_summary(tf.Summary(), 7)\n")
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True)
    assert [event.step for event in events(tmp_path)] == [7]
