"""Iterators over datasets, and functions that take a dataset or an iterator."""
from weir import _weir
from weir.lib.data_elements import Spec


class Iterator:
    """Iterates over a dataset: each step that runs get_next() consumes one element."""

    def __init__(self, iterator_resource, initializer, output_types, output_shapes, output_classes):
        spec = Spec.of_user(output_types, output_shapes, output_classes)
        self._set((iterator_resource, *spec.flat), initializer, spec)

    def _set(self, flat, initializer, spec):
        self._flat = flat
        self._spec = spec
        self._initializer = initializer
        self._one_shot = initializer is None
        # As in TensorFlow, the op exists from the start: programs ask for handles when the graph is finalized.
        self._string_handle = _weir.iterator_string_handle(flat, None)

    @classmethod
    def _of(cls, flat, initializer, spec):
        """Makes an iterator from the result of a function of the binding."""
        iterator = cls.__new__(cls)
        iterator._set(flat, initializer, spec)
        return iterator

    @staticmethod
    def from_structure(output_types, output_shapes=None, shared_name=None, output_classes=None):
        spec = Spec.of_user(output_types, output_shapes, output_classes)
        iterator = Iterator._of(_weir.iterator_from_structure(spec.flat, shared_name), None, spec)
        iterator._one_shot = False
        return iterator

    @staticmethod
    def from_string_handle(string_handle, output_types, output_shapes=None, output_classes=None):
        spec = Spec.of_user(output_types, output_shapes, output_classes)
        return Iterator._of(_weir.iterator_from_string_handle(string_handle, spec.flat), None, spec)

    output_types = property(lambda self: self._spec.output_types)
    output_shapes = property(lambda self: self._spec.output_shapes)
    output_classes = property(lambda self: self._spec.output_classes)

    @property
    def element_spec(self):
        from weir.lib.data_experimental import get_structure
        return get_structure(self)

    @property
    def initializer(self):
        if self._initializer is None:
            raise ValueError("The iterator does not have an initializer: " + (
                "it needs none." if self._one_shot else "run one of those that make_initializer gives."))
        return self._initializer

    def make_initializer(self, dataset, name=None):
        if self.output_types != dataset.output_types:
            raise TypeError(f"Expected output types {self.output_types!r} but got dataset with output types {dataset.output_types!r}.")
        if self.output_classes != dataset.output_classes:
            raise TypeError(f"Expected output classes {self.output_classes!r} but got dataset with output classes {dataset.output_classes!r}.")
        for own, shape in zip(self._spec.shapes, dataset._spec.shapes):
            if not own.is_compatible_with(shape):
                raise TypeError(f"Expected output shapes compatible with {self.output_shapes!r} but got dataset with output shapes {dataset.output_shapes!r}.")
        return _weir.iterator_make_initializer(self._flat, dataset._flat_with_options, name)

    def get_next(self, name=None):
        return self._spec.value_of(_weir.iterator_get_next(self._flat, name))

    def string_handle(self, name=None):
        return self._string_handle if name is None else _weir.iterator_string_handle(self._flat, name)


def make_one_shot_iterator(dataset):
    return dataset.make_one_shot_iterator()


def make_initializable_iterator(dataset, shared_name=None):
    return dataset.make_initializable_iterator(shared_name)


def get_output_types(dataset_or_iterator):
    return dataset_or_iterator.output_types


def get_output_shapes(dataset_or_iterator):
    return dataset_or_iterator.output_shapes


def get_output_classes(dataset_or_iterator):
    return dataset_or_iterator.output_classes
