"""Tests tf.train.Saver, checkpoints and meta graphs."""
import os
import threading

import numpy as np
import pytest
import weir as tf
from free_addresses import free_cluster


def _model(scale=1.0):
    a = tf.get_variable("a", initializer=np.array([[1, 2, 3], [4, 5, 6]], np.float32) * np.float32(scale))
    b = tf.Variable(np.int64(7), name="b", use_resource=True, trainable=False)
    return a, b


@pytest.fixture
def saved(tmp_path):
    """Saves the model. Returns its graph, the saver and the path of the checkpoint."""
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        _model()
        saver = tf.train.Saver()
        sess.run(tf.global_variables_initializer())
        path = saver.save(sess, str(tmp_path / "model"), global_step=3)
    return graph, saver, path


def test_the_nodes_are_those_of_tensorflow(saved):
    graph, saver, _ = saved
    nodes = {node.name: node for node in graph.as_graph_def().node if node.name.startswith("save/")}
    assert list(nodes) == [
        "save/filename/input", "save/filename", "save/Const", "save/SaveV2/tensor_names", "save/SaveV2/shape_and_slices", "save/SaveV2",
        "save/control_dependency", "save/RestoreV2/tensor_names", "save/RestoreV2/shape_and_slices", "save/RestoreV2", "save/Assign",
        "save/Identity", "save/AssignVariableOp", "save/restore_all"
    ]
    assert list(nodes["save/SaveV2"].input) == ["save/Const", "save/SaveV2/tensor_names", "save/SaveV2/shape_and_slices", "a",
                                                "b/Read/ReadVariableOp"]
    assert list(nodes["save/control_dependency"].input) == ["save/Const", "^save/SaveV2"]
    assert nodes["save/RestoreV2"].device == "/device:CPU:0"
    assert nodes["save/Assign"].attr["_class"].list.s == [b"loc:@a"]
    saver_def = saver.as_saver_def()
    assert saver_def.filename_tensor_name == "save/Const:0"
    assert saver_def.save_tensor_name == "save/control_dependency:0"
    assert saver_def.restore_op_name == "save/restore_all"
    assert (saver_def.max_to_keep, saver_def.keep_checkpoint_every_n_hours, saver_def.version) == (5, 10000, 2)


def test_values_are_restored(saved, tmp_path):
    _, _, path = saved
    assert path == str(tmp_path / "model-3")
    assert sorted(os.listdir(tmp_path)) == ["checkpoint", "model-3.data-00000-of-00001", "model-3.index", "model-3.meta"]
    with tf.Graph().as_default(), tf.Session() as sess:
        a, b = _model(scale=0)
        tf.train.Saver().restore(sess, path)
        assert sess.run(a).tolist() == [[1, 2, 3], [4, 5, 6]] and sess.run(b) == 7


def test_names_may_differ(saved):
    _, _, path = saved
    with tf.Graph().as_default(), tf.Session() as sess:
        other = tf.get_variable("other", shape=[2, 3])
        tf.train.Saver({"a": other}).restore(sess, path)
        assert sess.run(other)[1, 2] == 6
        flat = tf.get_variable("flat", shape=[3, 2])
        tf.train.Saver({"a": flat}, reshape=True).restore(sess, path)
        assert sess.run(flat).tolist() == [[1, 2], [3, 4], [5, 6]]


