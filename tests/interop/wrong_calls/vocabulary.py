"""The words that calls use besides `tf` and `np`. Imported by both engines.

In mode "const" a tensor is a constant, so that shape functions see it; in mode "fed" it is a placeholder without a
shape.
"""
import numpy as np

NUMPY = {"half": "float16", "float": "float32", "double": "float64"}


class Vocabulary:
    def __init__(self, tf, mode):
        self.tf, self.mode = tf, mode
        self.feeds, self.initializers = {}, []

    def names(self):
        return {"tf": self.tf, "np": np, **{name: getattr(self, name) for name in dir(self) if not name.startswith("_")}}

    def _array(self, dtype, shape, values):
        dtype = self.tf.as_dtype(dtype)
        size = int(np.prod(shape, dtype=np.int64))
        if dtype == self.tf.string:
            values = [v if isinstance(v, bytes) else str(v).encode() for v in values]
        array = np.empty(size, dtype.as_numpy_dtype)
        if size:
            array[:] = np.resize(np.array(values, object if dtype == self.tf.string else None), size)
        return dtype, array.reshape(shape)

    def t(self, dtype, shape, values):
        """A tensor. The values repeat to fill the shape."""
        dtype, array = self._array(dtype, shape, values)
        if self.mode == "fed":
            x = self.tf.placeholder(dtype, None)
            self.feeds[x] = array
            return x
        return self.tf.constant(array, dtype)

    def const(self, dtype, shape, values):
        dtype, array = self._array(dtype, shape, values)
        return self.tf.constant(array, dtype)

    def var(self, dtype, shape, values):
        dtype, array = self._array(dtype, shape, values)
        v = self.tf.raw_ops.VariableV2(shape=shape, dtype=dtype)
        self.initializers.append(self.tf.raw_ops.Assign(ref=v, value=self.tf.constant(array, dtype)))
        return v

    def rvar(self, dtype, shape, values):
        dtype, array = self._array(dtype, shape, values)
        handle = self.tf.raw_ops.VarHandleOp(shape=shape, dtype=dtype, shared_name="v%d" % len(self.initializers))
        self.initializers.append(self.tf.raw_ops.AssignVariableOp(resource=handle, value=self.tf.constant(array, dtype)))
        return handle

    def out(self, result, index):
        """One output of a raw op."""
        return result[index] if isinstance(result, (list, tuple)) else result

    def f(self, *shape):
        return self.t("float32", list(shape), [0.5, 1.5, 0.25, 2.0, 0.75])

    def d(self, *shape):
        return self.t("float64", list(shape), [0.5, 1.5, 0.25, 2.0, 0.75])

    def i(self, *shape):
        return self.t("int32", list(shape), [0, 1, 1])

    def l(self, *shape):
        return self.t("int64", list(shape), [0, 1, 1])

    def u(self, *shape):
        return self.t("uint8", list(shape), [10, 200, 30])

    def b(self, *shape):
        return self.t("bool", list(shape), [True, False])

    def s(self, *shape):
        return self.t("string", list(shape), ["a", "b c", "1"])

    def z(self, *shape):
        return self.t("complex64", list(shape), [1 + 1j, 2.0])

    def v(self, *shape):
        """A reference variable."""
        return self.tf.Variable(np.ones(shape, np.float32), use_resource=False)

    def rv(self, *shape):
        return self.tf.Variable(np.ones(shape, np.float32), use_resource=True)

    def sp(self, *shape):
        """A sparse tensor that has only its first and last element."""
        rank = len(shape)
        return self.tf.SparseTensor(self.tf.constant([[0] * rank, [n - 1 for n in shape]], self.tf.int64), self.tf.constant([1.0, 2.0]),
                                    self.tf.constant(list(shape), self.tf.int64))

    def spi(self, *shape):
        rank = len(shape)
        return self.tf.SparseTensor(self.tf.constant([[0] * rank, [n - 1 for n in shape]], self.tf.int64), self.tf.constant([1, 0], self.tf.int64),
                                    self.tf.constant(list(shape), self.tf.int64))

    def slices(self, *shape):
        return self.tf.IndexedSlices(self.f(*shape), self.i(shape[0]), dense_shape=self.tf.constant([9, *shape[1:]]))

    def other(self):
        """A tensor of another graph."""
        with self.tf.Graph().as_default():
            return self.tf.constant(1.0)
