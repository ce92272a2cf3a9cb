"""Reductions, products, segments and linear algebra: one row per op."""
import numpy as np

from oracle.draw import Draw as D
from oracle.tensorflow1 import tf

AXES = [((3,), [0]), ((2, 3), [1]), ((2, 3), [0, 1]), ((2, 3, 4), [0, 2]), ((2, 3, 4), [-2]), ((2, 3), []), ((0, 3), [0]), ((), [])]
FLOATS = [tf.float32, tf.float64]


def well_conditioned(n, dtype, batch=()):
    x = np.random.RandomState(n).uniform(-1, 1, batch + (n, n))
    if np.dtype(dtype).kind == "c":
        x = x + 1j * np.random.RandomState(n + 1).uniform(-1, 1, batch + (n, n))
    return (x + 3 * np.eye(n)).astype(dtype)


def positive(n, dtype, batch=()):
    x = well_conditioned(n, dtype, batch)
    return (x @ np.conj(np.swapaxes(x, -1, -2))).astype(dtype)


def reductions(sweep):
    for op in ("Sum", "Mean", "Prod", "Max", "Min", "EuclideanNorm"):
        sweep(op, D(2, 3, low=1, high=3), np.int32([1]), grad=op != "EuclideanNorm")
        for shape, axes in AXES:
            if op in ("Max", "Min") and 0 in shape:
                continue
            for keep in (False, True):
                sweep(op, D(*shape, salt=1), np.int32(axes), keep_dims=keep, only=[tf.float32, tf.int32], grad=op != "EuclideanNorm")
    for op in ("All", "Any"):
        for shape, axes in AXES:
            sweep(op, D(*shape), np.int64(axes))
    for op in ("ArgMax", "ArgMin"):
        for shape, axis in [((5,), 0), ((2, 3), 1), ((2, 3, 4), -2)]:
            sweep(op, D(*shape, low=-9, high=9), np.int32(axis))
    for op in ("Cumsum", "Cumprod"):
        for exclusive in (False, True):
            for reverse in (False, True):
                sweep(op, D(2, 3, low=1, high=3), np.int32(1), exclusive=exclusive, reverse=reverse)
    sweep("Bincount", np.int32([0, 3, 3, 1]), np.int32(5), D(4))
    sweep("Bucketize", D(2, 3, low=-9, high=9), boundaries=[-1.5, 0.0, 3.0])
    sweep("HistogramFixedWidth", D(20, low=-3, high=3), np.float32([-2, 2]), np.int32(5), only=[tf.float32])
    sweep("NthElement", D(2, 5, low=-9, high=9), np.int32(2))
    sweep("TopKV2", D(2, 6, low=-90, high=90), np.int32(2))
    sweep("InTopK", D(3, 5), np.int32([1, 0, 4]), k=2)
    sweep("InTopKV2", D(3, 5), D(3, low=0, high=4), D(low=2, high=2))


def products(sweep):
    for ta in (False, True):
        for tb in (False, True):
            sweep("MatMul", D(*((4, 3) if ta else (3, 4))), D(*((5, 4) if tb else (4, 5)), salt=1), transpose_a=ta, transpose_b=tb)
            sweep("BatchMatMul", D(*((2, 4, 3) if ta else (2, 3, 4))), D(*((2, 5, 4) if tb else (2, 4, 5)), salt=1), adj_x=ta, adj_y=tb)
            sweep("BatchMatMulV2", D(*((2, 1, 4, 3) if ta else (2, 1, 3, 4))), D(*((3, 5, 4) if tb else (3, 4, 5)), salt=1), adj_x=ta, adj_y=tb)
            sweep("SparseMatMul", D(*((4, 3) if ta else (3, 4))), D(*((5, 4) if tb else (4, 5)), salt=1), transpose_a=ta, transpose_b=tb)
    sweep("MatMul", D(0, 3), D(3, 2), only=FLOATS)
    sweep("MatMul", D(2, 0), D(0, 3), only=FLOATS)
    for equation, shapes in [("ij,jk->ik", [(2, 3), (3, 4)]), ("bij,bjk->bik", [(2, 2, 3), (2, 3, 4)]), ("i,i->", [(3,), (3,)]), ("ij->ji", [(2, 3)])]:
        sweep("Einsum", [D(*s, salt=i) for i, s in enumerate(shapes)], equation=equation, only=[tf.float32, tf.float64, tf.complex64])
    sweep("Cross", D(2, 3), D(2, 3, salt=1))


