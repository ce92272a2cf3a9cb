"""Tests file names with a scheme: file:// is local; any other raises UnimplementedError and writes nothing."""
import os
import pathlib
import subprocess

import pytest
import weir as tf

REMOTE = "hdfs://host/folder"
train = tf.train


def run(make):
    return lambda sess: sess.run(make())


def read(make_reader):
    def work(sess):
        queue = tf.FIFOQueue(2, tf.string)
        sess.run(queue.enqueue(REMOTE))
        sess.run(queue.close())
        sess.run(make_reader().read(queue))
    return work


def first(make_dataset):
    return lambda sess: sess.run(make_dataset().make_one_shot_iterator().get_next())


def monitored(**arguments):
    def work(sess):
        with train.MonitoredTrainingSession(**arguments) as monitored_sess:
            monitored_sess.run(train.get_global_step())
    return work


def hooked(make_hook):
    def work(sess):
        with train.MonitoredSession(hooks=[make_hook()]) as monitored_sess:
            monitored_sess.run(train.get_global_step())
    return work


def supervised(sess):
    with train.Supervisor(logdir=REMOTE).managed_session() as managed:
        managed.run(train.get_global_step())


def save_model(sess):
    tf.saved_model.simple_save(sess, REMOTE, {"x": tf.placeholder(tf.float32)}, {"y": tf.constant(1.0)})


def look_up(sess):
    table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(REMOTE, tf.string, 0, tf.int64, 1), -1)
    sess.run(tf.tables_initializer())
    return table


def prepare(**arguments):
    return lambda sess: train.SessionManager().prepare_session("", saver=train.Saver(), init_op=tf.global_variables_initializer(), **arguments)


CALLS = {
    "exists": lambda sess: tf.gfile.Exists(REMOTE),
    "glob": lambda sess: tf.gfile.Glob(REMOTE + "*"),
    "stat": lambda sess: tf.gfile.Stat(REMOTE),
    "mkdir": lambda sess: tf.gfile.MkDir(REMOTE),
    "make_dirs": lambda sess: tf.gfile.MakeDirs(REMOTE),
    "remove": lambda sess: tf.gfile.Remove(REMOTE),
    "delete_recursively": lambda sess: tf.gfile.DeleteRecursively(REMOTE),
    "copy": lambda sess: tf.gfile.Copy(__file__, REMOTE),
    "copy_from": lambda sess: tf.gfile.Copy(REMOTE, "other"),
    "rename": lambda sess: tf.gfile.Rename("plain", REMOTE),
    "open_read": lambda sess: tf.gfile.GFile(REMOTE).read(),
    "open_write": lambda sess: tf.gfile.GFile(REMOTE, "w").write("x"),
    "open_append": lambda sess: tf.gfile.GFile(REMOTE, "ab").write(b"x"),
    "size": lambda sess: tf.gfile.GFile(REMOTE).size(),
    "checkpoint_exists": lambda sess: train.checkpoint_exists(REMOTE),
    "latest_checkpoint": lambda sess: train.latest_checkpoint(REMOTE),
    "get_checkpoint_state": lambda sess: train.get_checkpoint_state(REMOTE),
    "update_checkpoint_state": lambda sess: train.update_checkpoint_state(REMOTE, REMOTE + "/m"),
    "get_checkpoint_mtimes": lambda sess: train.get_checkpoint_mtimes([REMOTE]),
    "remove_checkpoint": lambda sess: train.remove_checkpoint(REMOTE),
    "load_checkpoint": lambda sess: train.load_checkpoint(REMOTE),
    "checkpoint_reader": lambda sess: train.NewCheckpointReader(REMOTE),
    "list_variables": lambda sess: train.list_variables(REMOTE),
    "init_from_checkpoint": lambda sess: train.init_from_checkpoint(REMOTE, {"v": "v"}),
    "save": lambda sess: train.Saver().save(sess, REMOTE + "/m"),
    "save_sharded": lambda sess: train.Saver(sharded=True).save(sess, REMOTE + "/m"),
    "save_v1": lambda sess: train.Saver(write_version=train.SaverDef.V1).save(sess, REMOTE + "/m"),
    "restore": lambda sess: train.Saver().restore(sess, REMOTE + "/m"),
    "recover_last_checkpoints": lambda sess: train.Saver().recover_last_checkpoints([REMOTE]),
    "import_meta_graph": lambda sess: train.import_meta_graph(REMOTE),
    "export_meta_graph": lambda sess: train.export_meta_graph(REMOTE),
    "write_graph": lambda sess: train.write_graph(sess.graph, REMOTE, "g.pb"),
    "file_writer": lambda sess: tf.summary.FileWriter(REMOTE),
    "file_writer_cache": lambda sess: tf.summary.FileWriterCache.get(REMOTE),
    "summary_iterator": lambda sess: list(train.summary_iterator(REMOTE)),
    "saved_model_builder": lambda sess: tf.saved_model.Builder(REMOTE),
    "simple_save": save_model,
    "load_saved_model": lambda sess: tf.saved_model.load(sess, ["serve"], REMOTE),
    "contains_saved_model": lambda sess: tf.saved_model.contains_saved_model(REMOTE),
    "record_writer": lambda sess: tf.python_io.TFRecordWriter(REMOTE),
    "record_iterator": lambda sess: list(tf.python_io.tf_record_iterator(REMOTE)),
    "record_dataset": first(lambda: tf.data.TFRecordDataset(REMOTE)),
    "text_dataset": first(lambda: tf.data.TextLineDataset(REMOTE)),
    "fixed_length_dataset": first(lambda: tf.data.FixedLengthRecordDataset(REMOTE, 3)),
    "list_files": first(lambda: tf.data.Dataset.list_files(REMOTE + "*")),
    "cache": first(lambda: tf.data.Dataset.range(1).cache(REMOTE)),
    "read_file": run(lambda: tf.read_file(REMOTE)),
    "write_file": run(lambda: tf.write_file(REMOTE, "x")),
    "matching_files": run(lambda: tf.matching_files(REMOTE + "*")),
    "record_reader": read(tf.TFRecordReader),
    "text_reader": read(tf.TextLineReader),
    "whole_file_reader": read(tf.WholeFileReader),
    "fixed_length_reader": read(lambda: tf.FixedLengthRecordReader(3)),
    "table": look_up,
    "print": run(lambda: tf.print("x", output_stream="file://" + REMOTE)),
    "save_op": run(lambda: tf.raw_ops.SaveV2(prefix=REMOTE, tensor_names=["v"], shape_and_slices=[""], tensors=[tf.constant(1.0)])),
    "restore_op": run(lambda: tf.raw_ops.RestoreV2(prefix=REMOTE, tensor_names=["v"], shape_and_slices=[""], dtypes=[tf.float32])),
    "merge_op": run(lambda: tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=[REMOTE], destination_prefix=REMOTE + "d")),
    "monitored_session": monitored(checkpoint_dir=REMOTE),
    "monitored_session_that_only_restores": monitored(checkpoint_dir=REMOTE, save_checkpoint_secs=None, save_summaries_steps=None,
                                                      log_step_count_steps=None),
    "supervisor": supervised,
    "checkpoint_hook": hooked(lambda: train.CheckpointSaverHook(REMOTE, save_steps=1)),
    "summary_hook": hooked(lambda: train.SummarySaverHook(save_steps=1, output_dir=REMOTE, summary_op=tf.summary.scalar("a", 1.0))),
    "step_counter_hook": hooked(lambda: train.StepCounterHook(output_dir=REMOTE)),
    "profiler_hook": hooked(lambda: train.ProfilerHook(save_steps=1, output_dir=REMOTE)),
    "session_manager": prepare(checkpoint_dir=REMOTE),
    "session_manager_file": prepare(checkpoint_filename_with_path=REMOTE),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_unknown_scheme_is_unimplemented(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain").touch()
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.get_variable("v", [2])
        train.get_or_create_global_step()
        sess.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.UnimplementedError, match="File system scheme 'hdfs' not implemented .*(no scheme, or 'file')"):
            CALLS[name](sess)
    assert os.listdir(tmp_path) == ["plain"]


