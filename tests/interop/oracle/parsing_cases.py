"""Serialized Examples, valid and damaged; serialized sparse and dense tensors."""
import numpy as np

from oracle.string_cases import texts
from oracle.tensorflow1 import tf

TYPES = {"f": tf.float32, "i": tf.int64, "s": tf.string}


def feature(rng, kind, count):
    if kind == "f":
        return tf.train.Feature(float_list=tf.train.FloatList(value=rng.randn(count)))
    if kind == "i":
        return tf.train.Feature(int64_list=tf.train.Int64List(value=[int(v) for v in rng.randint(-2**62, 2**62, count)]))
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[rng.bytes(n) for n in rng.randint(0, 300, count)]))


def example(rng, counts):
    features = {key: feature(rng, key[0], count) for key, count in counts.items()}
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def sequence(rng, steps):
    lists = {"%s_list" % kind: tf.train.FeatureList(feature=[feature(rng, kind, 2) for _ in range(steps)]) for kind in "fis"}
    lists.update({"%s_ragged" % kind: tf.train.FeatureList(feature=[feature(rng, kind, n) for n in rng.randint(0, 4, steps)]) for kind in "fis"})
    context = tf.train.Features(feature={"f_one": feature(rng, "f", 1), "i_many": feature(rng, "i", int(rng.randint(4)))})
    return tf.train.SequenceExample(context=context, feature_lists=tf.train.FeatureLists(feature_list=lists)).SerializeToString()


def parse(x, dense, sparse, single=False):
    """dense: {key: (shape, default or None)}."""
    types = [TYPES[key[0]] for key in dense]
    defaults = [tf.constant([] if value is None else value, t) for (_, value), t in zip(dense.values(), types)]
    shapes = [shape for shape, _ in dense.values()]
    sparse_types = [TYPES[key[0]] for key in sparse]
    if single:
        out = tf.raw_ops.ParseSingleExample(serialized=x, dense_defaults=defaults, num_sparse=len(sparse), sparse_keys=list(sparse), dense_keys=list(dense),
                                            sparse_types=sparse_types, dense_shapes=shapes)
    else:
        out = tf.raw_ops.ParseExample(serialized=x, names=[], sparse_keys=list(sparse), dense_keys=list(dense), dense_defaults=defaults,
                                      sparse_types=sparse_types, dense_shapes=shapes)
    return [tensor for part in out for tensor in part]


def parse_sequence(x, single):
    kinds = "fis"
    common = dict(serialized=x, context_dense_defaults=[tf.constant([], tf.float32)], context_sparse_types=[tf.int64], context_dense_shapes=[[1]],
                  feature_list_sparse_types=[TYPES[k] for k in kinds], feature_list_dense_types=[TYPES[k] for k in kinds],
                  feature_list_dense_shapes=[[2]] * 3, context_sparse_keys=["i_many"], context_dense_keys=["f_one"],
                  feature_list_sparse_keys=["%s_ragged" % k for k in kinds], feature_list_dense_keys=["%s_list" % k for k in kinds],
                  feature_list_dense_missing_assumed_empty=["f_list", "i_list", "s_list"])
    out = tf.raw_ops.ParseSingleSequenceExample(debug_name="", **common) if single else tf.raw_ops.ParseSequenceExample(
        debug_name=[], Ncontext_sparse=1, Ncontext_dense=1, Nfeature_list_sparse=3, Nfeature_list_dense=3, **common)
    return [tensor for part in out for tensor in part]


def make(recorder):
    values(recorder.case)
    errors(recorder.error)


