"""Ragged tensors, unicode strings, structured linear operators, critical sections, optionals and other small functions."""
import numpy as np

from both.answers import evaluate

CASES = {}


def case(function):
    CASES[function.__name__.replace("_", " ")] = function
    return function


def value(item):
    """The value of a ragged tensor as nested lists of splits and values."""
    if hasattr(item, "nested_row_splits"):
        return [[splits.tolist() for splits in item.nested_row_splits], np.asarray(item.flat_values)]
    return item


def run(tf, *fetches, feed_dict=None):
    return [value(item) for item in evaluate(tf, list(fetches), feed_dict)]


def sample(tf):
    return tf.ragged.constant([[1, 2], [], [3, 4, 5]])


def nested(tf):
    return tf.ragged.constant([[[1, 2], []], [], [[3], [4, 5, 6]]])


# --- making ragged tensors
_PARTITIONS = {
    "row_splits": ([0, 2, 2, 5],), "row_lengths": ([2, 0, 3],), "value_rowids": ([0, 0, 2, 2, 2],), "value_rowids ": ([0, 0, 2, 2, 2], 5),
    "row_starts": ([0, 2, 2],), "row_limits": ([2, 2, 5],),
}
for _name, _args in _PARTITIONS.items():
    CASES[f"from_{_name}"] = lambda tf, name=_name.strip(), args=_args: run(
        tf, getattr(tf.RaggedTensor, f"from_{name}")([1, 2, 3, 4, 5], *args))
CASES["from nested splits"] = lambda tf: run(tf, tf.RaggedTensor.from_nested_row_splits([1, 2, 3, 4], [[0, 2, 3], [0, 1, 1, 4]]))
CASES["from nested lengths"] = lambda tf: run(tf, tf.RaggedTensor.from_nested_row_lengths([1, 2, 3, 4], [[2, 1], [1, 0, 3]]))
CASES["from nested ids"] = lambda tf: run(tf, tf.RaggedTensor.from_nested_value_rowids([1, 2, 3, 4], [[0, 0, 2], [0, 0, 2, 2]], [4, 3]))
CASES["no constructor"] = lambda tf: tf.RaggedTensor(tf.constant([1]), tf.constant([0, 1]))
CASES["splits of a float"] = lambda tf: tf.RaggedTensor.from_row_splits([1, 2], [0.0, 2.0])
_PYTHON = {"one level": [[1, 2], [], [3]], "two levels": [[[1], []], [], [[2, 3]]], "empty": [], "rows without values": [[], []],
           "text": [["a", "bc"], ["d"]], "uneven": [[1], 2], "no list": 7, "vector": [1, 2]}
for _name, _list in _PYTHON.items():
    CASES[f"constant of {_name}"] = lambda tf, x=_list: run(tf, tf.ragged.constant(x))
    CASES[f"constant_value of {_name}"] = lambda tf, x=_list: value(tf.ragged.constant_value(x))
CASES["constant with ragged_rank"] = lambda tf: run(tf, tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1))
CASES["constant with inner_shape"] = lambda tf: run(tf, tf.ragged.constant([[[1, 2]], []], inner_shape=(2,), dtype=tf.float32))
CASES["from_tensor"] = lambda tf: run(tf, tf.RaggedTensor.from_tensor([[1, 2, 0], [3, 0, 0]]))
CASES["from_tensor with lengths"] = lambda tf: run(tf, tf.RaggedTensor.from_tensor([[1, 2, 0], [3, 0, 0]], lengths=[2, 9]))
CASES["from_tensor with padding"] = lambda tf: run(tf, tf.RaggedTensor.from_tensor([[1, 0, 2, 0], [0, 0, 0, 0]], padding=0))
CASES["from_tensor of rank 3"] = lambda tf: run(tf, tf.RaggedTensor.from_tensor(np.arange(12).reshape(2, 3, 2), ragged_rank=2))
CASES["from_sparse"] = lambda tf: run(tf, tf.RaggedTensor.from_sparse(tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [4, 2])))


@case
def a_placeholder(tf):
    x = tf.ragged.placeholder(tf.int32, 1)
    fed = tf.ragged.constant_value([[1], [2, 3]], dtype=np.int32)
    return run(tf, x, x.to_tensor(), feed_dict={x: fed})


# --- parts and conversions
@case
def parts(tf):
    x, y = sample(tf), nested(tf)
    return [str(x.shape), str(y.shape), x.ragged_rank, y.ragged_rank, x.dtype.name, run(
        tf, x.values, x.row_splits, x.row_lengths(), x.row_starts(), x.row_limits(), x.nrows(), x.value_rowids(), x.bounding_shape(),
        y.bounding_shape(), y.bounding_shape(axis=2), y.row_lengths(axis=2), y.flat_values, *y.nested_value_rowids())]