def test_errors_of_restoring(saved, tmp_path):
    _, _, path = saved
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.get_variable("missing", shape=[])
        saver = tf.train.Saver()
        with pytest.raises(tf.errors.NotFoundError, match="Original error: Key missing not found in checkpoint"):
            saver.restore(sess, path)
        with pytest.raises(ValueError, match="not a valid checkpoint"):
            saver.restore(sess, str(tmp_path / "nothing"))
        with pytest.raises(ValueError, match="None"):
            saver.restore(sess, None)
        with pytest.raises(ValueError, match=f"it is a directory; pass tf.train.latest_checkpoint.*, which is '{path}'"):
            saver.restore(sess, str(tmp_path))
        for suffix in (".index", ".meta", ".data-00000-of-00001"):
            with pytest.raises(ValueError, match=f"one of the files of a checkpoint; pass .*: '{path}'"):
                saver.restore(sess, path + suffix)
        os.makedirs(tmp_path / "empty")
        with pytest.raises(ValueError, match="it is a directory, which has no checkpoint"):
            saver.restore(sess, str(tmp_path / "empty"))
        mismatch = rf"variable 'missing' has shape \[\], but 'a' in {path} has shape \[2,3\]"
        with pytest.raises(tf.errors.InvalidArgumentError, match=mismatch):
            tf.train.Saver({"a": v}).restore(sess, path)
        resource = tf.get_variable("resource", shape=[3], use_resource=True)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"variable 'resource' has shape \[3\], but 'a' in .* has shape \[2,3\]"):
            tf.train.Saver({"a": resource}).restore(sess, path)
        whole = tf.get_variable("whole", shape=[2, 3], dtype=tf.int32, initializer=tf.zeros_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match="dtype"):
            tf.train.Saver({"a": whole}).restore(sess, path)
        data = path + ".data-00000-of-00001"
        with open(data, "r+b") as file:
            file.seek(4)
            file.write(b"????")
        good = tf.get_variable("good", shape=[2, 3])
        with pytest.raises(tf.errors.DataLossError, match="data-00000-of-00001.*offset 0"):
            tf.train.Saver({"a": good}).restore(sess, path)


def test_errors_of_making_and_saving(tmp_path):
    with tf.Graph().as_default(), tf.Session() as sess:
        with pytest.raises(ValueError, match="No variables to save"):
            tf.train.Saver()
        assert tf.train.Saver(allow_empty=True).save(sess, str(tmp_path / "m"), write_meta_graph=False) is None
        a, _ = _model()
        with pytest.raises(TypeError, match="not a Variable"):
            tf.train.Saver([tf.constant(1.0)])
        with pytest.raises(ValueError, match="same name"):
            tf.train.Saver([a, a])
        saver = tf.train.Saver()
        sess.run(tf.global_variables_initializer())
        with pytest.raises(ValueError, match="collides"):
            saver.save(sess, str(tmp_path / "checkpoint"))
        with pytest.raises(ValueError, match="path components"):
            saver.save(sess, str(tmp_path / "m"), latest_filename="x/y")
        with pytest.raises(ValueError, match="Parent directory"):
            saver.save(sess, str(tmp_path / "no" / "such" / "m"))
        with pytest.raises(TypeError, match="must be a Session"):
            saver.save(None, str(tmp_path / "m"))
        with pytest.raises(RuntimeError, match="build"):
            tf.train.Saver(defer_build=True).save(sess, str(tmp_path / "m"))
        with tf.Graph().as_default(), tf.Session() as empty:
            tf.get_variable("u", shape=[2])
            with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized"):
                tf.train.Saver().save(empty, str(tmp_path / "u"))
    assert os.listdir(tmp_path) == []


def test_the_last_few_are_kept(tmp_path):
    with tf.Graph().as_default(), tf.Session() as sess:
        _model()
        saver = tf.train.Saver(max_to_keep=2, pad_step_number=True)
        sess.run(tf.global_variables_initializer())
        step = tf.Variable(9, name="step")
        sess.run(step.initializer)
        paths = [saver.save(sess, str(tmp_path / "m"), global_step=s) for s in (1, np.int64(2), step)]
        assert [os.path.basename(p) for p in paths] == ["m-00000001", "m-00000002", "m-00000009"]
        assert saver.last_checkpoints == paths[1:]
        assert not tf.train.checkpoint_exists(paths[0]) and tf.train.checkpoint_exists(paths[1])
        assert not [name for name in os.listdir(tmp_path) if name.startswith("m-00000001")]
        state = tf.train.get_checkpoint_state(str(tmp_path))
        assert state.model_checkpoint_path == paths[2] and list(state.all_model_checkpoint_paths) == paths[1:]
        later = tf.train.Saver(max_to_keep=2)
        later.recover_last_checkpoints(paths)
        assert later.last_checkpoints == paths[1:]
        later.save(sess, str(tmp_path / "n"))
        assert not tf.train.checkpoint_exists(paths[1])
        keeps_all = tf.train.Saver(max_to_keep=None)
        keeps_all.save(sess, str(tmp_path / "k"), write_state=False)
        assert keeps_all.last_checkpoints == []


