"""tf.vectorized_map, as a loop over the elements."""
from weir import _weir


def vectorized_map(fn, elems):
    """tf.map_fn that takes the types of the results from a first call of fn."""
    first = _weir.nest_map_structure(lambda x: _weir.convert_to_tensor(x)[0], elems)
    types = _weir.nest_map_structure(lambda x: _weir.convert_to_tensor(x).dtype.base_dtype, fn(first))
    return _weir.map_fn(fn, elems, dtype=types)
