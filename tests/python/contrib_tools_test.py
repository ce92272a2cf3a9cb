"""Cluster resolvers, the profiler, vocabularies and the projector. tests/interop/both/cluster_answers.py compares more."""
import json

import numpy as np
import pytest

import weir as tf

resolvers = tf.distribute.cluster_resolver


# --- cluster resolvers ---
def test_the_task_of_tf_config(monkeypatch):
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": {"ps": ["a:1"], "worker": ["b:2", "c:3"]}, "task": {"type": "worker", "index": 1},
                                                "rpc_layer": "grpc"}))
    one = tf.contrib.cluster_resolver.TFConfigClusterResolver()
    assert (one.task_type, one.task_id, one.master(), one.master("ps", 0)) == ("worker", 1, "grpc://c:3", "grpc://a:1")
    assert one.cluster_spec().as_dict() == {"ps": ["a:1"], "worker": ["b:2", "c:3"]}
    monkeypatch.delenv("TF_CONFIG")
    assert one.master() == "" and one.task_type is None


def test_clusters_are_joined():
    first = resolvers.SimpleClusterResolver(tf.train.ClusterSpec({"worker": ["a:1"]}), master="m", task_type="worker", task_id=0)
    second = resolvers.SimpleClusterResolver(tf.train.ClusterSpec({"worker": ["b:2"], "ps": ["c:3"]}))
    both = tf.contrib.cluster_resolver.UnionClusterResolver(first, second)
    assert both.cluster_spec().as_dict() == {"worker": ["a:1", "b:2"], "ps": ["c:3"]}
    assert (both.master(), both.master("worker", 1), both.task_type) == ("m", "b:2", "worker")
    with pytest.raises(TypeError):
        resolvers.UnionResolver("a")


def test_slurm(monkeypatch):
    for name, value in {"PROCID": "3", "STEP_NUM_TASKS": "5", "STEP_NODELIST": "n[08-10],m[1,3]x", "STEP_TASKS_PER_NODE": "1(x5)"}.items():
        monkeypatch.setenv(f"SLURM_{name}", value)
    one = resolvers.SlurmClusterResolver({"ps": 1, "worker": 4}, port_base=7000)
    assert one.get_task_info() == ("worker", 2)
    assert one.cluster_spec().as_dict() == {"ps": ["m1x:7000"], "worker": ["m3x:7000", "n08:7000", "n09:7000", "n10:7000"]}
    assert one.master() == "grpc://n09:7000"
    with pytest.raises(RuntimeError):
        resolvers.SlurmClusterResolver({"worker": 6})


def test_a_server_of_a_resolver():
    server = tf.train.Server.create_local_server()
    address = server.target.removeprefix("grpc://")
    one = resolvers.SimpleClusterResolver(tf.train.ClusterSpec({"worker": [address]}), rpc_layer="grpc")
    with tf.Session(one.master("worker", 0)) as sess:
        assert sess.run(tf.constant(3)) == 3


# --- profiler ---
def test_parameters_and_float_operations(capsys):
    x = tf.placeholder(tf.float32, [2, 3])
    with tf.variable_scope("net"):
        w = tf.get_variable("w", [3, 4], initializer=tf.zeros_initializer())
        tf.matmul(x, w)
    builder = tf.profiler.ProfileOptionBuilder
    root = tf.profiler.profile(tf.get_default_graph(), options=builder.trainable_variables_parameter())
    assert root.total_parameters == 12 and [child.name for child in root.children] == ["net"]
    assert "net/w (12/12 params)" in capsys.readouterr().out
    quiet = builder(builder.float_operation()).with_empty_output().build()
    assert tf.profiler.profile(options=quiet).total_float_ops == 2 * 2 * 3 * 4
    assert tf.profiler.profile(cmd="op", options=quiet).children[0].name == "MatMul"
    assert capsys.readouterr().out == ""
    assert tf.contrib.tfprof.model_analyzer.print_model_analysis(
        tf.get_default_graph(), tfprof_options=tf.contrib.tfprof.model_analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS).total_parameters == 12


def test_times_of_steps(tmp_path):
    y = tf.matmul(tf.ones([64, 64]), tf.ones([64, 64]), name="y")
    metadata = tf.RunMetadata()
    with tf.Session(config=tf.ConfigProto(graph_options=tf.GraphOptions(optimizer_options=tf.OptimizerOptions(opt_level=-1)))) as sess:
        sess.run(y, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
        profiler = tf.profiler.Profiler(sess.graph)
        profiler.add_step(1, metadata)
        out = tmp_path / "profile.txt"
        options = tf.profiler.ProfileOptionBuilder(tf.profiler.ProfileOptionBuilder.time_and_memory(min_micros=0, min_bytes=0))
        root = profiler.profile_operations(options.with_file_output(str(out)).build())
    assert root.total_run_count >= 1 and "MatMul" in out.read_text()


# --- vocabularies ---
def test_texts_become_numbers(tmp_path):
    processor = tf.contrib.learn.preprocessing.VocabularyProcessor(4, min_frequency=0)
    found = np.array(list(processor.fit_transform(["I have a cat", "a cat and a dog barks", "I don't know"])))
    assert found.tolist() == [[1, 2, 3, 4], [3, 4, 5, 3], [1, 8, 9, 0]]
    assert len(processor.vocabulary_) == 10
    assert list(processor.transform(["a cat unheard"]))[0].tolist() == [3, 4, 0, 0]
    assert list(processor.reverse([[3, 4, 0, 0]])) == ["a cat <UNK> <UNK>"]
    processor.save(str(tmp_path / "vocab"))
    again = tf.contrib.learn.preprocessing.VocabularyProcessor.restore(str(tmp_path / "vocab"))
    assert list(again.transform(["a cat"]))[0].tolist() == [3, 4, 0, 0] and again.max_document_length == 4


def test_rare_words_are_unknown():
    processor = tf.contrib.learn.preprocessing.VocabularyProcessor(3, min_frequency=1)
    assert [list(ids) for ids in processor.fit_transform(["a b a", "b c"])] == [[1, 2, 1], [2, 0, 0]]
    vocabulary = tf.contrib.learn.preprocessing.CategoricalVocabulary(support_reverse=False)
    with pytest.raises(ValueError):
        vocabulary.reverse(0)


def test_bytes():
    processor = tf.contrib.learn.preprocessing.ByteProcessor(4)
    assert [list(ids) for ids in processor.fit_transform(["abc", "\u00e9\u00e9\u00e9"])] == [[97, 98, 99, 0], [195, 169, 195, 169]]


# --- the projector ---
def test_the_configuration_of_the_projector(tmp_path):
    from weir.contrib.tensorboard.plugins import projector
    config = projector.ProjectorConfig()
    embedding = config.embeddings.add()
    embedding.tensor_name = "words"
    embedding.metadata_path = 'a "path"'
    embedding.sprite.image_path = "sprite.png"
    embedding.sprite.single_image_dim.extend([28, 28])
    config.model_checkpoint_path = "model.ckpt"
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        projector.visualize_embeddings(writer, config)
    assert (tmp_path / "projector_config.pbtxt").read_text() == (
        'model_checkpoint_path: "model.ckpt"\nembeddings {\n  tensor_name: "words"\n  metadata_path: "a \\"path\\""\n  sprite {\n'
        '    image_path: "sprite.png"\n    single_image_dim: 28\n    single_image_dim: 28\n  }\n}\n')
    with pytest.raises(AttributeError):
        config.model_path = "other"