def test_paths_may_be_relative(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkdir("logs")
    with tf.Graph().as_default(), tf.Session() as sess:
        _model()
        sess.run(tf.global_variables_initializer())
        assert tf.train.Saver().save(sess, "logs/m") == "logs/m"
        assert open("logs/checkpoint").read() == 'model_checkpoint_path: "m"\nall_model_checkpoint_paths: "m"\n'
        assert tf.train.latest_checkpoint("logs") == "logs/m"
        absolute = str(tmp_path / "logs" / "n")
        tf.train.Saver(save_relative_paths=True).save(sess, absolute)
        assert open("logs/checkpoint").read().startswith('model_checkpoint_path: "n"\n')
        assert tf.train.latest_checkpoint(str(tmp_path / "logs")) == absolute
        assert tf.train.Saver().save(sess, "here") == "here"
        assert tf.train.latest_checkpoint(".") == "./here"


def test_a_damaged_checkpoint_is_skipped(saved, tmp_path, capfd):
    _, _, first = saved
    with tf.Graph().as_default(), tf.Session() as sess:
        _model()
        saver = tf.train.Saver()
        saver.restore(sess, first)
        saver.recover_last_checkpoints([first])
        second = saver.save(sess, str(tmp_path / "model"), global_step=4)
    assert tf.train.latest_checkpoint(str(tmp_path)) == second
    with open(second + ".data-00000-of-00001", "r+b") as file:
        file.truncate(10)
    assert tf.train.latest_checkpoint(str(tmp_path)) == first
    said = capfd.readouterr().err
    assert second in said and "skipping checkpoint" in said
    os.remove(first + ".index")
    assert tf.train.latest_checkpoint(str(tmp_path)) is None
    (tmp_path / "checkpoint").write_text("no: fields: here")
    assert tf.train.get_checkpoint_state(str(tmp_path)) is None
    assert tf.train.latest_checkpoint(str(tmp_path / "none")) is None


def test_reading_by_name(saved, tmp_path):
    _, _, path = saved
    reader = tf.train.NewCheckpointReader(path)
    assert reader.get_variable_to_shape_map() == {"a": [2, 3], "b": []}
    assert reader.get_variable_to_dtype_map() == {"a": tf.float32, "b": tf.int64}
    assert reader.has_tensor("a") and not reader.has_tensor("c")
    assert reader.get_tensor("a").tolist() == [[1, 2, 3], [4, 5, 6]]
    assert reader.debug_string() == b"a (DT_FLOAT) [2,3]\nb (DT_INT64) []\n"
    with pytest.raises(tf.errors.NotFoundError, match="Key c not found"):
        reader.get_tensor("c")
    with pytest.raises(tf.errors.NotFoundError, match="matching files"):
        tf.train.NewCheckpointReader(str(tmp_path / "none"))
    with pytest.raises(tf.errors.DataLossError):
        tf.train.NewCheckpointReader(path + ".meta")
    assert tf.train.list_variables(str(tmp_path)) == [("a", [2, 3]), ("b", [])]
    assert tf.train.load_variable(path, "b:0") == 7
    with pytest.raises(ValueError, match="Couldn't find"):
        os.mkdir(tmp_path / "empty")
        tf.train.list_variables(str(tmp_path / "empty"))


def test_partitions_and_shards(tmp_path):
    values = np.arange(12, dtype=np.float32).reshape(4, 3)
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        parts = tf.get_variable("p", shape=[4, 3], partitioner=tf.fixed_size_partitioner(2))
        whole = tf.train.Saver()
        sharded = tf.train.Saver(sharded=True)
        sess.run([v.assign(values[2 * i:2 * i + 2]) for i, v in enumerate(parts)])
        for saver, name in ((whole, "m"), (sharded, "s")):
            path = saver.save(sess, str(tmp_path / name))
            reader = tf.train.NewCheckpointReader(path)
            assert reader.get_variable_to_shape_map() == {"p": [4, 3]}
            assert reader.get_tensor("p").tolist() == values.tolist()
        assert not [name for name in os.listdir(tmp_path) if "temp" in name]
        slices = graph.get_tensor_by_name("save/SaveV2/shape_and_slices:0")
        assert sess.run(slices).tolist() == [b"4 3 0,2:0,3", b"4 3 2,2:0,3"]
        sess.run([v.assign(v * 0) for v in parts])
        sharded.restore(sess, str(tmp_path / "m"))
        assert sess.run(tf.convert_to_tensor(parts)).tolist() == values.tolist()
    with tf.Graph().as_default(), tf.Session() as sess:
        other = tf.get_variable("p", shape=[4, 3], partitioner=tf.fixed_size_partitioner(3))
        tf.train.Saver().restore(sess, str(tmp_path / "s"))
        assert sess.run(tf.convert_to_tensor(other)).tolist() == values.tolist()


def test_the_first_format(tmp_path):
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        a, b = _model()
        saver = tf.train.Saver(write_version=tf.train.SaverDef.V1, max_to_keep=1)
        sharded = tf.train.Saver(write_version=tf.train.SaverDef.V1, sharded=True, name="shards")
        assert saver.saver_def.version == tf.train.SaverDef.V1
        assert graph.get_operation_by_name("save/save").type == "SaveSlices"
        assert sharded.saver_def.save_tensor_name == "shards/ShardedFilespec:0"
        sess.run(tf.global_variables_initializer())
        first = saver.save(sess, str(tmp_path / "m"), global_step=1)
        assert sorted(os.listdir(tmp_path)) == ["checkpoint", "m-1", "m-1.meta"]
        path = saver.save(sess, str(tmp_path / "m"), global_step=2)
        assert not os.path.exists(first) and tf.train.latest_checkpoint(str(tmp_path)) == path
        several = sharded.save(sess, str(tmp_path / "s"))
        assert several == str(tmp_path / "s-?????-of-00001") and os.path.exists(tmp_path / "s.meta")
        for checkpoint in (path, several):
            sess.run([a.assign(a * 0), b.assign(0)])
            tf.train.Saver().restore(sess, checkpoint)
            assert sess.run(a).tolist() == [[1, 2, 3], [4, 5, 6]] and sess.run(b) == 7


def test_tables_are_saved(tmp_path):
    def tables():
        return [tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1, name="words"),
                tf.contrib.lookup.MutableDenseHashTable(tf.int64, tf.float32, [0.0, 0.0], empty_key=-1, deleted_key=-2, name="dense"),
                tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1, name="forgotten", checkpoint=False)]
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        _model()
        words, dense, forgotten = tables()
        assert [s.name for s in tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)] == ["words", "dense"]
        saver = tf.train.Saver()
        assert graph.get_operation_by_name("save/words_table_restore/LookupTableImportV2").colocation_groups() == [b"loc:@words"]
        sess.run(tf.global_variables_initializer())
        sess.run([words.insert(["a", "b"], [1, 2]), dense.insert([5], [[1.0, 2.0]]), forgotten.insert(["a"], [1])])
        path = saver.save(sess, str(tmp_path / "m"))
    assert set(tf.train.NewCheckpointReader(path).get_variable_to_shape_map()) == {
        "a", "b", "words-keys", "words-values", "dense-keys", "dense-values"}
    with tf.Graph().as_default(), tf.Session() as sess:
        _model()
        words, dense, forgotten = tables()
        sess.run(words.insert(["c"], [3]))
        tf.train.Saver().restore(sess, path)
        assert sess.run(words.lookup(tf.constant(["a", "b", "c"]))).tolist() == [1, 2, -1]
        assert sess.run(dense.lookup(tf.constant([5, 6], tf.int64))).tolist() == [[1, 2], [0, 0]]
        assert sess.run(forgotten.size()) == 0
    with tf.Graph().as_default(), tf.Session() as sess:  # only a table
        tables()[0].insert(["a"], [1])
        assert tf.train.Saver().saver_def.restore_op_name == "save/restore_all"


