"""Slicing, concatenating, rearranging and indexing, by TensorFlow's public names."""
from oracle.draw import ints, real
from oracle.tensorflow1 import tf


def make(recorder):
    case = recorder.case
    case("transpose", lambda x: tf.transpose(x, [2, 0, 1]), [real(2, 3, 4)])
    case("reshape", lambda x: tf.reshape(x, [4, -1]), [real(2, 3, 4)])
    case("concat", lambda x, y: tf.concat([x, y], 1), [real(2, 3), real(2, 5)])
    case("split", lambda x: tf.split(x, [1, 3, 2], 1), [real(2, 6)])
    case("stack", lambda x, y: tf.stack([x, y], 1), [real(2, 3), real(2, 3)])
    case("unstack", lambda x: tf.unstack(x, axis=0), [real(3, 2)])
    case("slice", lambda x: tf.slice(x, [1, 0], [2, -1]), [real(4, 3)])
    for text in ["1:3", "::-1", "..., 1", ":, None, 2", "-1", "1:, ::2", "0, 1:", "..., ::-2"]:
        case("strided[%s]" % text, lambda x, text=text: eval("x[%s]" % text), [real(4, 5)])
    case("gather", lambda x, i: tf.gather(x, i), [real(5, 3), ints(2, 2)])
    case("gather1", lambda x, i: tf.gather(x, i, axis=1), [real(3, 5), ints(4)])
    case("gather_nd", lambda x, i: tf.gather_nd(x, i), [real(5, 5), ints(3, 2)])
    case("scatter_nd", lambda i, u: tf.scatter_nd(i, u, [5, 2]), [ints(4, 1), real(4, 2)])
    for mode in ["CONSTANT", "REFLECT", "SYMMETRIC"]:
        case("pad" + mode, lambda x, mode=mode: tf.pad(x, [[1, 1], [0, 2]], mode), [real(3, 4)])
    case("tile", lambda x: tf.tile(x, [2, 3]), [real(2, 2)])
    case("one_hot", lambda i: tf.one_hot(i, 4), [ints(3, 2)])
    case("where", tf.where, [ints(3, 3, high=2).astype(bool)])
    case("select", lambda c, x, y: tf.where(c, x, y), [ints(2, 3, high=2).astype(bool), real(2, 3), real(2, 3)])
    case("top_k", lambda x: tf.nn.top_k(x, 2), [real(3, 5)])
    case("reverse", lambda x: tf.reverse(x, [1]), [real(2, 3)])
    case("expand", lambda x: tf.expand_dims(x, 1), [real(2, 3)])
    case("squeeze", lambda x: tf.squeeze(x, [1]), [real(2, 1, 3)])
    case("band", lambda x: tf.matrix_band_part(x, 1, 0), [real(2, 3, 3)])
    case("diag", tf.diag, [real(3)])
    case("matrix_diag", lambda x: tf.raw_ops.MatrixDiag(diagonal=x), [real(2, 3)])
    case("broadcast_to", lambda x: tf.broadcast_to(x, [2, 4, 3]), [real(4, 1)])
    case("space_to_batch", lambda x: tf.space_to_batch_nd(x, [2, 2], [[0, 0], [0, 0]]), [real(1, 4, 4, 2)])
    case("depth_to_space", lambda x: tf.depth_to_space(x, 2), [real(1, 2, 2, 8)])
    case("cast", lambda x: tf.cast(x, tf.int32), [real(3, 4)])
    case("segment_sum", lambda x: tf.segment_sum(x, [0, 0, 2, 3]), [real(4, 2)])
    case("unsorted_segment_sum", lambda x: tf.unsorted_segment_sum(x, [3, 0, 3, 1], 5), [real(4, 2)])
    case("unique", lambda x: tf.unique(x), [ints(8)])
    for operation in ("a-b", "b-a", "intersection", "union"):
        sets = {"set_operation": operation}
        some = {"set2_indices": [[0, 0], [0, 3], [1, 1], [3, 0], [3, 2]], "set2_shape": [4, 5]}
        others = {"set1_indices": [[0, 0], [0, 1], [2, 4], [3, 0]], "set1_shape": [4, 6]}
        case("sets " + operation, lambda x, y: list(tf.raw_ops.DenseToDenseSetOperation(set1=x, set2=y, **sets)), [ints(4, 5), ints(4, 3)])
        case("sparse set " + operation, lambda x, y: list(tf.raw_ops.DenseToSparseSetOperation(set1=x, set2_values=y, **some, **sets)),
             [ints(4, 5), ints(5)])
        case("sparse sets " + operation, lambda x, y: list(tf.raw_ops.SparseToSparseSetOperation(
            set1_values=x, set2_values=y, **some, **others, **sets)), [ints(4), ints(5)])
    case("set sizes", lambda x: tf.raw_ops.SetSize(set_indices=[[0, 0], [0, 3], [0, 4], [3, 0], [3, 2]], set_values=x, set_shape=[4, 5]), [ints(5)])
