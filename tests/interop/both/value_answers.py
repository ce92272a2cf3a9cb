"""Python values as tensors, placeholders of given shapes, files, padded batches, clipped cells."""
import array
import collections
import itertools
import os
import tempfile

import numpy as np

from both.answers import evaluate

CASES = {}
VALUES = {
    "range": lambda: range(3), "an empty range": lambda: range(0), "a range with steps": lambda: range(1, 9, 3),
    "a tuple": lambda: (1, 2), "nested": lambda: ((1, 2), [3, 4]), "a named tuple": lambda: collections.namedtuple("P", "x y")(1, 2),
    "a numpy scalar": lambda: np.float32(3), "numpy scalars": lambda: [np.float32(1), np.float32(2)], "mixed": lambda: [1, 2.0],
    "mixed with numpy": lambda: [np.float64(1), 2], "bytes": lambda: b"a", "text": lambda: ["a", b"b"], "numpy text": lambda: np.array(["a", "bc"]),
    "objects": lambda: np.array(["a", b"b"], object), "bools": lambda: [True, False], "empty": lambda: [], "two empty": lambda: [[], []],
    "large": lambda: 2**40, "too large": lambda: 2**70, "int8": lambda: np.int8([1]), "half": lambda: np.float16([1]), "complex": lambda: 1j,
    "a generator": lambda: (x for x in range(3)), "values of a dict": lambda: {"a": 1}.values(), "a set": lambda: {1, 2}, "a dict": lambda: {"a": 1},
    "None": lambda: None, "None in a list": lambda: [None], "an object": object, "an array of the library": lambda: array.array("i", [1, 2]),
    "a memory view": lambda: memoryview(b"ab"), "a matrix": lambda: np.matrix([[1, 2]]), "a list of pairs": lambda: list(enumerate([5, 6])),
    "ragged": lambda: [[1], [1, 2]],
}
for name, make in VALUES.items():
    CASES[f"convert {name}"] = lambda tf, make=make: evaluate(tf, tf.convert_to_tensor(make()))
    for dtype in ("float32", "int64", "string"):
        CASES[f"convert {name} to {dtype}"] = lambda tf, make=make, dtype=dtype: evaluate(tf, tf.convert_to_tensor(make(), dtype=dtype))
USES = {
    "add": lambda tf: tf.add(range(3), 1), "stack": lambda tf: tf.stack([range(2), range(2)]), "concat": lambda tf: tf.concat([range(2), range(2)], 0),
    "reduce_sum": lambda tf: tf.reduce_sum(range(3)), "gather": lambda tf: tf.gather(range(5), range(2)), "Variable": lambda tf: tf.Variable(range(3)),
    "transpose": lambda tf: tf.transpose(np.zeros((2, 3)), range(1, -1, -1)), "zeros": lambda tf: tf.zeros(range(1, 3)),
    "one_hot": lambda tf: tf.one_hot(range(3), 3), "an axis": lambda tf: tf.reduce_sum(np.ones((2, 3)), range(1)),
    "a default": lambda tf: tf.placeholder_with_default(range(3), [None]),
}
for name, make in USES.items():
    CASES[f"a range for {name}"] = lambda tf, make=make: evaluate(tf, make(tf))


def fed_range(tf):
    x = tf.placeholder(tf.int32, [3])
    return evaluate(tf, x, {x: range(3)})


CASES["a range as a feed"] = fed_range

SHAPES = {
    "none": lambda tf: None, "a list": lambda tf: [2, 3], "a tuple": lambda tf: (2, 3), "partial": lambda tf: [None, 3], "an array": lambda tf: np.array([2, 3]),
    "a shape": lambda tf: tf.TensorShape([2, None]), "a constant": lambda tf: tf.constant([2, 3], tf.int64),
    "a placeholder": lambda tf: tf.placeholder(tf.int64, [2], name="given"), "a tensor of int32": lambda tf: tf.constant([2, 3]),
    "an unknown tensor": lambda tf: tf.placeholder(tf.int64, [None], name="given"),
}
for (name, make), label in itertools.product(SHAPES.items(), [None, "sp"]):
    def case(tf, make=make, label=label):
        p = tf.sparse_placeholder(tf.float32, shape=make(tf), name=label)
        return [str(p.get_shape()), p.dense_shape.name if label else None, str(p.dense_shape.shape), str(p.indices.shape), str(p.values.shape)]
    CASES[f"sparse_placeholder of {name} {label}"] = case


