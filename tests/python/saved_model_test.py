"""Tests tf.saved_model: saving and loading by tags, with signatures, assets and main op."""
import os

import numpy as np
import pytest

import weir as tf


def linear():
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    w = tf.get_variable("w", initializer=[[1.0], [2.0]])
    return x, w, tf.matmul(x, w, name="y")


def loaded(folder, tags, **more):
    """Returns a session with a new graph, and the loaded MetaGraphDef."""
    session = tf.Session(graph=tf.Graph())
    with session.graph.as_default():
        return session, tf.saved_model.load(session, tags, folder, **more)


def test_a_simple_model_predicts_what_it_did(tmp_path):
    x, w, y = linear()
    folder = str(tmp_path / "model")
    with tf.Session() as session:
        session.run(w.initializer)
        session.run(w.assign([[3.0], [4.0]]))
        tf.saved_model.simple_save(session, folder, {"x": x}, {"y": y})
    assert tf.saved_model.contains_saved_model(folder) and not tf.saved_model.contains_saved_model(str(tmp_path))
    assert sorted(os.listdir(folder)) == ["saved_model.pb", "variables"]
    session, meta = loaded(folder, ["serve"])
    signature = meta.signature_def[tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY]
    assert tf.saved_model.is_valid_signature(signature)
    assert (signature.inputs["x"].name, signature.outputs["y"].name) == ("x:0", "y:0")
    assert session.run("y:0", {"x:0": [[1, 1]]}) == [[7]]


def test_graphs_of_several_tags_share_variables(tmp_path):
    x, w, y = linear()
    builder = tf.saved_model.Builder(str(tmp_path / "model"))
    with tf.Session() as session:
        session.run(w.initializer)
        builder.add_meta_graph_and_variables(session, ["train", "gpu"])
    with tf.Graph().as_default():
        linear()
        tf.identity(tf.get_default_graph().get_tensor_by_name("y:0"), name="served")
        builder.add_meta_graph(["serve"])
    assert builder.save() == os.fsencode(tmp_path / "model" / "saved_model.pb")
    session, _ = loaded(str(tmp_path / "model"), ["gpu", "train"])
    assert session.run("y:0", {"x:0": [[1, 0]]}) == [[1]]
    with pytest.raises(KeyError, match="served"):
        session.graph.get_tensor_by_name("served:0")
    session, _ = loaded(str(tmp_path / "model"), "serve", import_scope="inside")
    assert session.run("inside/served:0", {"inside/x:0": [[0, 1]]}) == [[2]]
    with pytest.raises(RuntimeError, match=r"tags \{train\} could not be found .*available: \{gpu, train\}, \{serve\}"):
        loaded(str(tmp_path / "model"), ["train"])


def test_the_main_op_runs_with_the_current_asset_paths(tmp_path):
    (tmp_path / "words.txt").write_text("one two")
    path = tf.constant(str(tmp_path / "words.txt"), name="path")
    words = tf.get_variable("words", initializer="", collections=[tf.GraphKeys.LOCAL_VARIABLES])
    main = tf.group(words.assign(tf.read_file(path)), name="main")
    builder = tf.saved_model.Builder(str(tmp_path / "model"))
    with tf.Session() as session:
        builder.add_meta_graph_and_variables(session, ["serve"], assets_collection=[path], main_op=main)
    builder.save(as_text=True)
    (tmp_path / "words.txt").write_text("changed")
    os.rename(tmp_path / "model", tmp_path / "moved")
    session, _ = loaded(str(tmp_path / "moved"), ["serve"])
    assert session.run("words:0") == b"one two"


def test_calls_in_the_wrong_order_are_errors(tmp_path):
    builder = tf.saved_model.Builder(str(tmp_path / "model"))
    with pytest.raises(AssertionError, match="add_meta_graph_and_variables.* comes first"):
        builder.add_meta_graph(["serve"])
    with tf.Session() as session:
        builder.add_meta_graph_and_variables(session, ["serve"])
        with pytest.raises(AssertionError, match="already been saved"):
            builder.add_meta_graph_and_variables(session, ["serve"])
    builder.save()
    with pytest.raises(AssertionError, match="isn't empty"):
        tf.saved_model.Builder(str(tmp_path / "model"))
    with pytest.raises(OSError, match="does not exist"):
        loaded(str(tmp_path / "none"), ["serve"])


