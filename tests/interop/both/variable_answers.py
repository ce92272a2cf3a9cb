"""tf.get_variable with every kind of initializer, whole and partitioned; checks for initialized variables."""
import functools
import itertools

import numpy as np

from both.answers import evaluate

CASES = {}
TABLE = np.arange(8.0).reshape(4, 2).astype(np.float32)


def described(tf, variable, values=True):
    parts = list(variable) if type(variable).__name__ == "PartitionedVariable" else [variable]
    text = [variable.name, variable.dtype.base_dtype.name, str(variable.get_shape()), [(p.name, str(p.get_shape())) for p in parts],
            [p._save_slice_info.spec if p._save_slice_info else None for p in parts]]
    return text + ([evaluate(tf, [p for p in parts]), evaluate(tf, tf.convert_to_tensor(variable))] if values else [])


def with_offset(tf):
    def initializer(shape, dtype=None, partition_info=None):
        return tf.ones(shape, dtype) * (100 if partition_info is None else partition_info.single_offset(shape))
    return initializer


INITIALIZERS = {
    "an array": lambda tf: dict(initializer=TABLE),
    "an array and a shape": lambda tf: dict(initializer=TABLE, shape=[4, 2]),
    "a tensor": lambda tf: dict(initializer=tf.constant(TABLE)),
    "a list": lambda tf: dict(initializer=TABLE.tolist()),
    "doubles": lambda tf: dict(initializer=TABLE.astype(np.float64)),
    "integers": lambda tf: dict(initializer=np.arange(4), shape=[4]),
    "a scalar": lambda tf: dict(initializer=3.0),
    "ones": lambda tf: dict(initializer=tf.ones_initializer(), shape=[4, 2]),
    "a class": lambda tf: dict(initializer=tf.ones_initializer, shape=[4, 2]),
    "a constant": lambda tf: dict(initializer=tf.constant_initializer(3), shape=[4, 2]),
    "a constant array": lambda tf: dict(initializer=tf.constant_initializer(TABLE), shape=[4, 2]),
    "a function": lambda tf: dict(initializer=lambda: tf.constant(TABLE)),
    "a function of a list": lambda tf: dict(initializer=lambda: [1.0, 2.0]),
    "a function and a type": lambda tf: dict(initializer=lambda: tf.constant(TABLE), dtype=tf.float64),
    "a function and a shape": lambda tf: dict(initializer=lambda: tf.constant(TABLE), shape=[4, 2]),
    "a partial function": lambda tf: dict(initializer=functools.partial(tf.ones, [3])),
    "a function of a shape": lambda tf: dict(initializer=lambda shape, dtype=None: tf.ones(shape, dtype), shape=[5]),
    "a function of a missing shape": lambda tf: dict(initializer=lambda shape, dtype=None: tf.ones([2])),
    "a function of an optional shape": lambda tf: dict(initializer=lambda shape=None, dtype=None: tf.ones([2])),
    "a function of offsets": lambda tf: dict(initializer=with_offset(tf), shape=[7, 2]),
    "another type": lambda tf: dict(initializer=TABLE, dtype=tf.float64),
    "an integer and a type": lambda tf: dict(initializer=3, dtype=tf.float32),
    "ones without a shape": lambda tf: dict(initializer=tf.ones_initializer()),
    "nothing": lambda tf: {},
    "a partial shape": lambda tf: dict(shape=[None, 2]),
    "a scalar shape": lambda tf: dict(shape=[], initializer=tf.ones_initializer()),
    "a number as the shape": lambda tf: dict(shape=4, initializer=tf.ones_initializer()),
    "an array as the shape": lambda tf: dict(shape=np.array([4, 2]), initializer=tf.ones_initializer()),
    "a variable": lambda tf: dict(initializer=tf.Variable(TABLE).initialized_value()),
}
PARTITIONS = {"whole": None, "two rows": (2,), "three rows": (3,), "two columns": (2, 1), "one": (1,)}
for name, make in INITIALIZERS.items():
    for cut, arguments in PARTITIONS.items():
        for use_resource in (False, True):
            def case(tf, make=make, arguments=arguments, use_resource=use_resource):
                partitioner = None if arguments is None else tf.fixed_size_partitioner(*arguments)
                return described(tf, tf.get_variable("v", partitioner=partitioner, use_resource=use_resource, **make(tf)))
            if not use_resource or cut in ("whole", "two rows"):
                CASES[f"get_variable {name} {cut} {'resource' if use_resource else 'reference'}"] = case


def shared(*calls, reuse=True):
    """Requests the same variable several times, each time in the scope "s"."""
    def case(tf):
        found = []
        for i, call in enumerate(calls):
            with tf.variable_scope("s", reuse=(tf.AUTO_REUSE if reuse == "auto" else reuse) if i else None):
                found.append(call(tf))
        return [found[0] is found[-1], [v.name for v in found], len(tf.global_variables())]
    return case


