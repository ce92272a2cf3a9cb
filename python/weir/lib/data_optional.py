"""tf.data.experimental.Optional: an element of a dataset, or nothing."""
from weir import _weir
from weir.lib import specs
from weir.lib.data_elements import Spec, components, flatten, pack
from weir.lib.data_experimental import get_structure


class _Holder:
    """Has the only attribute of a dataset that get_structure reads."""

    def __init__(self, spec):
        self._spec = spec


def _spec_of(structure):
    """Converts nested TypeSpecs to the Spec of their components."""
    leaves = flatten(structure)
    types = pack(structure, iter([leaf.dtype for leaf in leaves]))
    shapes = pack(structure, iter([leaf.shape for leaf in leaves]))
    classes = pack(structure, iter([_weir.SparseTensor if isinstance(leaf, specs.SparseTensorSpec) else _weir.Tensor for leaf in leaves]))
    return Spec.of_user(types, shapes, classes)


class Optional:
    """An element or nothing: has_value() tells which, and get_value() fails if there is nothing."""

    def __init__(self, variant, spec):
        self._variant_tensor = variant
        self._spec = spec

    @staticmethod
    def from_value(value):
        with _weir.name_scope("optional"):
            tensors, spec = components(value)
            return Optional(_weir.op_function("OptionalFromValue")(tensors), spec)

    @staticmethod
    def none_from_structure(value_structure):
        return Optional(_weir.op_function("OptionalNone")(), _spec_of(value_structure))

    def has_value(self, name=None):
        return _weir.op_function("OptionalHasValue")(self._variant_tensor, name=name)

    def get_value(self, name=None):
        with _weir.name_scope(name, "OptionalGetValue"):
            types, shapes = self._spec.flat
            found = _weir.op_function("OptionalGetValue")(self._variant_tensor, output_types=types, output_shapes=shapes)
            return self._spec.value_of(found if isinstance(found, (list, tuple)) else [found])

    @property
    def value_structure(self):
        return get_structure(_Holder(self._spec))


def get_next_as_optional(iterator):
    types, shapes = iterator._spec.flat
    handle = iterator._flat[0] if isinstance(iterator._flat, tuple) else iterator._flat
    variant = _weir.op_function("IteratorGetNextAsOptional")(handle, output_types=types, output_shapes=shapes)
    return Optional(variant, iterator._spec)


class OptionalSpec(specs.TypeSpec):
    """An Optional, by the specs of its value."""

    def __init__(self, value_structure):
        self._value_structure = value_structure

    value_type = property(lambda self: Optional)

    def _parts(self):
        return (self._value_structure,)

    def is_compatible_with(self, spec_or_value):
        other = spec_or_value if isinstance(spec_or_value, OptionalSpec) else OptionalSpec(spec_or_value.value_structure)
        mine, theirs = flatten(self._value_structure), flatten(other._value_structure)
        return len(mine) == len(theirs) and all(a.is_compatible_with(b) for a, b in zip(mine, theirs))

    @classmethod
    def from_value(cls, value):
        return cls(value.value_structure)
