"""Steps that must fail, and their error classes."""
import numpy as np

from oracle.tensorflow1 import tf

raw = tf.raw_ops
M = np.zeros((2, 3), np.float32)
i32 = np.int32


def make(recorder):
    error = recorder.error
    error("MatMul of wrong sizes", tf.matmul, [M, M])
    error("MatMul of a vector", lambda x, y: raw.MatMul(a=x, b=y), [M[0], M])
    error("Add that cannot broadcast", lambda x, y: x + y, [M, np.zeros(2, np.float32)])
    error("Reshape to another size", tf.reshape, [M, i32([4])])
    error("Reshape with two unknowns", tf.reshape, [M, i32([-1, -1])])
    error("Reshape to a negative size", tf.reshape, [M, i32([-2, 3])])
    error("Concat of unlike arrays", lambda x, y: tf.concat([x, y], 0), [M, np.zeros((2, 2), np.float32)])
    error("Concat on no such axis", lambda x, a: tf.concat([x, x], a), [M, i32(5)])
    error("Split that does not come out even", lambda x: tf.split(x, 2, 1), [M])
    error("Slice past the end", tf.slice, [M, i32([1, 1]), i32([2, 1])])
    error("Slice from before the start", tf.slice, [M, i32([-1, 0]), i32([1, 1])])
    error("StridedSlice with a step of 0", lambda x, s: tf.strided_slice(x, [0], [2], s), [M, i32([0])])
    error("StridedSlice of an index past the end", lambda x, i: x[i], [M, i32(7)])
    error("Gather past the end", tf.gather, [M, i32([0, 2])])
    error("Gather before the start", tf.gather, [M, i32([-1])])
    error("GatherNd past the end", tf.gather_nd, [M, i32([[0, 9]])])
    error("ScatterNd past the end", lambda i, u: tf.scatter_nd(i, u, [3]), [i32([[5]]), np.float32([1])])
    error("Transpose by no permutation", tf.transpose, [M, i32([0, 0])])
    error("Tile by too few", tf.tile, [M, i32([2])])
    error("Pad by too few", tf.pad, [M, i32([[1, 1]])])
    error("Pad by less than nothing", tf.pad, [M, i32([[-1, 0], [0, 0]])])
    error("Fill of a negative size", lambda d: tf.fill(d, 1.0), [i32([-1])])
    error("Range with a step of 0", lambda d: tf.range(0, 5, d), [i32(0)])
    error("ExpandDims on no such axis", lambda x, a: tf.expand_dims(x, a), [M, i32(9)])
    error("Squeeze of what is not 1", lambda x: tf.squeeze(x, [0]), [M])
    error("Sum over no such axis", lambda x, a: tf.reduce_sum(x, a), [M, i32([4])])
    error("ArgMax on no such axis", lambda x, a: tf.argmax(x, a), [M, i32(4)])
    error("ArgMax of nothing", lambda x: tf.argmax(x, 1), [np.zeros((2, 0), np.float32)])
    error("Integer division by zero", lambda x, y: tf.floordiv(x, y), [i32([4]), i32([0])])
    error("Integer remainder by zero", lambda x, y: tf.floormod(x, y), [i32([4]), i32([0])])
    error("Integer power of a negative", tf.pow, [i32([2]), i32([-1])])
    error("One hot of a negative depth", lambda d: tf.one_hot([0], d), [i32(-1)])
    error("TopK of too many", lambda x, k: tf.nn.top_k(x, k), [M, i32(9)])
    error("Segments out of order", tf.segment_sum, [np.zeros((3, 1), np.float32), i32([1, 0, 2])])
    error("UnsortedSegmentSum past the end", lambda x, s: tf.unsorted_segment_sum(x, s, 2), [np.zeros(3, np.float32), i32([0, 1, 5])])
    error("Inverse of a singular matrix", tf.matrix_inverse, [np.zeros((2, 2), np.float32)])
    error("Inverse of what is not square", tf.matrix_inverse, [M])
    error("CheckNumerics of a NaN", lambda x: tf.check_numerics(x, "no"), [np.float32([np.nan])])
    error("Assert", lambda p: tf.Assert(p, [p]), [np.bool_(False)])
    error("InvertPermutation of repeats", tf.invert_permutation, [i32([1, 1])])
    error("DynamicPartition past the end", lambda x, p: tf.dynamic_partition(x, p, 2), [np.zeros(2, np.float32), i32([0, 3])])
    error("Sparse labels past the end", lambda x, y: raw.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=y)[0][0], [M, i32([0])])
    error("BiasAdd of another size", tf.nn.bias_add, [M, np.zeros(2, np.float32)])
    error("DecodeRaw of a broken length", lambda s: tf.decode_raw(s, tf.int32), [np.array([b"abc"], object)])
    error("StringToNumber of a word", tf.string_to_number, [np.array([b"abc"], object)])
    error("Random ints of an empty range", lambda low: tf.random_uniform([2], low, 1, tf.int32), [i32(4)])
    error("BroadcastTo a smaller shape", tf.broadcast_to, [M, i32([3])])
    error("SpaceToBatch that does not divide", lambda x, p: raw.SpaceToBatch(input=x, paddings=p, block_size=2), [np.zeros((1, 3, 3, 1), np.float32), i32([[0, 0], [0, 0]])])
    error("BatchMatMul of wrong sizes", lambda x, y: raw.BatchMatMulV2(x=x, y=y), [np.zeros((2, 2, 3), np.float32), np.zeros((2, 2, 3), np.float32)])
    error("A variable without a value", lambda: raw.VariableV2(shape=[2], dtype=tf.float32) * 2.0)
    error("A resource without a value", lambda: raw.ReadVariableOp(resource=raw.VarHandleOp(dtype=tf.float32, shape=[2], shared_name="x"), dtype=tf.float32))
    error("Assign of another shape", lambda x: raw.Assign(ref=raw.VariableV2(shape=[2], dtype=tf.float32), value=x), [M])
    error("ScatterUpdate past the end", lambda x, i: raw.ScatterUpdate(ref=raw.Assign(ref=raw.VariableV2(shape=[2, 3], dtype=tf.float32), value=x), indices=i, updates=x),
          [M, i32([0, 7])])
    error("Count past the limit", lambda x: raw.CountUpTo(ref=raw.Assign(ref=raw.VariableV2(shape=[], dtype=tf.int32), value=x), limit=3), [i32(3)])
    error("TensorArray read of nothing", lambda i: tf.TensorArray(tf.float32, 2).read(i), [i32(1)])
    error("TensorArray write past the end", lambda i: tf.TensorArray(tf.float32, 2).write(i, 1.0).flow, [i32(5)])
    error("A table of wrong types", lambda k: raw.LookupTableFindV2(table_handle=raw.HashTableV2(key_dtype=tf.int64, value_dtype=tf.int64), keys=k, default_value=tf.constant(0, tf.int64)),
          [np.array([b"a"], object)])
    error("A table that was not initialized", lambda k: raw.LookupTableFindV2(table_handle=raw.HashTableV2(key_dtype=tf.int64, value_dtype=tf.int64, shared_name="t"), keys=k, default_value=tf.constant(0, tf.int64)),
          [np.int64([1])])
    error("A placeholder that is not fed", lambda: tf.placeholder(tf.float32, [2]) * 2.0)