def segments(sweep):
    ids = np.int32([0, 0, 2, 3])
    for op in ("SegmentSum", "SegmentMean", "SegmentProd", "SegmentMax", "SegmentMin"):
        sweep(op, D(4, 2, low=1, high=4), ids)
        sweep(op, D(4), np.int64([0, 1, 1, 1]), only=FLOATS)
    for op in ("UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMax", "UnsortedSegmentMin"):
        sweep(op, D(4, 2, low=1, high=4), np.int32([3, 0, 3, 1]), np.int32(4))
        sweep(op, D(4, 2, low=1, high=4), np.int64([3, 0, -1, 1]), np.int32(5), only=FLOATS)
    for op in ("SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"):
        few = [tf.float32, tf.float64]
        sweep(op, D(5, 2), np.int32([1, 1, 4]), np.int32([0, 0, 1]), only=few)
        sweep(op + "WithNumSegments", D(5, 2), np.int32([1, 1, 4]), np.int32([0, 0, 2]), np.int32(4), only=few)


def matrices(sweep):
    for dtype in (np.float32, np.float64, np.complex64):
        for batch in ((), (2,)):
            a = well_conditioned(3, dtype, batch)
            b = D(*batch, 3, 2).array(dtype)
            sweep("MatrixInverse", a)
            sweep("MatrixInverse", a, adjoint=True)
            sweep("MatrixDeterminant", a)
            sweep("LogMatrixDeterminant", a, grad=False)
            sweep("MatrixSolve", a, b)
            sweep("MatrixSolve", a, b, adjoint=True)
            sweep("MatrixTriangularSolve", a, b, lower=True)
            sweep("MatrixTriangularSolve", a, b, lower=False, adjoint=True)
            sweep("Cholesky", positive(3, dtype, batch), grad=dtype != np.complex64)
            sweep("MatrixSolveLs", D(*batch, 5, 3).array(dtype), D(*batch, 5, 2, salt=1).array(dtype), np.float64(0.1), grad=False)
            sweep("MatrixSquareRoot", positive(3, dtype, batch), grad=False) if dtype == np.complex64 else None


def make(recorder):
    reductions(recorder.sweep)
    products(recorder.sweep)
    segments(recorder.sweep)
    matrices(recorder.sweep)
    for dtype in (np.float32, np.float64):
        def rebuilt_qr(x):
            q, r = tf.raw_ops.Qr(input=x)
            return [tf.matmul(q, r), tf.abs(r)]
        recorder.case("Qr", rebuilt_qr, [D(4, 3).array(dtype)], grad=False)

        # The signs of the vectors are arbitrary, so the reconstructed matrices are compared.
        def rebuilt_svd(x):
            s, u, v = tf.raw_ops.Svd(input=x, compute_uv=True)
            return [s, tf.matmul(u, tf.matmul(tf.raw_ops.MatrixDiag(diagonal=s), v, adjoint_b=True))]
        recorder.case("Svd", rebuilt_svd, [D(4, 3).array(dtype)], grad=False)

        def rebuilt_eig(x):
            e, v = tf.raw_ops.SelfAdjointEigV2(input=x, compute_v=True)
            return [e, tf.matmul(v * e, v, adjoint_b=True)]
        recorder.case("SelfAdjointEigV2", rebuilt_eig, [positive(3, dtype)], grad=False)
        recorder.case("Svd values", lambda x: tf.svd(x, compute_uv=False), [D(4, 3).array(dtype)])
        recorder.case("SelfAdjointEigV2 values", tf.self_adjoint_eigvals, [positive(3, dtype)])
