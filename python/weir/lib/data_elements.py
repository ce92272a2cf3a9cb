"""Elements of datasets: nested tuples, namedtuples and dicts of tensors, SparseTensors and datasets, and functions of
elements.

For C++, an element is a list of component tensors, with their types and shapes.
"""
import itertools

from weir import _weir
from weir.lib.values import SparseTensorValue


# Elements nest in tuples and dicts; a list is a tensor.
def _is_tuple(value):
    return isinstance(value, tuple) and not isinstance(value, (_weir.TensorShape, SparseTensorValue))


def flatten(value):
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in flatten(value[key])]
    if _is_tuple(value):
        return [leaf for item in value for leaf in flatten(item)]
    return [value]


def pack(structure, leaves):
    """Packs leaves, an iterator, into the structure of `structure`."""
    if isinstance(structure, dict):
        packed = {key: pack(structure[key], leaves) for key in sorted(structure)}
        ordered = [(key, packed[key]) for key in structure]
        return dict(ordered) if type(structure) is dict else type(structure)(ordered)
    if _is_tuple(structure):
        items = [pack(item, leaves) for item in structure]
        return type(structure)(*items) if hasattr(structure, "_fields") else tuple(items)
    return next(leaves)


class Sparse:
    """A leaf that is a SparseTensor: its type, and the dense shape of one component."""

    def __init__(self, dtype, shape):
        self.dtype = dtype
        self.shape = shape

    def __eq__(self, other):
        return isinstance(other, Sparse) and self.dtype == other.dtype

    def whole(self, component):
        """Returns the dense shape for a component tensor of that shape: batches of components have more dimensions."""
        return component[:-1].concatenate(self.shape) if component.ndims is not None else _weir.TensorShape(None)


class Spec:
    """The type of an element: types, shapes, and its structure. Leaves are None (a tensor), a Sparse, or a nested
    Spec."""

    def __init__(self, structure, types, shapes):
        self.structure = structure
        self.types = list(types)
        self.shapes = list(shapes)

    @property
    def flat(self):
        return self.types, self.shapes

    def with_shapes(self, types, shapes):
        return Spec(self.structure, types, shapes)

    def pack(self, leaves):
        return pack(self.structure, iter(leaves))

    def value_of(self, tensors):
        """Converts component tensors to an element as the user sees it."""
        def of_kind(kind, tensor):
            if kind is None:
                return tensor
            if isinstance(kind, Sparse):
                return _weir.sparse_from_component(tensor, kind.dtype, kind.whole(tensor.shape))
            return _dataset_class()._of((tensor, *kind.flat), kind)

        return self.pack(of_kind(kind, tensor) for kind, tensor in zip(flatten(self.structure), tensors))

    def has_sparse(self):
        return any(isinstance(kind, Sparse) for kind in flatten(self.structure))

    def legacy(self, of_tensor, of_sparse, of_dataset):
        def of_kind(i, kind):
            if kind is None:
                return of_tensor(i)
            return of_sparse(i, kind) if isinstance(kind, Sparse) else of_dataset(kind)

        return self.pack(of_kind(i, kind) for i, kind in enumerate(flatten(self.structure)))

    @property
    def output_types(self):
        return self.legacy(lambda i: self.types[i], lambda i, sparse: sparse.dtype, lambda spec: spec.output_types)

    @property
    def output_shapes(self):
        return self.legacy(lambda i: self.shapes[i], lambda i, sparse: sparse.whole(self.shapes[i]), lambda spec: spec.output_shapes)

    @property
    def output_classes(self):
        return self.legacy(lambda i: _weir.Tensor, lambda i, sparse: _weir.SparseTensor, lambda spec: _dataset_class())

    @staticmethod
    def of_user(output_types, output_shapes, output_classes=None):
        types = [_weir.as_dtype(t) for t in flatten(output_types)]
        structure = pack(output_types, itertools.repeat(None))
        if output_shapes is None:
            shapes = [_weir.TensorShape(None)] * len(types)
        else:
            shapes = _shapes_like(structure, output_shapes)
        if output_classes is None:
            return Spec(structure, types, shapes)
        kinds = [Sparse(dtype, shape) if issubclass(of, _weir.SparseTensor) else None
                 for of, dtype, shape in zip(flatten(output_classes), types, shapes)]
        return Spec(pack(structure, iter(kinds)), [dtype if kind is None else _weir.dtypes["string"] for kind, dtype in zip(kinds, types)],
                     [shape if kind is None else _weir.TensorShape(None) for kind, shape in zip(kinds, shapes)])