def values(case):
    rng = np.random.RandomState(5)
    whole = texts(*[example(rng, {"f3": 3, "i": 1, "s": 2, "f_any": int(rng.randint(5)), "s_any": int(rng.randint(3)), "i_rows": 2 * int(rng.randint(4))})
                    for _ in range(40)])
    partial = texts(*[example(rng, {"f3": 3, **({"i": 1} if n % 2 else {}), **({"i_rows": 4} if n % 3 else {})}) for n in range(10)] + [b""])
    dense = {"f3": ([3], None), "i": ([], None), "s": ([2, 1], None), "i_rows": ([None, 2], 7)}
    missing = {"f3": ([3], [1, 2, 3]), "i": ([], 5), "i_rows": ([None, 2], 7)}
    case("examples", lambda x: parse(x, dense, ["f_any", "s_any", "i_nowhere"]), [whole], grad=False)
    case("examples_with_defaults", lambda x: parse(x, missing, ["i_any"]), [partial], grad=False)
    case("no_examples", lambda x: parse(x, missing, ["s_any"]), [texts()], grad=False)
    for n in (0, 3):
        case("example%d" % n, lambda x: parse(x, dense, ["f_any", "s_any"], single=True), [np.array(whole[n], object)], grad=False)
    sequences = texts(*[sequence(rng, steps) for steps in (2, 0, 5, 1)])
    case("sequences", lambda x: parse_sequence(x, False), [sequences], grad=False)
    for n in range(4):
        case("sequence%d" % n, lambda x: parse_sequence(x, True), [np.array(sequences[n], object)], grad=False)

    for dtype in (np.float32, np.int64, np.uint8, np.bool_, np.complex64):
        case("tensor_string" + np.dtype(dtype).name, lambda x: [tf.serialize_tensor(x), tf.parse_tensor(tf.serialize_tensor(x), x.dtype)],
             [(rng.rand(2, 3) * 9).astype(dtype)], grad=False)
    # decode_json_example writes numbers unpacked, which is the same message.
    case("decode_json", lambda x: parse(tf.decode_json_example(x), {"f": ([1], None)}, ["s"]),
         [texts('{"features": {"feature": {"f": {"floatList": {"value": [1.5]}}, "s": {"bytesList": {"value": ["YWI="]}}}}}')], grad=False)
    ragged = texts(*(example(rng, {"f_some": n, "i_some": 3 - n, "s_one": 1}) for n in range(4)))
    for chosen in (ragged, ragged[2]):
        case("ragged %d" % np.ndim(chosen), lambda x: list(tf.nest.flatten(tf.raw_ops.ParseExampleV2(
            serialized=x, names=tf.constant([], tf.string), sparse_keys=["f_some"], dense_keys=["s_one"], ragged_keys=["i_some", "f_some2"],
            dense_defaults=[tf.constant(["none"])], num_sparse=1, sparse_types=[tf.float32], ragged_value_types=[tf.int64, tf.float32],
            ragged_split_types=[tf.int32, tf.int64], dense_shapes=[[1]]))), [np.array(chosen, object)], grad=False)
    for dtype in (tf.uint8, tf.int16, tf.float32, tf.float64):
        for order in (True, False):
            case("decode_padded_raw %s %s" % (dtype.name, order), lambda x: tf.raw_ops.DecodePaddedRaw(
                input_bytes=x, fixed_length=16, out_type=dtype, little_endian=order), [texts("\0\0\1@", "", "a longer text than that")], grad=False)
    case("decode_compressed", lambda x: tf.io.decode_compressed(x, "ZLIB"), [texts(b"x\x9c\xf3\xf0HLJNIMss\x03\x00\x12\xf6\x03r")], grad=False)

    indices = np.array([[0, 1], [0, 3], [2, 0], [2, 2]])
    for numbers in (np.array([1, 2, 3, 4], np.float32), texts("a", "", "c", "d")):
        shape = np.array([3, 4])
        name = str(numbers.dtype)
        case("sparse_string" + name, lambda i, v, s: list(tf.raw_ops.DeserializeSparse(
            serialized_sparse=tf.serialize_sparse(tf.SparseTensor(i, v, s)), dtype=v.dtype)), [indices, numbers, shape], grad=False)
        case("sparse_strings" + name, lambda i, v, s: list(tf.raw_ops.DeserializeManySparse(
            serialized_sparse=tf.serialize_many_sparse(tf.SparseTensor(i, v, s)), dtype=v.dtype)), [indices, numbers, shape], grad=False)
        case("sparse_map" + name, lambda i, v, s: list(tf.raw_ops.TakeManySparseFromTensorsMap(
            sparse_handles=tf.raw_ops.AddManySparseToTensorsMap(sparse_indices=i, sparse_values=v, sparse_shape=s, shared_name="m"), dtype=v.dtype,
            shared_name="m")), [indices, numbers, shape], grad=False)
        case("sparse_map_of_one" + name, lambda i, v, s: list(tf.raw_ops.TakeManySparseFromTensorsMap(
            sparse_handles=tf.reshape(tf.raw_ops.AddSparseToTensorsMap(sparse_indices=i, sparse_values=v, sparse_shape=s, shared_name="o"), [1]),
            dtype=v.dtype, shared_name="o")), [indices, numbers, shape], grad=False)

    def reading(x):
        queue = tf.FIFOQueue(10, tf.string, shapes=[[]])
        reader = tf.IdentityReader()
        with tf.control_dependencies([queue.enqueue_many([x])]):
            first = list(reader.read(queue))
        with tf.control_dependencies(first):
            more = list(reader.read_up_to(queue, 5))
        with tf.control_dependencies(more):
            return first + more + [reader.num_records_produced(), reader.num_work_units_completed(), reader.serialize_state()]

    case("reading", reading, [texts("a", "b", "c")], grad=False)