def test_saveables_are_saved_by_a_list(tmp_path):
    with tf.Graph().as_default(), tf.Session() as sess:
        iterator = tf.data.Dataset.range(100).make_initializable_iterator()
        following = iterator.get_next()
        table = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1, name="words")
        v = tf.Variable(1.0, name="v")
        position = tf.data.experimental.make_saveable_from_iterator(iterator)
        only_position = tf.train.Saver([position])
        saver = tf.train.Saver([v, position, *tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)])
        sess.run([iterator.initializer, v.initializer, table.insert(["a"], [1])])
        assert [sess.run(following) for _ in range(3)] == [0, 1, 2]
        path, whole = only_position.save(sess, str(tmp_path / "p")), saver.save(sess, str(tmp_path / "w"))
        assert [sess.run(following) for _ in range(2)] == [3, 4]
        only_position.restore(sess, path)
        assert sess.run(following) == 3
        saver.restore(sess, whole)
        assert sess.run(following) == 3
    assert len(tf.train.list_variables(path)) == 1
    assert {name for name, _ in tf.train.list_variables(whole)} > {"v", "words-keys", "words-values"}


def test_a_part_of_a_graph_is_exported(tmp_path):
    path = str(tmp_path / "part.meta")
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [], name="x")
        with tf.variable_scope("layer"):
            w = tf.get_variable("w", initializer=3.0)
            y = tf.multiply(w, x, name="y")
        tf.get_variable("outside", initializer=1.0)
        tf.add_to_collection("results", y)
        tf.add_to_collection("results", x)
        meta = tf.train.export_meta_graph(path, export_scope="layer")
        with pytest.raises(ValueError, match="no nodes below 'nowhere'"):
            tf.train.export_meta_graph(export_scope="nowhere")
    assert {node.name for node in meta.graph_def.node} == {"w", "w/initial_value", "w/Assign", "w/read", "y"}
    assert list(meta.collection_def["results"].node_list.value) == ["y:0"]
    assert list(meta.collection_def["unbound_inputs"].bytes_list.value) == [b"$unbound_inputs_x"]
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        with pytest.raises(ValueError, match=r"unbound inputs: \$unbound_inputs_x"):
            tf.train.import_meta_graph(path)
        saver = tf.train.import_meta_graph(path, import_scope="again", input_map={"$unbound_inputs_x": tf.constant(5.0)})
        assert [v.name for v in tf.global_variables()] == ["again/w:0"] and saver is not None
        sess.run(tf.global_variables_initializer())
        assert sess.run(tf.get_collection("results")) == [15.0]
        assert graph.get_operation_by_name("again/w/Assign").colocation_groups() == [b"loc:@again/w"]