def _shapes_like(structure, shapes):
    """Returns flat shapes. Where the structure has a leaf, a shape may be a list, a tuple or a TensorShape."""
    if isinstance(structure, dict):
        return [shape for key in sorted(structure) for shape in _shapes_like(structure[key], shapes[key])]
    if isinstance(structure, tuple):
        if len(structure) != len(shapes):
            raise ValueError(f"The shapes {shapes} do not have the structure of the types: {len(structure)} are expected")
        return [shape for item, one in zip(structure, shapes) for shape in _shapes_like(item, one)]
    return [_weir.TensorShape(shapes)]


def row_components(value):
    """Like components, but a SparseTensor becomes one component per row."""
    return components(value, _weir.sparse_row_components, 1)


def components(value, of_sparse=_weir.sparse_component, rows=0):
    """Converts a user's element to component tensors and a Spec."""
    tensors, kinds = [], []
    for i, leaf in enumerate(flatten(value)):
        if isinstance(leaf, _dataset_class()):
            tensors.append(leaf._variant_tensor)
            kinds.append(leaf._spec)
        elif isinstance(leaf, (_weir.SparseTensor, SparseTensorValue)):
            sparse = leaf if isinstance(leaf, _weir.SparseTensor) else _weir.SparseTensor(*leaf)
            tensors.append(of_sparse(sparse))
            shape = sparse.shape
            kinds.append(Sparse(sparse.dtype, shape[rows:] if shape.ndims is not None else shape))
        else:
            tensors.append(_weir.convert_to_tensor(leaf, name=f"component_{i}"))
            kinds.append(None)
    structure = pack(value, iter(kinds))
    return tensors, Spec(structure, [t.dtype.base_dtype for t in tensors], [t.shape for t in tensors])


def trace(function, spec, convert=components):
    """Traces a function of elements into a library function. Returns it, and the Spec of its result."""
    given = []

    def traced(*tensors):
        args = spec.value_of(tensors)
        value = function(*args) if type(args) is tuple else function(args)
        if isinstance(value, list):
            value = tuple(value)
        tensors, result = convert(value)
        given.append(result)
        return list(tensors)

    traced.__name__ = "Dataset_" + "".join(c if c.isalnum() else "_" for c in getattr(function, "__name__", "function"))
    defined = _weir.Defun(*spec.types, input_shapes=spec.shapes, ordered_effects=True)(traced)
    defined.name  # forces tracing
    return (defined, *given[0].flat), given[0]


def trace_dataset(function, spec, what):
    """Like trace, for functions that return a dataset."""
    def checked(*args):
        value = function(*args)
        if not isinstance(value, _dataset_class()):
            raise TypeError(f"`{what}` must return a `Dataset` object.")
        return value

    checked.__name__ = getattr(function, "__name__", "function")
    traced, result = trace(checked, spec)
    return traced, result.structure


def relaxed_state(state, result):
    """Compares the state of a fold with the state that its function returned. Returns the state with shapes that fit both, or None if they are equal."""
    if result.types != state.types or result.structure != state.structure:
        raise TypeError(f"The element types for the new state must match the initial state. Expected {state.output_types}; got {result.output_types}.")
    common = [_common_shape(a, b) for a, b in zip(state.shapes, result.shapes)]
    if all(a.as_list() == b.as_list() if a.ndims is not None else b.ndims is None for a, b in zip(common, state.shapes)):
        return None
    return state.with_shapes(state.types, common)


def _common_shape(a, b):
    if a.ndims is None or b.ndims is None or a.ndims != b.ndims:
        return _weir.TensorShape(None)
    return _weir.TensorShape([x if x == y else None for x, y in zip(a.as_list(), b.as_list())])


def trace_fold(function, state, element, split=lambda value: (value, None)):
    """Traces function(state, element). `split` returns the new state and the output in its result; an output may be None.

    Returns the function, the Spec of the state, and the Spec of the output."""
    while True:
        both = Spec((state.structure, element.structure), state.types + element.types, state.shapes + element.shapes)
        specs = []

        def convert(value):
            new, output = split(value)
            tensors, new_spec = components(new)
            more, output_spec = components(output) if output is not None else ([], Spec((), [], []))
            specs[:] = [new_spec, output_spec]
            return tensors + more, Spec(None, new_spec.types + output_spec.types, new_spec.shapes + output_spec.shapes)

        traced, _ = trace(function, both, convert)
        wider = relaxed_state(state, specs[0])
        if wider is None:
            return traced, state, specs[1]
        state = wider


def _dataset_class():
    from weir.lib.datasets import Dataset  # here, because datasets imports this module
    return Dataset
