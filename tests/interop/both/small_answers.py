"""Small public names that many programs use: assignment to slices, masks as indices, moving averages, specs, formats."""
import numpy as np

from both.answers import evaluate

CASES = {}


def case(function):
    CASES[function.__name__.replace("_", " ")] = function
    return function


def assigned(tf, key, value, use_resource, dtype=np.float32):
    v = tf.Variable(np.arange(12).reshape(3, 4).astype(dtype), use_resource=use_resource, name="v")
    update = v[key].assign(value)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return [sess.run(update), sess.run(v), update.dtype.base_dtype.name, update.name.startswith("strided_slice")]


_SLICES = {
    "a row": (1, [7, 7, 7, 7]), "rows": (slice(0, 2), np.full((2, 4), 5.0)), "a cell": ((2, 3), 9), "columns": ((Ellipsis, slice(1, 3)), np.zeros((3, 2))),
    "steps": ((slice(None, None, 2), slice(None, None, -1)), np.ones((2, 4))), "a wrong size": (slice(0, 2), np.zeros((3, 4))),
    "text": (0, "abc"), "nothing": (slice(1, 1), np.zeros((0, 4))),
}
for _name, (_key, _value) in _SLICES.items():
    for _resource in (False, True):
        CASES[f"assign {_name}, resource {_resource}"] = (
            lambda tf, key=_key, value=_value, resource=_resource: assigned(tf, key, value, resource)[:3])


@case
def assignment_to_a_slice_of_a_tensor(tf):
    return tf.constant([1, 2, 3])[0:1].assign([4])


@case
def a_tensor_that_is_no_slice_has_no_assign(tf):
    return hasattr(tf.constant([1, 2, 3]), "assign")


@case
def a_mask_as_index(tf):
    x = tf.constant(np.arange(12).reshape(3, 4))
    return evaluate(tf, [x[tf.constant([True, False, True])], x[np.array([[True, False, True, False]] * 3)], x > 5, x[x > 5]])


@case
def a_mask_of_unknown_rank(tf):
    return tf.constant([1, 2])[tf.placeholder(tf.bool)]


@case
def a_mask_of_another_shape(tf):
    return tf.constant([1, 2])[tf.constant([True, False, True])]


def moved(tf, zero_debias, use_resource, decay=0.9, dtype=np.float32):
    from importlib import import_module
    module = "tensorflow.python.training.moving_averages"
    assign = import_module(module).assign_moving_average if tf.__name__ != "weir" else tf.python.training.moving_averages.assign_moving_average
    v = tf.Variable(np.zeros(2, dtype), use_resource=use_resource, name="v")
    value = tf.placeholder(v.dtype.base_dtype, [2])
    update = assign(v, value, decay, zero_debias=zero_debias)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        steps = [sess.run(update, {value: [i, 10.0]}) for i in range(3)]
        return [steps, sess.run(v), sorted(x.name for x in tf.global_variables())]


for _debias in (False, True):
    for _resource in (False, True):
        for _type in (np.float32, np.float64):
            CASES[f"assign_moving_average debias {_debias} resource {_resource} {_type.__name__}"] = (
                lambda tf, d=_debias, r=_resource, t=_type: moved(tf, d, r, dtype=t))


PICTURES = np.random.RandomState(8).uniform(0, 200, (2, 5, 7, 3)).astype(np.float32)
TURNS = {
    "shift": [[1, 0, -2, 0, 1, 1, 0, 0]], "half shift": [[1, 0, 0.5, 0, 1, -1.5, 0, 0]], "turn": [[0.8, -0.6, 2.1, 0.6, 0.8, -1.2, 0, 0]],
    "two": [[1, 0.2, 0, -0.1, 1, 0, 0, 0], [0.5, 0, 1, 0, 2, -1, 0, 0]], "projection": [[1, 0, 0, 0, 1, 0, 0.1, -0.05]],
    "through infinity": [[1, 0, 0, 0, 1, 0, -0.5, 0]],
}


def turned(turn, method, dtype, size):
    """The op on the side of TensorFlow, tf.contrib.image.transform on this one."""
    def case(tf):
        images, transforms, shape = tf.constant(PICTURES.astype(dtype)), tf.constant(TURNS[turn], tf.float32), list(size or PICTURES.shape[1:3])
        if tf.__name__ == "weir":
            y = tf.contrib.image.transform(images, transforms, method, size)
        else:
            y = tf.raw_ops.ImageProjectiveTransformV2(images=images, transforms=transforms, output_shape=shape, interpolation=method)
        wanted = [y]
        if images.dtype.is_floating:  # shifts only: their inverses are exact
            wanted += tf.gradients(tf.sin(y * 0.01), images) if "shift" in turn else []
        return evaluate(tf, wanted)
    return case


