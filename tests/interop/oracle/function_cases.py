"""Functions: Defun, PartitionedCall, If, While, Case, and gradients through them; ops that only forward values."""
import numpy as np
from tensorflow.python.framework import function

from oracle.draw import Draw as D
from oracle.tensorflow1 import tf

raw = tf.raw_ops
X = D(2, 3).array(np.float32)


def defined(*types, **options):
    return function.Defun(*types, **options)


def make(recorder):
    case = recorder.case

    @defined(tf.float32, tf.float32)
    def scaled(x, y):
        return tf.tanh(x) * y + 1.0

    @defined(tf.float32)
    def squared(x):
        return tf.square(x)

    @defined(tf.float32)
    def halved(x):
        return x * 0.5

    @defined(tf.int32, tf.float32)
    def below_three(i, x):
        return i < 3

    @defined(tf.int32, tf.float32)
    def grow(i, x):
        return i + 1, x * 1.5

    @defined(tf.float32)
    def twice(x):
        return squared(x) + halved(x)

    case("Defun", lambda x: scaled(x, x * 2.0), [X])
    case("Defun in Defun", lambda x: twice(x), [X])
    for op in ("PartitionedCall", "StatefulPartitionedCall"):
        case(op, lambda x, op=op: getattr(raw, op)(args=[x], Tout=[tf.float32], f=squared), [X], grad=False)
    for op in ("If", "StatelessIf"):
        for p in (True, False):
            case("%s %s" % (op, p), lambda c, x, op=op: getattr(raw, op)(cond=c, input=[x], Tout=[tf.float32], then_branch=squared, else_branch=halved),
                 [np.bool_(p), X], grad=False)
    for op in ("While", "StatelessWhile"):
        case(op, lambda x, op=op: getattr(raw, op)(input=[tf.constant(0), x], cond=below_three, body=grow), [X], grad=False)
    for branch in (0, 1, 7):
        case("Case %d" % branch, lambda i, x: raw.Case(branch_index=i, input=[x], Tout=[tf.float32], branches=[squared, halved]), [np.int32(branch), X], grad=False)
    case("SymbolicGradient", lambda x: raw.SymbolicGradient(input=[x, tf.ones_like(x)], Tout=[tf.float32], f=squared), [X], grad=False)
    case("RemoteCall", lambda x: raw.RemoteCall(target="/job:localhost/replica:0/task:0/device:CPU:0", args=[x], Tout=[tf.float32], f=squared), [X], grad=False)

    case("Print", lambda x: raw.Print(input=x, data=[x], message="", first_n=0), [X])
    case("PlaceholderWithDefault", lambda x: tf.placeholder_with_default(x, [None, 3]), [X])
    case("StringFormat", lambda x: raw.StringFormat(inputs=[x], template="x = {}", placeholder="{}", summarize=3), [np.int32([1, 2, 3])], grad=False)
    words = np.array([b"weir", b"", b"a1b22"], object)
    case("RegexReplace", lambda x: raw.RegexReplace(input=x, pattern=tf.constant("[0-9]+"), rewrite=tf.constant("#")), [words], grad=False)
    case("StaticRegexFullMatch", lambda x: raw.StaticRegexFullMatch(input=x, pattern="[a-z]+"), [words], grad=False)
    case("Empty", lambda x: tf.shape(raw.Empty(shape=x, dtype=tf.float32)), [np.int32([2, 3])], grad=False)
    case("InvGrad", lambda x: raw.InvGrad(y=x, dy=x * 2.0), [X], grad=False)
    case("SoftplusGrad", lambda x: raw.SoftplusGrad(gradients=x, features=x * 2.0), [X], grad=False)
    case("CholeskyGrad", lambda x: raw.CholeskyGrad(l=tf.cholesky(tf.matmul(x, x, transpose_b=True) + np.eye(2, dtype=np.float32)), grad=np.eye(2, dtype=np.float32)), [X], grad=False)
    case("SparseFillEmptyRowsGrad", lambda m, g: list(raw.SparseFillEmptyRowsGrad(reverse_index_map=m, grad_values=g)), [np.int64([2, 0]), np.float32([1, 2, 3])], grad=False)
    for kind in ("Sum", "Mean", "SqrtN"):
        case("SparseSegment%sGrad" % kind,
             lambda g, i, s, kind=kind: getattr(raw, "SparseSegment%sGrad" % kind)(grad=g, indices=i, segment_ids=s, output_dim0=5),
             [X, np.int32([0, 3, 3]), np.int32([0, 0, 1])], grad=False)