@case
def to_tensor(tf):
    x, y = sample(tf), nested(tf)
    return run(tf, x.to_tensor(), x.to_tensor(default_value=-1), y.to_tensor(), tf.ragged.constant([["a"], ["b", "c"]]).to_tensor())


@case
def to_sparse(tf):
    return [run(tf, *(s.indices, s.values, s.dense_shape)) for s in (sample(tf).to_sparse(), nested(tf).to_sparse())]


@case
def gradient_of_to_tensor(tf):
    x = tf.constant([1.0, 2.0, 3.0])
    filler = tf.constant(5.0)
    y = tf.RaggedTensor.from_row_splits(x, [0, 2, 3]).to_tensor(default_value=filler)
    return run(tf, *tf.gradients(y * [[1.0, 2.0], [3.0, 4.0]], [x, filler]))


for _name, _key in {"row": 0, "last row": -1, "rows": slice(1, 3), "every other row": slice(None, None, 2), "first values": (slice(None), slice(0, 1)),
                    "last values": (slice(None), slice(-2, None)), "value": (2, 1), "inner number": (slice(None), 0)}.items():
    CASES[f"item: {_name}"] = lambda tf, key=_key: run(tf, sample(tf)[key])
CASES["item of nested"] = lambda tf: run(tf, nested(tf)[0], nested(tf)[2, 1], nested(tf)[:, :1], nested(tf)[2, 1, 0])


# --- functions
@case
def operators(tf):
    x = sample(tf)
    return run(tf, x + 1, x * x, 10 - x, x > 2, -x, tf.ragged.map_flat_values(tf.cast, x, tf.float32))


@case
def stack_and_range(tf):
    x = sample(tf)
    return run(tf, tf.ragged.stack([x, [[7]]]), tf.ragged.stack([[1, 2], [3]]), tf.ragged.stack([x, x], axis=1),
               tf.ragged.range([3, 0, 2]), tf.ragged.range([0, 5], [3, 2], [1, -1]), tf.ragged.range(3.0))


@case
def masks(tf):
    mask = tf.ragged.constant([[True, False], [], [False, True, True]])
    return run(tf, tf.ragged.boolean_mask(sample(tf), mask), tf.ragged.boolean_mask(sample(tf), [True, False, True]),
               tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]]))


@case
def segment_ids(tf):
    return run(tf, tf.ragged.row_splits_to_segment_ids([0, 2, 2, 5]), tf.ragged.segment_ids_to_row_splits([0, 0, 2]),
               tf.ragged.segment_ids_to_row_splits([0, 0, 2], 5), tf.ragged.stack_dynamic_partitions([5, 6, 7, 8], [1, 0, 1, 3], 5))


@case
def specs(tf):
    a = tf.RaggedTensorSpec([None, None], tf.int32)
    return [a.is_compatible_with(sample(tf)), a == tf.RaggedTensorSpec([None, None], tf.int32), a == tf.RaggedTensorSpec([None, None], tf.int64),
            a.is_compatible_with(tf.RaggedTensorSpec([3, None], tf.int32))]


CASES["spec without a rank"] = lambda tf: tf.RaggedTensorSpec()

# --- strings
_TEXTS = ["aé€😀", "", "b"]
for _input in ("vector", "scalar", "matrix"):
    for _function in ("unicode_decode", "unicode_split", "unicode_decode_with_offsets", "unicode_split_with_offsets"):
        CASES[f"{_function} of a {_input}"] = lambda tf, f=_function, kind=_input: [run(tf, part) for part in _parts(getattr(tf.strings, f)(
            {"vector": _TEXTS, "scalar": _TEXTS[0], "matrix": [_TEXTS[:2], _TEXTS[1:]]}[kind], "UTF-8"))]


def _parts(result):
    return result if isinstance(result, tuple) else [result]


for _errors in ("replace", "ignore", "strict"):
    CASES[f"malformed text, {_errors}"] = lambda tf, e=_errors: run(
        tf, tf.strings.unicode_decode([b"a\xffb\xe2\x82", b"\xed\xa0\x80"], "UTF-8", errors=e, replacement_char=63))
    CASES[f"transcode, {_errors}"] = lambda tf, e=_errors: [x.hex() for x in evaluate(
        tf, tf.strings.unicode_transcode([b"a\xff", b"\x01z"], "UTF-8", "UTF-16-BE", errors=e, replace_control_characters=True)).tolist()]