for _turn in TURNS:
    for _method in ("NEAREST", "BILINEAR"):
        for _dtype, _size in (("float32", None), ("float32", (4, 9)), ("uint8", None)):
            CASES[f"transform {_turn} {_method} {_dtype} {_size}"] = turned(_turn, _method, _dtype, _size)


@case
def variables_that_must_be_initialized(tf):
    tf.Variable(1.0)
    tf.Variable([1.0, 2.0])
    check = tf.assert_variables_initialized()
    with tf.Session() as sess:
        try:
            sess.run(check)
            before = "fine"
        except tf.errors.FailedPreconditionError:
            before = "refused"
        sess.run(tf.global_variables_initializer())
        return [before, sess.run(check)]


@case
def one_variable_that_must_be_initialized(tf):
    v = tf.Variable([1.0, 2.0])
    with tf.Session() as sess:
        return sess.run(tf.assert_variables_initialized([v]))


@case
def no_variables_to_be_initialized(tf):
    return tf.assert_variables_initialized()


@case
def partitioned_variables(tf):
    parts = tf.create_partitioned_variables([4, 2], [2, 1], tf.ones_initializer(), name="p")
    return [[(p.name, str(p.shape)) for p in parts], evaluate(tf, list(parts))]


@case
def partitioned_variables_of_another_rank(tf):
    return tf.create_partitioned_variables([4, 2], [2], tf.ones_initializer())


@case
def formats(tf):
    return evaluate(tf, [tf.strings.format("a {} b {}", [tf.constant([1, 2, 3]), tf.constant("x")]),
                         tf.strings.format("%", tf.range(10), placeholder="%", summarize=2)])


@case
def a_format_with_too_few_inputs(tf):
    return tf.strings.format("{} {}", [tf.constant(1)])


@case
def slices_of_arrays(tf):
    s = tf.IndexedSlices(tf.constant(np.ones((2, 2))), np.arange(2), np.array([4, 2]))
    return evaluate(tf, tf.convert_to_tensor(s) if tf.__name__ == "weir" else tf.convert_to_tensor(
        tf.IndexedSlices(s.values, tf.constant(s.indices), tf.constant(s.dense_shape))))


@case
def specs(tf):
    a, b = tf.TensorSpec([None, 3], tf.int32, "x"), tf.TensorSpec([None, 3], tf.int32)
    return [a.shape.as_list(), a.dtype.name, a.name, b.name, a == tf.TensorSpec([None, 3], tf.int32, "x"), a == tf.TensorSpec([2, 3], tf.int32, "x"),
            a.is_compatible_with(tf.zeros([2, 3], tf.int32)), a.is_compatible_with(tf.zeros([2, 4], tf.int32)),
            repr(tf.TensorSpec([2], tf.float32)), tf.TensorSpec.from_tensor(tf.zeros([5], name="z")).name,
            str(tf.SparseTensorSpec([2, 2], tf.float32).dtype.name), tf.TensorSpec.from_spec(a, "y").name]


@case
def collections_of_a_graph(tf):
    tf.Variable(1.0, name="v")
    tf.add_to_collection("mine", 3)
    held = tf.get_default_graph()._collections
    return ["mine" in held, "absent" in held, list(held["mine"]), [v.name for v in held["variables"]]]


@case
def threads_of_a_graph(tf):
    return tf.get_default_graph().switch_to_thread_local()


@case
def a_library_of_ops_that_is_not_there(tf):
    return tf.load_op_library("/nowhere/ops.so")


@case
def a_python_function_of_values(tf):
    def twice(x, y):
        return x.numpy() * 2 + y.numpy(), x.shape[0]
    return evaluate(tf, tf.py_function(twice, [tf.constant([1.0, 2.0]), tf.constant(3.0)], [tf.float32, tf.int32]))


def staging_area(tf):
    if tf.__name__ == "weir":
        return tf.contrib.staging.StagingArea
    from tensorflow.python.ops import data_flow_ops
    return data_flow_ops.StagingArea


