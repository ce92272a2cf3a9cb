"""Tests tf.get_variable with every kind of initializer, partitioned variables, templates, caching devices."""
import numpy as np
import pytest

import weir as tf

TABLE = np.arange(8.0).reshape(4, 2).astype(np.float32)


@pytest.fixture(autouse=True)
def fresh_graph():
    with tf.Graph().as_default():
        yield


def values(fetches):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches)


@pytest.mark.parametrize("initializer, options", [(TABLE, {"shape": [4, 2]}), (lambda: tf.constant(TABLE), {})])
def test_initial_values_in_pieces(initializer, options):
    v = tf.get_variable("v", initializer=initializer() if not options else initializer, partitioner=tf.fixed_size_partitioner(2), **options)
    assert [part.name for part in v] == ["v/part_0:0", "v/part_1:0"]
    np.testing.assert_array_equal(values(tf.convert_to_tensor(v)), TABLE)
    np.testing.assert_array_equal(values(list(v)[1]), TABLE[2:])


def test_a_partitioned_variable_is_shared_without_its_partitioner():
    with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(2)):
        v = tf.get_variable("v", [4, 2])
    with tf.variable_scope("s", reuse=True):
        assert tf.get_variable("v", [4, 2]) is v and tf.get_variable("v") is v
    with tf.variable_scope("s", reuse=tf.AUTO_REUSE), pytest.raises(ValueError, match="No partitioner was provided, but a partitioned version"):
        tf.get_variable("v", [4, 2])
    with tf.variable_scope("s", reuse=True), pytest.raises(ValueError, match=r"specified partitions \[4, 1\] and found partitions \[2, 1\]"):
        tf.get_variable("v", [4, 2], partitioner=tf.fixed_size_partitioner(4))


def test_initializers_without_a_shape():
    v = tf.get_variable("v", initializer=lambda: tf.constant(TABLE))
    assert v.shape.as_list() == [4, 2] and v.dtype.base_dtype == tf.float32
    np.testing.assert_array_equal(values(v), TABLE)
    assert tf.get_variable("i", initializer=lambda: [1, 2]).dtype.base_dtype == tf.int32
    for wrong in (tf.ones_initializer(), lambda shape, dtype=None: tf.ones([2])):
        with pytest.raises(ValueError, match="The initializer passed is not valid"):
            tf.get_variable("w", initializer=wrong)
    with pytest.raises(ValueError, match="Initializer type '<dtype: 'float32'>' and explicit dtype '<dtype: 'float64'>' don't match"):
        tf.get_variable("w", initializer=TABLE, dtype=tf.float64)


def test_partitions_are_checked():
    wrong = {"does not match the Variable's rank": [2], "along one dimension": [2, 2], "zero partitions": [0, 1], "offset < shape": [9, 1],
             "must return a sequence": 3}
    for text, partitions in wrong.items():
        with pytest.raises(ValueError, match=text):
            tf.get_variable("v", [4, 2], partitioner=lambda shape, dtype: partitions)


def test_a_reference_knows_whether_it_is_initialized():
    v = tf.Variable(1.0, use_resource=False)
    flag = tf.is_variable_initialized(v.op.outputs[0])
    with tf.Session() as sess:
        assert not sess.run(flag)
        sess.run(v.initializer)
        assert sess.run(flag)


@pytest.mark.parametrize("now", [False, True])
def test_names_of_a_template(now):
    def body():
        return tf.add(tf.get_variable("v", []), 1.0, name="add")
    foo = tf.make_template("foo", body, create_scope_now_=now)
    assert [foo().name for _ in range(3)] == ["foo/add:0", "foo_1/add:0", "foo_2/add:0"]
    assert [v.name for v in tf.global_variables()] == ["foo/v:0"] == [v.name for v in foo.variables]
    with tf.name_scope("outer"):
        assert foo().name == "outer/foo/add:0"
    again = tf.make_template("foo", body, create_scope_now_=now)
    again()
    assert again.variable_scope_name == "foo_1/"


def test_a_template_that_makes_variables_each_time():
    made = tf.make_template("foo", lambda: tf.Variable(1.0))
    made()
    with pytest.raises(ValueError, match="Trainable variable created when calling a template after the first time"):
        made()
    untrained = tf.make_template("bar", lambda: tf.Variable(1.0, trainable=False))
    assert untrained() is not untrained()


@pytest.mark.parametrize("use_resource", [False, True])
def test_reads_are_on_the_caching_device(use_resource):
    with tf.device("/job:ps"), tf.variable_scope("s", caching_device="/job:worker"):
        v = tf.get_variable("v", [2], use_resource=use_resource)
    assert v.value().device == "/job:worker" and v.device == "/job:ps"
    assert tf.add(v, 1.0).op.inputs[0] is tf.multiply(v, 2.0).op.inputs[0] is v.value()
    with tf.variable_scope("s", caching_device="/job:other"):
        assert tf.get_variable("w", [2], use_resource=use_resource).value().device == "/job:other"


def test_a_cached_variable_is_read_and_trained():
    v = tf.get_variable("v", [], initializer=tf.ones_initializer(), use_resource=True, caching_device="/cpu:0")
    train = tf.train.GradientDescentOptimizer(0.5).minimize(v * v)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        assert sess.run(v) == 0.0


def test_imported_graphs_are_in_the_name_scope_around():
    with tf.Graph().as_default():
        tf.add(tf.Variable(1.0, name="v"), 2.0, name="add")
        meta = tf.train.export_meta_graph(saver_def=tf.train.Saver().as_saver_def())
    with tf.name_scope("outer"):
        saver = tf.train.import_meta_graph(meta)
        tf.train.import_meta_graph(meta, import_scope="imp")
    assert [v.name for v in tf.global_variables()] == ["outer/v:0", "outer/imp/v:0"]
    assert saver.as_saver_def().filename_tensor_name.startswith("outer/save/")
    assert values("outer/add:0") == 3.0


def test_settings_of_a_scope_can_be_read():
    partitioner = tf.fixed_size_partitioner(2)

    def getter(getter, name, *args, **kwargs):
        return getter(name, *args, **kwargs)

    def regularizer(value):
        return None

    def device(op):
        return "/cpu:0"

    with tf.Graph().as_default():
        outer = tf.get_variable_scope()
        assert (outer.regularizer, outer.partitioner, outer.custom_getter, outer.caching_device) == (None, None, None, None)
        with tf.variable_scope("a", regularizer=regularizer, partitioner=partitioner, custom_getter=getter, caching_device="/cpu:0"):
            with tf.variable_scope("b") as scope:
                assert (scope.regularizer, scope.partitioner, scope.custom_getter, scope.caching_device) == (regularizer, partitioner, getter, "/cpu:0")
                scope.set_partitioner(None)
                scope.set_caching_device(device)
                assert tf.get_variable_scope().partitioner is None and tf.get_variable_scope().caching_device is device


@pytest.mark.parametrize("use_resource", [False, True])
def test_variables_are_not_distributed(use_resource):
    with tf.Graph().as_default():
        v = tf.get_variable("v", [], use_resource=use_resource)
        assert v.aggregation == tf.VariableAggregation.NONE and v.synchronization == tf.VariableSynchronization.AUTO