CASES["another encoding"] = lambda tf: run(tf, tf.strings.unicode_decode([b"a\xe9"], "latin1"), tf.strings.unicode_decode(["é".encode("utf-16-be")], "UTF-16-BE"))
CASES["an unknown encoding"] = lambda tf: run(tf, tf.strings.unicode_decode(["a"], "nonsense"))
CASES["unicode_encode"] = lambda tf: run(tf, tf.strings.unicode_encode([97, 233], "UTF-8"), tf.strings.unicode_encode([[97, 98], [99, 100]], "UTF-8"),
                                         tf.strings.unicode_encode(tf.ragged.constant([[97], [], [8364, 98]]), "UTF-8"))
CASES["bytes_split"] = lambda tf: run(tf, tf.strings.bytes_split("hello"), tf.strings.bytes_split(["ab", "", "c"]))
CASES["ngrams"] = lambda tf: run(tf, tf.strings.ngrams(["A", "B", "C"], 2), tf.strings.ngrams(tf.ragged.constant([["a", "b", "c"], ["d"]]), [1, 2], "-"),
                                 tf.strings.ngrams([["a", "b"], ["c", "d"]], 2, pad_values=("<", ">")))
CASES["ngrams of width 0"] = lambda tf: tf.strings.ngrams(["A"], 0)


# --- linear operators
_MATRIX = np.array([[2.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 4.0]])
_OPERATORS = {
    "zeros": lambda tf: tf.linalg.LinearOperatorZeros(3, dtype=tf.float64),
    "zeros of a batch": lambda tf: tf.linalg.LinearOperatorZeros(3, batch_shape=[2], dtype=tf.float64),
    "householder": lambda tf: tf.linalg.LinearOperatorHouseholder(np.array([1.0, 2.0, 2.0])),
    "low rank update": lambda tf: tf.linalg.LinearOperatorLowRankUpdate(tf.linalg.LinearOperatorDiag(np.array([1.0, 2.0, 3.0])),
                                                                        np.array([[1.0], [2.0], [0.5]]), np.array([0.5])),
    "low rank update without diagonal": lambda tf: tf.linalg.LinearOperatorLowRankUpdate(
        tf.linalg.LinearOperatorFullMatrix(_MATRIX), np.array([[1.0, 0.0], [2.0, 1.0], [0.5, 3.0]]), v=np.array([[1.0, 1.0], [0.0, 1.0], [2.0, 0.0]])),
    "toeplitz": lambda tf: tf.linalg.LinearOperatorToeplitz(np.array([4.0, 1.0, 0.5]), np.array([4.0, 2.0, 3.0])),
    "circulant": lambda tf: tf.linalg.LinearOperatorCirculant(np.array([6.0, 4.0, 3.0]), input_output_dtype=tf.float64),
    "complex circulant": lambda tf: tf.linalg.LinearOperatorCirculant(np.array([6.0 + 1j, 4.0, 3.0 - 2j]), input_output_dtype=tf.complex128),
    "circulant 2D": lambda tf: tf.linalg.LinearOperatorCirculant2D(np.array([[1.0, 2.0], [3.0, 4.0]]), input_output_dtype=tf.complex128),
    "circulant 3D": lambda tf: tf.linalg.LinearOperatorCirculant3D(np.arange(1.0, 9.0).reshape(2, 2, 2), input_output_dtype=tf.complex128),
}


def numbers(tf, op):
    size = op.shape.as_list()[-1]
    x = tf.cast(np.arange(2.0 * size).reshape(size, 2), op.dtype)
    tensors = [op.to_dense(), op.matmul(x), op.matmul(x, adjoint=True), op.diag_part(), op.trace(), op.determinant(), op.shape_tensor()]
    if op.is_non_singular is not False:
        tensors += [op.solve(x), op.log_abs_determinant()]
    kinds = [op.is_self_adjoint, op.is_square, str(op.shape)]
    found = evaluate(tf, tensors)
    return kinds + [np.round(np.stack([np.real(t), np.imag(t)]), 4) + 0.0 for t in found]


for _name, _operator in _OPERATORS.items():
    CASES[f"operator {_name}"] = lambda tf, make=_operator: numbers(tf, make(tf))


# --- other functions
@case
def fractional_pools(tf):
    x = np.arange(42.0, dtype=np.float32).reshape(1, 6, 7, 1)
    return [evaluate(tf, list(getattr(tf.raw_ops, f"Fractional{kind}Pool")(
        value=x, pooling_ratio=[1.0, 1.44, 1.7, 1.0], pseudo_random=pseudo, overlapping=overlapping, deterministic=True, seed=5, seed2=7)))
        for kind in ("Max", "Avg") for pseudo in (False, True) for overlapping in (False, True)]


@case
def gradients_of_fractional_pools(tf):
    x = tf.constant(np.arange(20.0, dtype=np.float32).reshape(1, 5, 4, 1))
    made = [tf.nn.fractional_max_pool(x, [1.0, 1.5, 1.5, 1.0], deterministic=True, seed=1, seed2=2, overlapping=True)] if tf.__name__ == "weir" else [
        tf.compat.v1.nn.fractional_max_pool(x, [1.0, 1.5, 1.5, 1.0], deterministic=True, seed=1, seed2=2, overlapping=True)]
    return evaluate(tf, [tf.gradients(made[0][0] * 2.0, x)[0]])