@case
def a_staging_area(tf):
    area = staging_area(tf)([tf.float32, tf.int32], shapes=[[2], []], capacity=2)
    x = tf.placeholder(tf.float32, [2])
    put, got = area.put([x, tf.constant(3)]), area.get()
    top, size, clear = area.peek(0), area.size(), area.clear()
    with tf.Session() as sess:
        sess.run(put, {x: [1, 2]})
        sess.run(put, {x: [3, 4]})
        values = [sess.run(top), sess.run(size), sess.run(got), sess.run([put, got], {x: [5, 6]})[1], sess.run(size)]
        sess.run(clear)
        return [values, sess.run(size), area.name, [t.name for t in area.dtypes], [str(s) for s in area.shapes], area.names, area.capacity,
                area.memory_limit, put.name, got[0].name, str(got[0].shape), size.name, clear.name, top[0].name,
                [o.name for o in tf.get_default_graph().get_operations() if o.type == "NoOp"][0]]


@case
def a_staging_area_with_names(tf):
    area = staging_area(tf)([tf.float32, tf.int32], names=["a", "b"])
    put, got = area.put({"b": tf.constant([2]), "a": tf.constant(1.0)}), area.get()
    with tf.Session() as sess:
        sess.run(put)
        return sess.run(got)


for _name, _arguments, _values in [
        ("another type", {}, lambda tf: [tf.constant(1)]), ("another number", {}, lambda tf: [tf.constant(1.0), tf.constant(1.0)]),
        ("a dict without names", {}, lambda tf: {"a": tf.constant(1.0)}), ("a list with names", {"names": ["a"]}, lambda tf: [tf.constant(1.0)]),
        ("another name", {"names": ["a"]}, lambda tf: {"b": tf.constant(1.0)}), ("another shape", {"shapes": [[3]]}, lambda tf: [tf.constant([1.0])]),
        ("too many shapes", {"shapes": [[3], [2]]}, lambda tf: []), ("too many names", {"names": ["a", "b"]}, lambda tf: []),
        ("a number as name", {"shared_name": 3}, lambda tf: []), ("a tensor alone", {}, lambda tf: tf.constant(1.0))]:
    CASES[f"staging {_name}"] = lambda tf, a=_arguments, v=_values: staging_area(tf)([tf.float32], **a).put(v(tf)).name


@case
def a_recomputed_gradient(tf):
    f = tf.recompute_grad(lambda x, y: (tf.sin(x) * y, y * y))
    x, y = tf.constant([1.0, 2.0]), tf.constant(4.0)
    values = f(x, y)
    return evaluate(tf, [values, tf.gradients(values, [x, y])])


@case
def a_recomputed_gradient_of_a_variable(tf):
    v = tf.get_variable("v", [2], initializer=tf.constant_initializer(3.0), use_resource=True)
    x = tf.constant([1.0, 2.0])
    y = tf.recompute_grad(lambda x: tf.sin(x * v))(x)
    return evaluate(tf, [y, tf.gradients(y, [x, v])])


@case
def a_custom_gradient_without_variables(tf):
    v = tf.get_variable("v", [], use_resource=True)
    return tf.custom_gradient(lambda x: (x * v, lambda dy: dy))(tf.constant(1.0)).name


@case
def a_custom_gradient_with_too_few_variables(tf):
    v, x = tf.get_variable("v", [], use_resource=True), tf.constant(1.0)
    return tf.gradients(tf.custom_gradient(lambda x: (x * v, lambda dy, variables: (dy, [])))(x), x)


@case
def a_custom_gradient_that_makes_a_reference(tf):
    return tf.custom_gradient(lambda x: (x * tf.get_variable("v", [], use_resource=False), lambda dy, variables: (dy, variables)))(tf.constant(1.0)).name


@case
def quantization(tf):
    x = tf.constant([[-1.0, 0.3, 2.0], [0.5, 0.6, 7.0]])
    q, low, high = tf.quantize(x, -1.0, 2.0, tf.quint8)
    rows = tf.quantization.quantize(x, [-1.0, 0.0], [1.0, 7.0], tf.qint8, "SCALED", "HALF_TO_EVEN", axis=-2)
    return evaluate(tf, [tf.bitcast(q, tf.uint8), low, high, tf.quantization.dequantize(q, low, high, "MIN_FIRST"), rows[1:],
                         tf.quantize_v2(x, 0.0, 1.0, tf.qint16, "MIN_FIRST", "name")[2], tf.dequantize(rows[0], *rows[1:], "SCALED", axis=0)])


@case
def control_flow_of_version_2(tf):
    before = tf.control_flow_v2_enabled()
    tf.enable_control_flow_v2()
    try:
        return before, tf.control_flow_v2_enabled()
    finally:
        tf.disable_control_flow_v2()
