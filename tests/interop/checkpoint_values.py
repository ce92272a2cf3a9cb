"""The contents of checkpoints that Weir and TensorFlow exchange. Imported by both; depends on neither."""
import numpy as np

NUMBERS = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "complex64",
           "complex128", "bool"]
WHOLE = np.arange(24, dtype=np.float32).reshape(6, 4)
PARTS = [("6 4 0,2:-", slice(0, 2)), ("6 4 2,1:0,4", slice(2, 3)), ("6 4 3,3:-", slice(3, 6))]
# Slices that span several parts.
CUTS = ["6 4 -:-", "6 4 1,4:1,2", "6 4 2,1:-", "6 4 5,1:3,1"]
STEP = 300


def values():
    """Returns the values by name; the bfloat16 one as the float32 from which it is converted."""
    made = {f"types/{name}": np.array([[0, 1, 2], [100, 3, 1]]).astype(name) for name in NUMBERS}
    made["types/bfloat16"] = np.array([1.5, -2, 1e30], np.float32)
    made["types/string"] = np.array([["", "one"], ["x" * 1000, "nul\0byte"]], object)
    made["empty"] = np.zeros([0, 3], np.float32)
    made["scalar"] = np.float64(-0.5)
    made["large"] = np.arange(300_000, dtype=np.int32).reshape(300, 1000)
    # More names than fit in one block of the index.
    made.update({f"many/layer_{i}/weights": np.float32(i) for i in range(3000)})
    return made


def cut(spec):
    """Returns the part of WHOLE that a shape_and_slice specifies."""
    extents = []
    for extent in spec.split(" ")[-1].split(":"):
        start, length = (0, None) if extent == "-" else map(int, extent.split(","))
        extents.append(slice(start, None if length is None else start + length))
    return WHOLE[tuple(extents)]


def as_tensor(tf, name, value):
    if name.endswith("bfloat16"):
        return tf.cast(tf.constant(value), tf.bfloat16)
    if value.dtype == object:
        return tf.constant([[text.encode() for text in row] for row in value])
    return tf.constant(value)


def write_all(tf, folder):
    """Writes bundles with either engine: all values, parts of a tensor, and parts in two files that are merged."""
    tensors = values()
    with tf.Graph().as_default(), tf.Session() as sess:
        names = sorted(tensors)
        sess.run(tf.raw_ops.SaveV2(prefix=f"{folder}/all", tensor_names=names, shape_and_slices=[""] * len(names),
                                   tensors=[as_tensor(tf, name, tensors[name]) for name in names]))
        specs, rows = zip(*PARTS)
        parts = [tf.constant(WHOLE[row]) for row in rows]
        sess.run(tf.raw_ops.SaveV2(prefix=f"{folder}/parts", tensor_names=["p"] * 3, shape_and_slices=list(specs), tensors=parts))
        shards = [f"{folder}/t/part-{i}" for i in range(2)]
        sess.run(tf.raw_ops.SaveV2(prefix=shards[0], tensor_names=["p", "x"], shape_and_slices=[specs[0], ""],
                                   tensors=[parts[0], tf.constant(1)]))
        sess.run(tf.raw_ops.SaveV2(prefix=shards[1], tensor_names=["p", "p", "y"], shape_and_slices=[specs[1], specs[2], ""],
                                   tensors=[parts[1], parts[2], tf.constant("why")]))
        sess.run(tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=shards, destination_prefix=f"{folder}/merged"))


def read_all(tf, folder):
    """Reads the bundles that write_all wrote, with either engine."""
    found = {"all": {}, "cuts": {}}
    reader = tf.train.NewCheckpointReader(f"{folder}/all")
    found["shapes"] = {name: list(shape) for name, shape in reader.get_variable_to_shape_map().items()}
    found["dtypes"] = {name: dtype.name for name, dtype in reader.get_variable_to_dtype_map().items()}
    for name in found["shapes"]:
        value = reader.get_tensor(name)
        found["all"][name] = np.asarray(value).astype(np.float32) if name.endswith("bfloat16") else value
    with tf.Graph().as_default(), tf.Session() as sess:
        for prefix in ("parts", "merged"):
            cuts = tf.raw_ops.RestoreV2(prefix=f"{folder}/{prefix}", tensor_names=["p"] * len(CUTS), shape_and_slices=CUTS,
                                        dtypes=[tf.float32] * len(CUTS))
            found["cuts"][prefix] = sess.run(cuts)
    merged = tf.train.NewCheckpointReader(f"{folder}/merged")
    found["merged"] = [merged.get_tensor("x"), merged.get_tensor("y"), merged.get_tensor("p")]
    return found