@case
def collapse_repeated(tf):
    return evaluate(tf, list(tf.nn.collapse_repeated([[1, 1, 2, 2, 1], [2, 2, 2, 3, 3], [1, 2, 3, 4, 5]], [5, 3, 0])))


for _padding in ("SAME", "VALID"):
    for _rate in ([1, 1], [2, 3], [2, 1]):
        CASES[f"with_space_to_batch {_padding} {_rate}"] = lambda tf, p=_padding, r=_rate: evaluate(tf, tf.nn.with_space_to_batch(
            np.arange(56.0).reshape(1, 7, 8, 1), r, p, lambda x, n, pad: tf.nn.conv2d(x, np.ones((3, 3, 1, 1)), [1, 1, 1, 1], pad), filter_shape=[3, 3]))


@case
def batch_scatter_update(tf):
    v = tf.Variable(np.zeros((2, 3, 2)), use_resource=False)
    return evaluate(tf, tf.batch_scatter_update(v, [[0, 2], [1, 0]], np.arange(8.0).reshape(2, 2, 2)))


_SHAPES = {"that fit": [([2, 3], "NQ"), ([3], "Q"), ([], ())], "that do not": [([2, 3], "NQ"), ([3, 4], "ND")], "of a number": [([2, 3], ("N", 4))],
           "with any": [([2, 3], (None, "Q"))], "of another rank": [([2, 3], "N")], "with a rest": [([2, 3, 4], ("*", "D")), ([4], "D")]}
for _name, _shapes in _SHAPES.items():
    CASES[f"assert_shapes {_name}"] = lambda tf, s=_shapes: [tf.debugging.assert_shapes([(tf.zeros(dims), symbols) for dims, symbols in s]), "fine"][1]
    CASES[f"assert_shapes {_name}, while the graph runs"] = lambda tf, s=_shapes: evaluate(tf, [tf.debugging.assert_shapes(
        [(tf.placeholder_with_default(np.zeros(dims), [None] * len(dims)), symbols) for dims, symbols in s]), tf.constant(1)])


@case
def critical_sections(tf):
    section = tf.CriticalSection(name="cs")
    v = tf.Variable(0.0, use_resource=True)
    added = [section.execute(lambda: v.assign_add(1.0) * 10.0) for _ in range(5)]
    with tf.Session() as sess:
        sess.run(v.initializer)
        return [sorted(float(x) for x in sess.run(added)), sess.run(v)]


@case
def a_critical_section_in_itself(tf):
    section = tf.CriticalSection()
    return section.execute(lambda: section.execute(lambda: tf.constant(1)))


@case
def optionals(tf):
    module = tf.data.experimental
    some = module.Optional.from_value((tf.constant([1, 2]), tf.constant("x")))
    none = module.Optional.none_from_structure(tf.TensorSpec([], tf.int32)) if tf.__name__ == "weir" else module.Optional.empty(tf.TensorSpec([], tf.int32))
    return evaluate(tf, [some.has_value(), *some.get_value(), none.has_value()])


@case
def the_value_of_nothing(tf):
    module = tf.data.experimental
    none = module.Optional.none_from_structure(tf.TensorSpec([], tf.int32)) if tf.__name__ == "weir" else module.Optional.empty(tf.TensorSpec([], tf.int32))
    return evaluate(tf, none.get_value())


@case
def the_next_element_as_an_optional(tf):
    iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(2))
    following = tf.data.experimental.get_next_as_optional(iterator)
    fetch = [following.has_value(), tf.cond(following.has_value(), following.get_value, lambda: tf.constant(-1, tf.int64))]
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        return [sess.run(fetch) for _ in range(3)]


@case
def a_record_file_of_a_dataset(tf):
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        writer = tf.data.experimental.TFRecordWriter(f"{folder}/x", "GZIP")
        read = tf.data.make_initializable_iterator(tf.data.TFRecordDataset(f"{folder}/x", "GZIP"))
        write = writer.write(tf.data.Dataset.from_tensor_slices(["a", "bc", ""]))
        following = read.get_next()
        with tf.Session() as sess:
            sess.run(write)
            sess.run(read.initializer)
            return [sess.run(following) for _ in range(3)]


@case
def numbers_as_records(tf):
    return tf.data.experimental.TFRecordWriter("/tmp/none").write(tf.data.Dataset.range(2))


@case
def summaries_of_the_second_version(tf):
    return [tf.summary.all_v2_summary_ops(), tf.summary.initialize()]