def test_every_task_of_a_cluster_writes_its_own_shard(tmp_path):
    spec = tf.train.ClusterSpec(free_cluster(ps=2))
    servers = [tf.train.Server(spec, job_name="ps", task_index=task) for task in range(2)]
    with tf.Graph().as_default() as graph:
        variables = []
        for task in range(2):
            with tf.device(f"/job:ps/task:{task}"):
                variables.append(tf.get_variable(f"v{task}", initializer=np.float32([task, 5])))
        saver = tf.train.Saver(sharded=True)
        with tf.Session(servers[0].target) as sess:
            sess.run(tf.global_variables_initializer())
            path = saver.save(sess, str(tmp_path / "m"))
            sess.run([v.assign([9, 9]) for v in variables])
            saver.restore(sess, path)
            assert [value.tolist() for value in sess.run(variables)] == [[0, 5], [1, 5]]
    for server in servers:
        server.stop()
    assert {"m.data-00000-of-00002", "m.data-00001-of-00002", "m.index"} < set(os.listdir(tmp_path))
    assert not [name for name in os.listdir(tmp_path) if "temp" in name]
    nodes = {node.name: node for node in graph.as_graph_def().node}
    assert nodes["save/SaveV2_1"].device == "/job:ps/task:1/device:CPU:0"
    assert list(nodes["save/MergeV2Checkpoints/checkpoint_prefixes"].input)[:2] == ["save/ShardedFilename", "save/ShardedFilename_1"]
    assert list(nodes["save/restore_all"].input) == ["^save/restore_all/NoOp", "^save/restore_all/NoOp_1"]
    assert nodes["save/restore_shard_1"].device == "/job:ps/task:1"
    assert saver.as_saver_def().save_tensor_name == "save/Identity:0" and saver.as_saver_def().sharded