def asked(shape=(4, 2), parts=None, **options):
    def call(tf):
        given = {} if shape is None else {"shape": list(shape)}
        return tf.get_variable("v", partitioner=tf.fixed_size_partitioner(parts) if parts else None, **given, **options)
    return call


CASES["reuse without the partitioner"] = shared(asked(parts=2), asked())
CASES["reuse without partitioner and shape"] = shared(asked(parts=2), asked(None))
CASES["reuse with the partitioner"] = shared(asked(parts=2), asked(parts=2))
CASES["reuse automatically without the partitioner"] = shared(asked(parts=2), asked(), reuse="auto")
CASES["reuse automatically"] = shared(asked(parts=2), asked(parts=2), reuse="auto")
CASES["no reuse"] = shared(asked(parts=2), asked(parts=2), reuse=None)
CASES["no reuse without the partitioner"] = shared(asked(parts=2), asked(), reuse=None)
CASES["reuse with other partitions"] = shared(asked(parts=2), asked(parts=4))
CASES["reuse with another shape"] = shared(asked(parts=2), asked((5, 2), parts=2))
CASES["reuse with another type"] = shared(asked(parts=2), lambda tf: asked(parts=2, dtype=tf.int32)(tf))
CASES["partition a whole one"] = shared(asked(), asked(parts=2))
CASES["share nothing"] = shared(asked(), lambda tf: tf.get_variable("w", [4], partitioner=tf.fixed_size_partitioner(2)))
for name, partitions in {"too few": [2], "two axes": [2, 2], "none": [0, 1], "too many": [9, 1], "no list": 3}.items():
    CASES[f"partitions: {name}"] = lambda tf, partitions=partitions: tf.get_variable(
        "v", [4, 2], partitioner=lambda shape, dtype: partitions).name
CASES["partitions: no function"] = lambda tf: tf.get_variable("v", [4, 2], partitioner=3).name


def initialized(use_resource, of):
    def case(tf):
        v = tf.Variable(1.0, use_resource=use_resource)
        flag = tf.is_variable_initialized(of(v))
        with tf.Session() as sess:
            before = sess.run(flag)
            sess.run(v.initializer)
            return [flag.name, before, sess.run(flag)]
    return case


CASES["is_variable_initialized"] = initialized(False, lambda v: v)
CASES["is_variable_initialized of a resource"] = initialized(True, lambda v: v)
CASES["is_variable_initialized of a reference"] = initialized(False, lambda v: v.op.outputs[0])


def uninitialized(tf):
    a, b = tf.Variable(1.0, name="a"), tf.Variable(1.0, use_resource=True, name="b")
    parts = tf.get_variable("parts", [4], partitioner=tf.fixed_size_partitioner(2))
    tf.Variable(1.0, collections=["local_variables"], name="local")
    reports = [tf.report_uninitialized_variables(), tf.report_uninitialized_variables([a]), tf.report_uninitialized_variables(list(parts)),
               tf.report_uninitialized_variables([])]
    with tf.Session() as sess:
        before = sess.run(reports)
        sess.run(tf.variables_initializer([a, b]))
        return [before, sess.run(reports), [report.name for report in reports]]


CASES["report_uninitialized_variables"] = uninitialized


def shaped(initial, use_resource, **options):
    def case(tf):
        v = tf.Variable(initial(tf), use_resource=use_resource, **{key: value(tf) for key, value in options.items()})
        answers = [str(v.shape), str(v.value().shape), str(v.initial_value.shape)]
        with tf.Session() as sess:
            sess.run(v.initializer)
            answers.append(sess.run(v))
            try:
                sess.run(tf.assign(v, [5.0, 6.0, 7.0], validate_shape=False))
                answers.append(sess.run(v))
            except ValueError:
                answers.append("ValueError")
        return answers
    return case


INITIAL = {"a list": lambda tf: [1.0, 2.0], "a function": lambda tf: lambda: tf.zeros([2]),
           "an unknown shape": lambda tf: tf.placeholder_with_default([1.0, 2.0], None)}
SHAPES = {"none": lambda tf: None, "the same": lambda tf: [2], "a number": lambda tf: 2, "unknown size": lambda tf: [None],
          "unknown": lambda tf: tf.TensorShape(None), "another size": lambda tf: [3], "a scalar": lambda tf: [], "another rank": lambda tf: [2, 1],
          "a word": lambda tf: "x"}
for (initial, make), (shape, given), resource, validate in itertools.product(INITIAL.items(), SHAPES.items(), [False, True], [True, False]):
    CASES[f"Variable from {initial}, shape {shape}, resource {resource}, validate {validate}"] = shaped(
        make, resource, shape=given, validate_shape=lambda tf, validate=validate: validate)
