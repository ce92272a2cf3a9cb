"""Ops on arrays, sparse tensors and indices: one row per op."""
import numpy as np

from oracle.draw import Draw as D
from oracle.tensorflow1 import tf

FEW = [tf.float32, tf.int32, tf.string, tf.complex64, tf.bool]
i32, i64 = np.int32, np.int64


def shapes(sweep):
    sweep("Shape", D(2, 3))
    sweep("ShapeN", [D(2, 3), D(2, 3)], only=FEW)
    sweep("Size", D(2, 3))
    sweep("Rank", D(2, 3))
    sweep("Reshape", D(2, 6), i32([3, -1]))
    sweep("Squeeze", D(1, 3, 1))
    sweep("Squeeze", D(1, 3, 1), squeeze_dims=[-1], only=FEW)
    sweep("ExpandDims", D(2, 3), i32(-1))
    sweep("Transpose", D(2, 3, 4), i32([2, 0, 1]))
    sweep("ConjugateTranspose", D(2, 3), i32([1, 0]))
    sweep("InvertPermutation", np.int32([2, 0, 1]))
    sweep("BroadcastArgs", i32([2, 1]), i32([3]))
    sweep("BroadcastGradientArgs", i32([2, 1]), i32([2, 3]))
    sweep("BroadcastTo", D(2, 1), i32([3, 2, 4]))
    sweep("UnravelIndex", D(3, low=0, high=5), D(2, low=3, high=3))
    sweep("ConcatOffset", i32(1), [i32([2, 3]), i32([2, 5])])


def joining(sweep):
    sweep("ConcatV2", [D(2, 3), D(2, 1, salt=1)], i32(1))
    sweep("Concat", i32(0), [D(2, 3), D(1, 3, salt=1)])
    sweep("Pack", [D(2, 3), D(2, 3, salt=1)], axis=1)
    sweep("Unpack", D(2, 3), num=3, axis=1)
    sweep("Split", i32(1), D(2, 4), num_split=2)
    sweep("SplitV", D(2, 5), i64([1, 4]), i32(1), num_split=2)
    sweep("ParallelConcat", [D(1, 3), D(1, 3, salt=1)], shape=[2, 3], grad=False, static=True)
    sweep("Tile", D(2, 3), i32([2, 1]))
    sweep("Pad", D(2, 3), i32([[1, 0], [0, 2]]))
    sweep("PadV2", D(2, 3), i32([[1, 0], [0, 2]]), D(low=1, high=2))
    for mode in ("REFLECT", "SYMMETRIC"):
        sweep("MirrorPad", D(3, 4), i32([[1, 1], [2, 0]]), mode=mode)
    sweep("Fill", i32([2, 3]), D())
    sweep("Range", D(low=0, high=0), D(low=5, high=9), D(low=1, high=2))
    sweep("LinSpace", D(low=0, high=1), D(low=5, high=9), i32(4))
    sweep("OneHot", D(2, 3, low=0, high=3), i32(4), D(low=2, high=3), D(low=0, high=1))
    sweep("OneHot", i32([1, -1, 2]), i32(3), D(low=2, high=3), D(low=0, high=1), axis=0, only=FEW)
    sweep("Diag", D(3))
    sweep("DiagPart", D(3, 3))
    sweep("MatrixDiag", D(2, 3))
    sweep("MatrixDiagPart", D(2, 3, 4))
    sweep("MatrixSetDiag", D(2, 3, 4), D(2, 3, salt=1))
    sweep("MatrixBandPart", D(2, 3, 4), i64(1), i64(0))
    sweep("MatrixBandPart", D(3, 4), i64(-1), i64(1), only=FEW)