def test_meta_graphs_carry_collections(saved, tmp_path):
    _, _, path = saved
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        saver = tf.train.import_meta_graph(path + ".meta")
        saver.restore(sess, path)
        assert [v.name for v in tf.global_variables()] == ["a:0", "b:0"]
        assert [v.name for v in tf.trainable_variables()] == ["a:0"]
        assert sess.run("a:0")[0, 1] == 2
        assert tf.trainable_variables()[0] is tf.global_variables()[0]
        y = tf.identity(tf.global_variables()[0], name="y")
        for key, item in (("texts", "hello"), ("numbers", 3), ("tensors", y), ("ops", y.op), ("fractions", 0.5)):
            tf.add_to_collection(key, item)
        tf.add_to_collection("savers", saver)
        meta = tf.train.export_meta_graph(str(tmp_path / "more.meta"), saver_def=saver.as_saver_def())
    assert meta.meta_info_def.tensorflow_version.startswith("1.15")
    assert {op.name for op in meta.meta_info_def.stripped_op_list.op} >= {"VariableV2", "SaveV2", "Identity"}
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        saver = tf.train.import_meta_graph(str(tmp_path / "more.meta"), import_scope="in")
        assert tf.get_collection("texts") == [b"hello"] and tf.get_collection("numbers") == [3]
        assert tf.get_collection("fractions") == [0.5]
        assert tf.get_collection("tensors") == [graph.get_tensor_by_name("in/y:0")]
        assert tf.get_collection("ops") == [graph.get_operation_by_name("in/y")]
        assert tf.get_collection("savers")[0].as_saver_def().restore_op_name == "in/save/restore_all"
        assert tf.global_variables()[0].name == "in/a:0"
        saver.restore(sess, path)
        assert sess.run("in/y:0")[1, 2] == 6
    with pytest.raises(OSError):
        tf.train.import_meta_graph(str(tmp_path / "none.meta"))


def test_meta_graphs_as_text_and_without_devices(tmp_path):
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            v = tf.Variable(1.0, name="v")
        with tf.device("/cpu:0"):
            tf.assign_add(v, 2.0, name="add")
        tf.train.Saver(name="one")
        tf.train.Saver(name="two")
        file = str(tmp_path / "g.meta")
        meta = tf.train.export_meta_graph(file, as_text=True, clear_devices=True, strip_default_attrs=True, clear_extraneous_savers=True)
        assert {node.device for node in meta.graph_def.node} == {""}
        assert not [node for node in meta.graph_def.node if node.op == "SaveV2"]
        assert "use_locking" not in {n.name: n for n in meta.graph_def.node}["add"].attr
    with tf.Graph().as_default(), tf.Session() as sess:
        saver = tf.train.import_meta_graph(file)
        assert isinstance(saver, tf.train.Saver)
        sess.run(tf.global_variables_initializer())
        assert sess.run("add:0") == 3


def test_registered_messages_cross(tmp_path):
    from weir.lib.collection import register_proto_function

    class Thing:
        def __init__(self, path):
            self.path = path

    register_proto_function("things", tf.train.SaverDef, lambda thing, export_scope=None: tf.train.SaverDef(filename_tensor_name=thing.path),
                            lambda proto, import_scope=None: Thing(proto.filename_tensor_name))
    with tf.Graph().as_default():
        tf.add_to_collection("things", Thing("x"))
        tf.add_to_collection("unknown", object())
        meta = tf.train.export_meta_graph()
    assert "unknown" not in meta.collection_def
    with tf.Graph().as_default():
        assert tf.train.import_meta_graph(meta) is None
        assert [t.path for t in tf.get_collection("things")] == ["x"]


def test_savers_of_sessions_that_are_wrapped(tmp_path):
    class Wrapper:
        def __init__(self, sess):
            self.graph, self.runs, self._sess = sess.graph, 0, sess

        def run(self, *args, **kwargs):
            self.runs += 1
            return self._sess.run(*args, **kwargs)

    with tf.Graph().as_default(), tf.Session() as sess:
        _model()
        sess.run(tf.global_variables_initializer())
        wrapper = Wrapper(sess)
        saver = tf.train.Saver()
        saver.restore(wrapper, saver.save(wrapper, str(tmp_path / "m")))
        assert wrapper.runs == 2