def v1_file(folder, name):
    return f"{folder}/v1_{name.replace('/', '_')}"


def write_v1(tf, folder):
    """Writes V1 files: one per type, parts in several files, files of savers. Returns the names of the tensors that V1
    supports."""
    taken = []
    for name, value in values().items():
        if name.startswith("many/"):
            continue
        try:
            with tf.Graph().as_default(), tf.Session() as sess:
                sess.run(tf.raw_ops.SaveSlices(filename=v1_file(folder, name), tensor_names=[name], shapes_and_slices=[""],
                                               data=[as_tensor(tf, name, value)]))
            taken.append(name)
        except tf.errors.OpError:
            pass
    with tf.Graph().as_default(), tf.Session() as sess:
        for shard, (spec, rows) in enumerate(PARTS):
            sess.run(tf.raw_ops.SaveSlices(filename=f"{folder}/v1s-{shard:05}-of-00003", tensor_names=["p"], shapes_and_slices=[spec],
                                           data=[tf.constant(WHOLE[rows])]))
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.get_variable("v", initializer=np.float32([1, 2]))
        tf.get_variable("parts", shape=[6, 4], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(3))
        sess.run(tf.global_variables_initializer())
        for sharded in (True, False):
            saver = tf.train.Saver(write_version=tf.train.SaverDef.V1, sharded=sharded)
            saver.save(sess, f"{folder}/v1_{'sharded' if sharded else 'saver'}")
    return taken


def read_v1(tf, folder, names):
    """Reads V1 files with either engine: the values of each file, slices of the parts, and restored variables."""
    found = {"all": {}}
    with tf.Graph().as_default(), tf.Session() as sess:
        for name in names:
            dtype = as_tensor(tf, name, values()[name]).dtype
            value = sess.run(tf.raw_ops.Restore(file_pattern=v1_file(folder, name), tensor_name=name, dt=dtype))
            found["all"][name] = np.asarray(value).astype(np.float32) if name.endswith("bfloat16") else value
        pattern = f"{folder}/v1s-?????-of-00003"
        found["whole"] = sess.run(tf.raw_ops.Restore(file_pattern=pattern, tensor_name="p", dt=tf.float32))
        found["cuts"] = [sess.run(tf.raw_ops.RestoreSlice(file_pattern=pattern, tensor_name="p", shape_and_slice=spec, dt=tf.float32))
                         for spec in CUTS]
        variables = [tf.get_variable("v", shape=[2]), tf.get_variable("parts", shape=[6, 4])]
        found["restored"] = []
        for path in (f"{folder}/v1_saver", f"{folder}/v1_sharded-?????-of-00001"):
            tf.train.Saver().restore(sess, path)
            found["restored"].append(sess.run(variables))
    found["latest"] = tf.train.latest_checkpoint(folder).rpartition("/")[2]
    return found


def build_model(tf):
    """Builds a model with slots, a partitioned variable and a loop, whose values identify the step."""
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    w = tf.get_variable("w", initializer=np.ones([3, 2], np.float32))
    parts = tf.get_variable("parts", shape=[6, 4], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(3))
    step = tf.train.get_or_create_global_step()
    y = tf.add(tf.matmul(x, w), tf.reduce_sum(tf.convert_to_tensor(parts)), name="y")
    train = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_mean(y * y), global_step=step, name="train")
    tf.add_to_collection("inputs", x)
    tf.add_to_collection("train", train)
    return x, train


def train_model(tf, folder):
    """Trains three steps, saves, trains one more; returns the final values of the variables."""
    with tf.Graph().as_default(), tf.Session() as sess:
        x, train = build_model(tf)
        saver = tf.train.Saver(sharded=True, max_to_keep=2)
        sess.run(tf.global_variables_initializer())
        feed = {x: [[1, 2, 3], [4, 5, 6]]}
        for _ in range(3):
            sess.run(train, feed)
        saver.save(sess, f"{folder}/model", global_step=tf.train.get_global_step())
        sess.run(train, feed)
        return {v.op.name: value for v, value in zip(tf.global_variables(), sess.run(tf.global_variables()))}


def continue_model(tf, folder):
    """Runs the same last step in a graph that is imported from the other engine's meta graph."""
    with tf.Graph().as_default(), tf.Session() as sess:
        path = tf.train.latest_checkpoint(folder)
        saver = tf.train.import_meta_graph(path + ".meta")
        saver.restore(sess, path)
        sess.run(tf.get_collection("train")[0], {tf.get_collection("inputs")[0]: [[1, 2, 3], [4, 5, 6]]})
        return {v.op.name: value for v, value in zip(tf.global_variables(), sess.run(tf.global_variables()))}
