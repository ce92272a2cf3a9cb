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