def test_folders_of_an_unknown_scheme_do_not_exist():
    assert tf.gfile.IsDirectory(REMOTE) is False
    assert list(tf.gfile.Walk(REMOTE)) == []
    with pytest.raises(tf.errors.NotFoundError, match="Could not find directory hdfs://host/folder: .*'hdfs' not implemented"):
        tf.gfile.ListDirectory(REMOTE)


@pytest.mark.parametrize("scheme", ["file://", "file://localhost"])
def test_file_uris_are_local_files(scheme, tmp_path):
    uri = f"{scheme}{tmp_path}"
    tf.gfile.MakeDirs(uri + "/a")
    with tf.gfile.GFile(uri + "/a/b", "w") as file:
        file.write("text")
    assert (tmp_path / "a/b").read_text() == "text" and tf.gfile.GFile(uri + "/a/b").read() == "text"
    assert tf.gfile.Exists(uri + "/a/b") and tf.gfile.IsDirectory(uri + "/a") and tf.gfile.Stat(uri + "/a/b").length == 4
    assert tf.gfile.Glob(uri + "/a/*") == [uri + "/a/b"]
    assert list(tf.gfile.Walk(uri)) == [(uri, ["a"], []), (uri + "/a", [], ["b"])]
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.get_variable("v", [2], initializer=tf.ones_initializer())
        assert sess.run(tf.read_file(uri + "/a/b")) == b"text"
        assert list(sess.run(tf.matching_files(uri + "/a/*"))) == [f"{uri}/a/b".encode()]
        sess.run(v.initializer)
        path = train.Saver().save(sess, uri + "/model")
        assert path == uri + "/model" and train.latest_checkpoint(uri) == path
        sess.run(v.assign([0.0, 0.0]))
        train.Saver().restore(sess, path)
        assert list(sess.run(v)) == [1.0, 1.0]
    tf.gfile.DeleteRecursively(uri + "/a")
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("arguments", [["records", "count", REMOTE], ["records", "show", REMOTE], ["records", "make", REMOTE, "out"],
                                       ["serve", "--config", REMOTE]])
def test_the_command_line_program_reports_an_unknown_scheme(arguments, tmp_path):
    program = pathlib.Path(os.environ.get("WEIR_BUILD", "build")).resolve() / "weir"
    done = subprocess.run([program, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "File system scheme 'hdfs' not implemented" in done.stderr, done.stderr
    assert os.listdir(tmp_path) == []