def fed_sparse(tf):
    p = tf.sparse_placeholder(tf.float32, shape=tf.constant([2, 3], tf.int64))
    return evaluate(tf, tf.sparse_tensor_to_dense(p), {p: tf.SparseTensorValue([[0, 1]], [5.0], [2, 3])})


CASES["a fed sparse_placeholder"] = fed_sparse


def file_calls(mode, exists):
    def case(tf):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "file")
            if exists:
                with open(path, "wb") as file:
                    file.write(b"hello\nworld\n")
            file = tf.gfile.GFile(path, mode)
            data = b"XY" if "b" in mode else "XY"
            seen = [file.mode]
            for call in (lambda: file.read(2), file.tell, lambda: file.write(data), file.flush, file.tell, file.size, lambda: file.seek(0), file.readline,
                         file.readlines, file.close):
                try:
                    seen.append(call())
                except tf.errors.OpError as error:
                    seen.append(type(error).__name__)
            if os.path.exists(path):
                with open(path, "rb") as file:
                    seen.append(file.read())
            return seen
    return case


for mode, exists in itertools.product(["r", "r+", "rb", "w", "w+", "wb", "a", "a+", "ab", "rb+", "r+b", "wb+", "ab+", "x", "", "rt"], [True, False]):
    CASES[f"GFile {mode} {'of a file' if exists else 'of no file'}"] = file_calls(mode, exists)


def lists(tf):
    return tf.data.Dataset.from_generator(lambda: iter([[1], [1, 2], [1, 2, 3]]), tf.int32, tf.TensorShape([None]))


def pairs(tf):
    return tf.data.Dataset.from_tensor_slices(([1, 2, 3], np.ones((3, 2), np.float32)))


def keyed(tf):
    return tf.data.Dataset.from_tensor_slices({"a": [1, 2, 3], "b": np.ones((3, 2), np.float32)})


def words(tf):
    return tf.data.Dataset.from_tensor_slices([["a"], ["b"], ["c"]])


BATCHES = {
    "-1": (lists, lambda tf: [-1]), "None": (lists, lambda tf: [None]), "4": (lists, lambda tf: [4]), "a tuple": (lists, lambda tf: (-1,)),
    "a shape": (lists, lambda tf: tf.TensorShape([None])), "a dimension": (lists, lambda tf: [tf.Dimension(4)]),
    "no dimension": (lists, lambda tf: [tf.Dimension(None)]), "a tensor": (lists, lambda tf: tf.constant([4], tf.int64)),
    "a tensor of -1": (lists, lambda tf: tf.constant([-1], tf.int64)), "a tensor of int32": (lists, lambda tf: tf.constant([4])),
    "an array": (lists, lambda tf: np.array([-1])), "nothing": (lists, lambda tf: []), "unknown": (lists, lambda tf: tf.TensorShape(None)),
    "omitted": (lists, lambda tf: None), "two": (lists, lambda tf: [None, None]), "a value": (lists, lambda tf: [-1], 7),
    "a numpy value": (lists, lambda tf: [-1], np.int32(7)), "a float for an integer": (lists, lambda tf: [-1], 7.0), "a text for an integer": (lists, lambda tf: [-1], "a"),
    "pairs": (pairs, lambda tf: ([], [-1])), "long pairs": (pairs, lambda tf: ([], (4,)), (1, 2.0)), "pairs with a list": (pairs, lambda tf: [-1]),
    "pairs with one value": (pairs, lambda tf: ([], [4]), (None, 2.0)), "keys": (keyed, lambda tf: {"a": [], "b": [3]}, {"a": 0, "b": 1.0}),
    "too few keys": (keyed, lambda tf: {"a": []}), "words": (words, lambda tf: [2], "zz"), "no words": (words, lambda tf: [2]),
}
for name, (make, shapes, *padding) in BATCHES.items():
    def case(tf, make=make, shapes=shapes, padding=padding):
        dataset = make(tf).padded_batch(2, padded_shapes=shapes(tf), **({"padding_values": padding[0]} if padding else {}))
        element, seen = tf.data.make_one_shot_iterator(dataset).get_next(), [str(tf.data.get_output_shapes(dataset))]
        with tf.Session() as sess:
            for _ in range(2):
                seen.append(sess.run(element))
        return seen
    CASES[f"padded_batch {name}"] = case