def test_optimizer_slots_are_saved(tmp_path):
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.get_variable("v", initializer=np.float32(3))
        train = tf.train.AdamOptimizer(0.1).minimize(v * v)
        saver = tf.train.Saver()
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        path = saver.save(sess, str(tmp_path / "m"))
        sess.run(train)
        expected = sess.run(v)
        saver.restore(sess, path)
        sess.run(train)
        assert sess.run(v) == expected
        assert {name for name, _ in tf.train.list_variables(path)} == {"v", "v/Adam", "v/Adam_1", "beta1_power", "beta2_power"}


def test_variables_begin_with_values_of_a_checkpoint(saved, tmp_path):
    _, _, path = saved
    with tf.Graph().as_default(), tf.Session() as sess:
        with tf.variable_scope("net"):
            a = tf.get_variable("a", shape=[2, 3])
            b = tf.get_variable("b", shape=[], dtype=tf.int64, initializer=tf.zeros_initializer(), use_resource=True)
        parts = tf.get_variable("parts", shape=[2, 3], partitioner=tf.fixed_size_partitioner(2))
        other = tf.get_variable("other", initializer=1.0)
        tf.train.init_from_checkpoint(path, {"/": "net/"})
        tf.train.init_from_checkpoint(str(tmp_path), {"a": parts})
        sess.run(tf.global_variables_initializer())
        assert sess.run(a).tolist() == [[1, 2, 3], [4, 5, 6]] and sess.run(b) == 7
        assert sess.run(tf.convert_to_tensor(parts)).tolist() == [[1, 2, 3], [4, 5, 6]]
        assert sess.run(other) == 1
        with pytest.raises(ValueError, match="not found"):
            tf.train.init_from_checkpoint(path, {"c": "other"})
        with pytest.raises(ValueError, match="doesn't match"):
            tf.train.init_from_checkpoint(path, {"a": other})
        with pytest.raises(ValueError, match="scope only"):
            tf.train.init_from_checkpoint(path, {"a": "net/"})


@pytest.mark.parametrize("kind", [None, "GZIP", "ZLIB"])
def test_record_files(tmp_path, kind):
    path = str(tmp_path / "r")
    options = tf.python_io.TFRecordOptions(kind) if kind else None
    with tf.python_io.TFRecordWriter(path, options) as writer:
        for record in (b"one", "two", b""):
            writer.write(record)
    assert list(tf.python_io.tf_record_iterator(path, options)) == [b"one", b"two", b""]
    if kind is None:
        with open(path, "r+b") as file:
            file.seek(13)
            file.write(b"?")
        with pytest.raises(tf.errors.DataLossError, match="offset 0"):
            list(tf.python_io.tf_record_iterator(path))
    with pytest.raises(tf.errors.NotFoundError):
        list(tf.python_io.tf_record_iterator(str(tmp_path / "none")))
    with pytest.raises(ValueError, match="compression_type"):
        tf.python_io.TFRecordOptions("BZIP")


def test_write_graph(tmp_path):
    with tf.Graph().as_default() as graph:
        tf.constant(1.0, name="c")
    text = tf.train.write_graph(graph, str(tmp_path / "d"), "g.pbtxt")
    assert 'name: "c"' in open(text).read()
    binary = tf.train.write_graph(graph.as_graph_def(), str(tmp_path / "d"), "g.pb", as_text=False)
    read = tf.GraphDef()
    read.ParseFromString(open(binary, "rb").read())
    assert read.node[0].name == "c"


def test_threads_that_save_at_once(tmp_path):
    """A supervisor may save while the program does. The saves are serialized, and all of them succeed."""
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.get_variable("v", [1000], initializer=tf.zeros_initializer())
        sess.run(tf.global_variables_initializer())
        saver = tf.train.Saver(max_to_keep=3)
        errors = []

        def save(first):
            try:
                for step in range(first, first + 20):
                    saver.save(sess, str(tmp_path / "model"), global_step=step // 2)
            except Exception as error:  # pytest does not report errors of threads
                errors.append(error)

        threads = [threading.Thread(target=save, args=(first,)) for first in (0, 1, 2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors
        assert len(saver.last_checkpoints) <= 3 and all(map(tf.train.checkpoint_exists, saver.last_checkpoints))
        assert tf.train.latest_checkpoint(str(tmp_path)) == saver.last_checkpoints[-1]
        saver.restore(sess, saver.last_checkpoints[-1])
