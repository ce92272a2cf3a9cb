"""tf.TensorSpec and related classes: types and shapes of values that do not exist yet."""
from weir import _weir


class TypeSpec:
    """Describes a kind of values. Two specs are equal if they are of one class and describe the same."""

    def _parts(self):
        raise NotImplementedError

    def is_compatible_with(self, spec_or_value):
        """Whether this spec describes the given spec or value."""
        other = spec_or_value if isinstance(spec_or_value, TypeSpec) else type_spec_from_value(spec_or_value)
        return (type(self) is type(other) and self.dtype.is_compatible_with(other.dtype)
                and self.shape.is_compatible_with(other.shape))

    def __eq__(self, other):
        return type(self) is type(other) and self._parts() == other._parts()

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash((type(self), str(self._parts())))

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(map(repr, self._parts()))})"

    def __reduce__(self):
        return type(self), self._parts()


class _ShapeAndType(TypeSpec):
    def __init__(self, shape=None, dtype="float32"):
        self._shape = _weir.TensorShape(shape)
        self._dtype = _weir.as_dtype(dtype)

    @property
    def shape(self):
        return self._shape

    @property
    def dtype(self):
        return self._dtype

    def _parts(self):
        return (self._shape.as_list() if self._shape.ndims is not None else None), self._dtype


class TensorSpec(_ShapeAndType):
    """The shape and the type of a tensor, and optionally a name."""

    def __init__(self, shape, dtype="float32", name=None):
        super().__init__(shape, dtype)
        self._name = name

    @classmethod
    def from_spec(cls, spec, name=None):
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor, name=None):
        return cls(tensor.shape, tensor.dtype, name or tensor.op.name)

    @property
    def name(self):
        return self._name

    def __repr__(self):
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r})"

    def __reduce__(self):
        return TensorSpec, (*self._parts(), self._name)


class BoundedTensorSpec(TensorSpec):
    """A tensor spec with the least and the greatest value that elements may have."""

    def __init__(self, shape, dtype, minimum, maximum, name=None):
        import numpy as np
        super().__init__(shape, dtype, name)
        if minimum is None or maximum is None:
            raise ValueError("minimum and maximum must not be None")
        self._minimum = np.array(minimum, dtype=self.dtype.as_numpy_dtype)
        self._maximum = np.array(maximum, dtype=self.dtype.as_numpy_dtype)
        for bound in (self._minimum, self._maximum):
            bound.setflags(write=False)
            np.broadcast_to(bound, self.shape.as_list() if self.shape.is_fully_defined() else bound.shape)

    @classmethod
    def from_spec(cls, spec):
        return cls(spec.shape, spec.dtype, getattr(spec, "minimum", spec.dtype.min), getattr(spec, "maximum", spec.dtype.max), spec.name)

    @property
    def minimum(self):
        return self._minimum

    @property
    def maximum(self):
        return self._maximum

    def _parts(self):
        return (*super()._parts(), self._minimum.tolist(), self._maximum.tolist())

    def __repr__(self):
        return (f"BoundedTensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r}, minimum={self.minimum!r}, "
                f"maximum={self.maximum!r})")

    def __reduce__(self):
        return BoundedTensorSpec, (*self._parts(), self._name)


class SparseTensorSpec(_ShapeAndType):
    """The dense shape and the type of a SparseTensor."""

    @property
    def value_type(self):
        return _weir.SparseTensor

    def __repr__(self):
        return f"SparseTensorSpec({self.shape!r}, {self.dtype!r})"


class IndexedSlicesSpec(_ShapeAndType):
    """The dense shape and the type of IndexedSlices."""

    def __init__(self, shape=None, dtype="float32", indices_dtype="int64", dense_shape_dtype=None, indices_shape=None):
        super().__init__(shape, dtype)
        self._rest = (_weir.as_dtype(indices_dtype), dense_shape_dtype and _weir.as_dtype(dense_shape_dtype), indices_shape)

    @property
    def value_type(self):
        return _weir.IndexedSlices

    def _parts(self):
        return (*super()._parts(), *self._rest)


def type_spec_from_value(value):
    """Returns the spec of a tensor, a sparse tensor, slices or anything that converts to a tensor."""
    if isinstance(value, _weir.SparseTensor):
        return SparseTensorSpec(value.shape, value.dtype)
    if isinstance(value, _weir.IndexedSlices):
        dense_shape = value.dense_shape
        return IndexedSlicesSpec(value.shape, value.dtype, value.indices.dtype, dense_shape.dtype if dense_shape is not None else None)
    if not isinstance(value, (_weir.Tensor, _weir.Variable)):
        value = _weir.convert_to_tensor(value)
    return TensorSpec(value.shape, value.dtype.base_dtype)


class TensorArraySpec(TypeSpec):
    """The elements of a TensorArray."""

    def __init__(self, element_shape=None, dtype="float32", dynamic_size=False, infer_shape=True):
        self._element_shape = _weir.TensorShape(element_shape)
        self._dtype = _weir.as_dtype(dtype)
        self._dynamic_size = dynamic_size
        self._infer_shape = infer_shape

    @property
    def value_type(self):
        return _weir.TensorArray

    def _parts(self):
        shape = self._element_shape
        return (shape.as_list() if shape.ndims is not None else None), self._dtype, self._dynamic_size, self._infer_shape

    def is_compatible_with(self, spec_or_value):
        other = spec_or_value
        return (isinstance(other, TensorArraySpec) and self._dtype == other._dtype and self._dynamic_size == other._dynamic_size
                and self._element_shape.is_compatible_with(other._element_shape))