def taking(sweep):
    sweep("Slice", D(3, 4), i32([1, 0]), i32([2, -1]))
    for masks in ({}, {"begin_mask": 1}, {"end_mask": 3}, {"shrink_axis_mask": 1}, {"new_axis_mask": 1}, {"ellipsis_mask": 1}):
        sweep("StridedSlice", D(3, 4), i32([0, 1]), i32([2, 4]), i32([1, 2]), only=FEW, **masks)
    sweep("StridedSlice", D(3, 4), i32([2, 3]), i32([-4, -5]), i32([-1, -2]))
    sweep("TensorStridedSliceUpdate", D(3, 4), i32([0, 1]), i32([2, 4]), i32([1, 2]), D(2, 2, salt=1), only=FEW)
    sweep("Gather", D(5, 2), D(2, 2, low=0, high=4))
    sweep("GatherV2", D(3, 5), D(4, low=0, high=4), i32(1))
    sweep("GatherV2", D(2, 3, 4), i32([[0, 2], [1, 1]]), i32(1), batch_dims=1, only=FEW)
    sweep("GatherNd", D(4, 3), i32([[0, 2], [3, 1]]))
    sweep("GatherNd", D(4, 3), i32([[1], [1]]), only=FEW)
    sweep("ScatterNd", i32([[1], [3], [1]]), D(3, 2), i32([5, 2]), only=[tf.float32, tf.int32, tf.float64, tf.int64, tf.complex64])
    for op in ("TensorScatterAdd", "TensorScatterSub", "TensorScatterUpdate"):
        sweep(op, D(4, 2, low=2, high=9), i32([[1], [3]]), D(2, 2, low=0, high=2), only=[tf.float32, tf.int32, tf.float64, tf.int64])
    sweep("ScatterNdNonAliasingAdd", D(4), i32([[1], [1], [3]]), D(3, salt=1), only=[tf.float32, tf.int32])
    sweep("Where", D(3, 4, low=0, high=1))
    sweep("Reverse", D(2, 3), np.array([False, True]))
    sweep("ReverseV2", D(2, 3), i32([0, -1]))
    sweep("ReverseSequence", D(3, 4), i64([1, 4, 2]), seq_dim=1, batch_dim=0)
    sweep("Roll", D(3, 4), i32([1, -2]), i32([0, 1]))
    sweep("LowerBound", D(1, 4, low=0, high=9).array(np.float32).cumsum(1), D(1, 3, low=0, high=30).array(np.float32))
    sweep("UpperBound", np.int32([[1, 3, 3, 5]]), np.int32([[0, 3, 9]]))
    sweep("Unique", D(8, low=0, high=4))
    sweep("UniqueV2", D(5, 2, low=0, high=1), i64([0]))
    sweep("UniqueWithCounts", D(8, low=0, high=4))
    sweep("UniqueWithCountsV2", D(8, low=0, high=4), i64([0]))
    sweep("ListDiff", D(8, low=0, high=6), D(3, low=0, high=6, salt=1))
    sweep("DynamicPartition", D(4, 2), i32([1, 0, 1, 1]), num_partitions=3)
    sweep("DynamicStitch", [i32([0, 2]), i32([1])], [D(2, 3), D(1, 3, salt=1)])
    sweep("ParallelDynamicStitch", [i32([0, 2]), i32([1])], [D(2, 3), D(1, 3, salt=1)], only=FEW)
    sweep("IdentityN", [np.float32([1, 2]), np.int32(3)])


def blocks(sweep):
    sweep("SpaceToBatch", D(1, 4, 4, 2), i32([[0, 0], [0, 0]]), block_size=2)
    sweep("BatchToSpace", D(4, 2, 2, 2), i32([[0, 0], [1, 0]]), block_size=2)
    sweep("SpaceToBatchND", D(1, 4, 3, 2), i32([2, 1]), i32([[0, 0], [1, 0]]), static=True)
    sweep("BatchToSpaceND", D(4, 2, 2), i32([2]), i32([[0, 1]]), static=True)
    sweep("SpaceToDepth", D(1, 4, 2, 3), block_size=2)
    sweep("DepthToSpace", D(1, 2, 2, 8), block_size=2)
    sweep("ExtractImagePatches", D(1, 5, 5, 2), ksizes=[1, 3, 2, 1], strides=[1, 2, 1, 1], rates=[1, 1, 2, 1], padding="SAME",
          only=[tf.float32, tf.int32, tf.float64], grad=False)
    sweep("ExtractImagePatches", D(1, 5, 5, 1), ksizes=[1, 2, 2, 1], strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="VALID", only=[tf.float32], grad=False)