def errors(error):
    rng = np.random.RandomState(7)
    # Bytes that are valid UTF-8, because TensorFlow's errors quote them and Python decodes the errors as UTF-8.
    good = tf.train.Example(features=tf.train.Features(feature={
        "f3": tf.train.Feature(float_list=tf.train.FloatList(value=[0, 2, 0])), "i": tf.train.Feature(int64_list=tf.train.Int64List(value=[5])),
        "s": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"ab", b"c"]))})).SerializeToString()
    for name, bytes_, dense, sparse in (
            ("missing", good, {"f4": ([], None)}, []), ("wrong type", good, {"i": ([1], None)}, ["f3"]), ("count", good, {"f3": ([2], None)}, []),
            ("rows", good, {"f3": ([None, 2], 0)}, []), ("nothing", b"", {"i": ([], None)}, []), ("garbage", b"\x0a\x7f\x7f", {"i": ([], None)}, [])):
        if name == "wrong type":
            dense, sparse = {"i": ([1], None)}, []
            bytes_ = tf.train.Example(features=tf.train.Features(feature={"i": feature(rng, "f", 1)})).SerializeToString()
        error(name, lambda x, d=dense, s=sparse: parse(x, d, s), [texts(good, bytes_) if name in ("missing", "nothing", "garbage", "wrong type") else texts(bytes_)])
        error(name + " alone", lambda x, d=dense, s=sparse: parse(x, d, s, single=True), [np.array(bytes_, object)])
    for cut in (3, len(good) // 2, len(good) - 1):
        error("cut%d" % cut, lambda x: parse(x, {"f3": ([3], None), "i": ([], None), "s": ([2], None)}, []), [texts(good[:cut])])
    error("no tensor", lambda x: tf.parse_tensor(x, tf.float32), [np.array(b"zz", object)])
    error("other tensor", lambda x: tf.parse_tensor(tf.serialize_tensor(x), tf.float32), [np.array([1, 2])])
    error("no json", tf.decode_json_example, [texts("{")])
    error("no zlib", lambda x: tf.io.decode_compressed(x, "ZLIB"), [texts("plain")])
    error("no sparse strings", lambda x: list(tf.raw_ops.DeserializeManySparse(serialized_sparse=x, dtype=tf.float32)), [texts("a", "b", "c").reshape(1, 3)])
    error("not in the map", lambda x: list(tf.raw_ops.TakeManySparseFromTensorsMap(sparse_handles=x, dtype=tf.float32, shared_name="none")), [np.array([3])])