def test_a_damaged_model_is_an_error(tmp_path):
    x, w, y = linear()
    with tf.Session() as session:
        session.run(w.initializer)
        tf.saved_model.simple_save(session, str(tmp_path / "model"), {"x": x}, {"y": y})
    file = tmp_path / "model" / "saved_model.pb"
    whole = file.read_bytes()
    file.write_bytes(whole[:len(whole) // 2])
    with pytest.raises(tf.errors.DataLossError, match="saved_model.pb"):
        loaded(str(tmp_path / "model"), ["serve"])


def test_two_assets_of_one_name_are_an_error(tmp_path):
    for folder in ["a", "b"]:
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "words").write_text(folder)
    paths = [tf.constant(str(tmp_path / folder / "words")) for folder in ["a", "b"]]
    builder = tf.saved_model.Builder(str(tmp_path / "model"))
    with tf.Session() as session, pytest.raises(ValueError, match="the same name"):
        builder.add_meta_graph_and_variables(session, ["serve"], assets_collection=paths)
    with tf.Session() as session, pytest.raises(ValueError, match="expected a constant"):
        builder.add_meta_graph_and_variables(session, ["serve"], assets_collection=[tf.placeholder(tf.string, [])])


def test_signatures(tmp_path):
    text, number, score = tf.constant("a"), tf.constant(1), tf.constant(1.0)
    utils = tf.saved_model.signature_def_utils
    with pytest.raises(ValueError, match="`inputs` cannot be None or empty"):
        utils.predict_signature_def({}, {"y": score})
    with pytest.raises(ValueError, match="output tensors must be of type float. Found tensors with type 3"):
        utils.regression_signature_def(text, number)
    with pytest.raises(ValueError, match="cannot both be None"):
        utils.classification_signature_def(text, None, None)
    assert utils.is_valid_signature(utils.regression_signature_def(text, score))
    classes = utils.classification_signature_def(text, text, score)
    assert utils.is_valid_signature(classes) and classes.method_name == "tensorflow/serving/classify"
    classes.outputs["scores"].dtype = 3
    assert not utils.is_valid_signature(classes) and not utils.is_valid_signature(utils.build_signature_def())
    sparse = tf.sparse_placeholder(tf.float32, name="sparse")
    info = tf.saved_model.utils.build_tensor_info(sparse)
    assert info.coo_sparse.values_tensor_name == "sparse/values:0" and info.tensor_shape.unknown_rank
    found = tf.saved_model.utils.get_tensor_from_tensor_info(info)
    assert found.indices.name == "sparse/indices:0"
    variable = tf.saved_model.utils.build_tensor_info(tf.Variable([1.0, 2.0], name="v"))
    assert (variable.name, variable.dtype) == ("v:0", 101) and variable.tensor_shape.dim[0].size == 2
    broken = utils.build_signature_def({"x": type(info)(dtype=1)})
    with tf.Session() as session, pytest.raises(ValueError, match="signature 'k': 'x' names no tensor"):
        tf.saved_model.Builder(str(tmp_path / "m")).add_meta_graph_and_variables(session, ["serve"], {"k": broken})


def test_assets_and_init_op_of_newer_files_are_used(tmp_path):
    """Newer files list assets in the message, and the op to run as a signature."""
    (tmp_path / "words.txt").write_text("one two")
    path = tf.constant(str(tmp_path / "words.txt"), name="path")
    words = tf.get_variable("words", initializer="", collections=[tf.GraphKeys.LOCAL_VARIABLES])
    tf.group(words.assign(tf.read_file(path)), name="main")
    builder = tf.saved_model.Builder(str(tmp_path / "model"))
    with tf.Session() as session:
        builder.add_meta_graph_and_variables(session, ["serve"])
    builder.save()
    from weir.proto import message_class
    model = message_class("SavedModel").FromString((tmp_path / "model" / "saved_model.pb").read_bytes())
    meta = model.meta_graphs[0]
    meta.signature_def["__saved_model_init_op"].outputs["__saved_model_init_op"].name = "main"
    asset = meta.asset_file_def.add(filename="words.txt")
    asset.tensor_info.name = "path:0"
    (tmp_path / "model" / "saved_model.pb").write_bytes(model.SerializeToString())
    os.makedirs(tmp_path / "model" / "assets")
    os.rename(tmp_path / "words.txt", tmp_path / "model" / "assets" / "words.txt")
    session, _ = loaded(str(tmp_path / "model"), ["serve"])
    assert session.run("words:0") == b"one two"
    meta.signature_def["__saved_model_init_op"].outputs["__saved_model_init_op"].name = "none"
    (tmp_path / "model" / "saved_model.pb").write_bytes(model.SerializeToString())
    with pytest.raises(Exception, match="no node 'none', to which its '__saved_model_init_op' refers"):
        loaded(str(tmp_path / "model"), ["serve"])


# --- load_v2 ---
def save_lookup(folder, words):
    """A model with a variable, a table that a file initializes, and a signature that returns a sparse tensor."""
    with tf.Graph().as_default(), tf.Session() as session:
        x, w = tf.placeholder(tf.float32, [None], name="x"), tf.get_variable("w", initializer=3.0)
        table = tf.contrib.lookup.index_table_from_file(str(words))
        word = tf.placeholder(tf.string, [None], name="word")
        sparse = tf.sparse_placeholder(tf.float32, [None, 2])
        session.run([w.initializer, tf.tables_initializer()])
        session.run(w.assign(5.0))
        make = tf.saved_model.signature_def_utils.predict_signature_def
        signatures = {"serving_default": make({"x": x}, {"y": x * w, "z": x + 1}), "find": make({"word": word, "scale": x}, {"id": table.lookup(word)}),
                      "sparse": make({"s": sparse}, {"t": tf.SparseTensor(sparse.indices, sparse.values * w, sparse.dense_shape)})}
        builder = tf.saved_model.Builder(str(folder))
        builder.add_meta_graph_and_variables(session, ["serve"], signatures, assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
                                             main_op=tf.tables_initializer())
        builder.save()


def test_signatures_as_functions(tmp_path):
    (tmp_path / "words.txt").write_text("one\ntwo\n")
    save_lookup(tmp_path / "m", tmp_path / "words.txt")
    (tmp_path / "words.txt").unlink()
    model = tf.saved_model.load_v2(str(tmp_path / "m"))
    again = tf.saved_model.load_v2(str(tmp_path / "m"), tags=["serve"])
    assert sorted(model.signatures) == ["find", "serving_default", "sparse"] and tf.global_variables() == []
    f = model.signatures["serving_default"]
    v = tf.get_variable("v", initializer=[1.0, 2.0])
    first, second, other = f(v), f(x=tf.constant([10.0])), again.signatures["serving_default"](v)
    ids = model.signatures["find"](word=tf.constant(["two", "one", "three"]), scale=tf.constant([1.0]))["id"]
    sparse = model.signatures["sparse"](s=tf.SparseTensor([[0, 1]], [2.0], [1, 2]))["t"]
    gradient, = tf.gradients(first["y"], v)
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        assert session.run([first["y"], second["z"], other["y"], gradient, ids]) and session.run(second["y"]).tolist() == [50]
        assert session.run(first["y"]).tolist() == session.run(other["y"]).tolist() == [5, 10] and session.run(gradient).tolist() == [5, 5]
        assert session.run(ids).tolist() == [1, 0, -1] and session.run(sparse).values.tolist() == [10]
    assert f.structured_input_signature == ((), {"x": tf.TensorSpec([None], tf.float32, "x")})
    assert [t.shape.as_list() for t in f.inputs + f.outputs] == [[None]] * 3 and sorted(f.structured_outputs) == ["y", "z"]
    for call in (lambda: f(q=v), lambda: f(v, v), lambda: f(), lambda: model.signatures["find"](v)):
        with pytest.raises(TypeError):
            call()


def test_load_v2_chooses_a_meta_graph(tmp_path):
    with tf.Session() as session:
        x, w = tf.placeholder(tf.float32, [], name="x"), tf.get_variable("w", initializer=3.0)
        session.run(w.initializer)
        builder = tf.saved_model.Builder(str(tmp_path / "m"))
        builder.add_meta_graph_and_variables(session, ["train"])
        builder.add_meta_graph(["serve", "gpu"], {"f": tf.saved_model.predict_signature_def({"x": x}, {"y": x * w})})
        builder.save()
    with pytest.raises(ValueError, match="there are 2 MetaGraphs"):
        tf.saved_model.load_v2(str(tmp_path / "m"))
    with pytest.raises(RuntimeError, match="associated with tags \\['serve'\\]"):
        tf.saved_model.load_v2(str(tmp_path / "m"), "serve")
    with pytest.raises(OSError, match="does not exist"):
        tf.saved_model.load_v2(str(tmp_path / "none"))
    assert tf.saved_model.load_v2(str(tmp_path / "m"), ["train"]).signatures == {}
    y = tf.saved_model.load_v2(str(tmp_path / "m"), ["gpu", "serve"]).signatures["f"](tf.constant(2.0))["y"]
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        assert session.run(y) == 6.0