def sparse(sweep):
    indices, shape = i64([[0, 1], [1, 0], [2, 3]]), i64([3, 4])
    few = [tf.float32, tf.float64, tf.int32, tf.int64]
    sweep("SparseToDense", i32([[0, 1], [2, 0]]), i32([3, 2]), D(2), D(low=1, high=2))
    sweep("SparseReorder", indices[::-1].copy(), D(3), shape)
    sweep("SparseReshape", indices, shape, i64([2, -1]))
    sweep("SparseSlice", indices, D(3), shape, i64([0, 0]), i64([2, 2]), only=few)
    sweep("SparseConcat", [indices, indices], [D(3), D(3, salt=1)], [shape, shape], concat_dim=1)
    sweep("SparseAdd", indices, D(3), shape, indices[:2].copy(), D(2, salt=1), shape, np.float32(0.0), only=[tf.float32], grad=False)
    sweep("SparseFillEmptyRows", indices[:1].copy(), D(1), shape, D())
    sweep("SparseReduceSum", indices, D(3), shape, i32([1]), only=few, grad=False)
    for a in (False, True):
        sweep("SparseTensorDenseMatMul", indices, D(3), shape, D(*((3, 2) if a else (4, 2))), adjoint_a=a, only=few)
    sweep("SparseTensorDenseAdd", indices, D(3), shape, D(3, 4), only=few)
    real = [tf.float32, tf.float64]
    for op in ("SparseDenseCwiseAdd", "SparseDenseCwiseMul", "SparseDenseCwiseDiv"):
        sweep(op, indices, D(3), shape, D(3, 4, low=1, high=3), only=real, grad=op != "SparseDenseCwiseAdd")
    for op in ("SparseReduceMax", "SparseReduceMaxSparse", "SparseReduceSumSparse"):
        sweep(op, indices, D(3), shape, i32([1]), only=real, grad=False)
    sweep("SparseSoftmax", i64([[0, 1], [0, 2], [2, 3]]), D(3), shape, only=real)
    for op in ("SparseSparseMaximum", "SparseSparseMinimum"):
        sweep(op, indices, D(3), shape, indices[:2].copy(), D(2, salt=1), shape, only=real, grad=False)
    sweep("SparseSplit", np.int64(1), indices, D(3), shape, num_split=2, only=real, grad=False)
    sweep("EnsureShape", D(2, 3), shape=[2, None])
    sweep("EditDistance", indices[:2].copy(), i32([1, 2]), shape, indices[:2].copy(), i32([1, 3]), shape, grad=False)


def nn(sweep):
    sweep("Softmax", D(3, 4))
    sweep("LogSoftmax", D(3, 4))
    sweep("BiasAdd", D(2, 3, 4), D(4, salt=1))
    sweep("BiasAdd", D(2, 4, 3, 3), D(4, salt=1), data_format="NCHW", only=[tf.float32])
    sweep("BiasAddV1", D(2, 4), D(4, salt=1))
    labels = np.float32([[0.1, 0.2, 0.7], [0.5, 0.5, 0]])
    for dtype in (np.float32, np.float64):
        sweep("SoftmaxCrossEntropyWithLogits", D(2, 3).array(dtype), labels.astype(dtype))
    sweep("SparseSoftmaxCrossEntropyWithLogits", D(3, 4), D(3, low=0, high=3))
    sweep("LRN", D(2, 3, 3, 7), depth_radius=2, bias=1.5, alpha=0.3, beta=0.6)
    sweep("FakeQuantWithMinMaxArgs", D(3, 4, low=-8, high=8), grad=False)
    sweep("FakeQuantWithMinMaxVars", D(3, 4, low=-8, high=8), np.float32(-3), np.float32(5), grad=False)
    sweep("QuantizeAndDequantizeV2", D(3, 4), np.float32(-2), np.float32(2), range_given=True, only=[tf.float32])


def make(recorder):
    for group in (shapes, joining, taking, blocks, sparse, nn):
        group(recorder.sweep)
