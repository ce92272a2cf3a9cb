"""tensorflow.python.util.nest: functions of a structure together with a shallower one, and paths of items."""
import collections.abc as _abc

from weir._weir import nest_flatten as flatten
from weir._weir import nest_is_sequence as is_nested
from weir._weir import nest_map_structure as map_structure
from weir._weir import nest_pack_sequence_as as pack_sequence_as


def _items(structure):
    """Returns (key, value) pairs: sorted keys of a mapping, fields of a namedtuple, positions of a sequence."""
    if isinstance(structure, _abc.Mapping):
        return [(key, structure[key]) for key in sorted(structure)]
    if hasattr(structure, "_fields"):
        return list(zip(structure._fields, structure))
    return list(enumerate(structure))


def _same_kind(shallow, structure):
    if isinstance(shallow, _abc.Mapping) and isinstance(structure, _abc.Mapping):
        return True
    if hasattr(shallow, "_fields") and hasattr(structure, "_fields"):
        return type(shallow).__name__ == type(structure).__name__ and shallow._fields == structure._fields
    return isinstance(structure, type(shallow))


def assert_shallow_structure(shallow_tree, input_tree, check_types=True, expand_composites=False):
    """Checks that input_tree has the structure of shallow_tree, or more below its leaves."""
    if not is_nested(shallow_tree):
        return
    if not is_nested(input_tree):
        raise TypeError(f"If shallow structure is a sequence, input must also be a sequence. Input has type: {type(input_tree)}.")
    if check_types and not _same_kind(shallow_tree, input_tree):
        raise TypeError("The two structures don't have the same sequence type. "
                        f"Input structure has type {type(input_tree)}, while shallow structure has type {type(shallow_tree)}.")
    if len(input_tree) != len(shallow_tree):
        raise ValueError("The two structures don't have the same sequence length. "
                         f"Input structure has length {len(input_tree)}, while shallow structure has length {len(shallow_tree)}.")
    if check_types and isinstance(shallow_tree, _abc.Mapping) and set(input_tree) != set(shallow_tree):
        raise ValueError("The two structures don't have the same keys. "
                         f"Input structure has keys {list(input_tree)}, while shallow structure has keys {list(shallow_tree)}.")
    for (_, shallow), (_, deep) in zip(_items(shallow_tree), _items(input_tree)):
        assert_shallow_structure(shallow, deep, check_types, expand_composites)


def _flatten_up_to(shallow_tree, input_tree, path=()):
    if not is_nested(shallow_tree):
        return [(path, input_tree)]
    return [leaf for (key, shallow), (_, deep) in zip(_items(shallow_tree), _items(input_tree))
            for leaf in _flatten_up_to(shallow, deep, path + (key,))]


def flatten_with_tuple_paths_up_to(shallow_tree, input_tree, check_types=True, expand_composites=False):
    assert_shallow_structure(shallow_tree, input_tree, check_types, expand_composites)
    return _flatten_up_to(shallow_tree, input_tree)


def flatten_up_to(shallow_tree, input_tree, check_types=True, expand_composites=False):
    """Returns the parts of input_tree at the leaves of shallow_tree."""
    return [value for _, value in flatten_with_tuple_paths_up_to(shallow_tree, input_tree, check_types, expand_composites)]


def map_structure_with_tuple_paths_up_to(shallow_tree, func, *inputs, **kwargs):
    """Calls func(path, *parts) for the parts at each leaf of shallow_tree. Returns a structure of the results."""
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    check_types = kwargs.pop("check_types", True)
    kwargs.pop("expand_composites", None)
    parts = [flatten_with_tuple_paths_up_to(shallow_tree, one, check_types) for one in inputs]
    results = [func(leaves[0][0], *[value for _, value in leaves], **kwargs) for leaves in zip(*parts)]
    return pack_sequence_as(shallow_tree, results) if is_nested(shallow_tree) else results[0]


def map_structure_up_to(shallow_tree, func, *inputs, **kwargs):
    return map_structure_with_tuple_paths_up_to(shallow_tree, lambda _, *values, **more: func(*values, **more), *inputs, **kwargs)


def map_structure_with_tuple_paths(func, *structure, **kwargs):
    return map_structure_with_tuple_paths_up_to(structure[0], func, *structure, **kwargs)


def map_structure_with_paths(func, *structure, **kwargs):
    """Like map_structure, with the path of the leaf ("a/0") as the first argument."""
    return map_structure_with_tuple_paths_up_to(structure[0], lambda path, *values, **more: func("/".join(map(str, path)), *values, **more),
                                                *structure, **kwargs)


def flatten_with_tuple_paths(structure, expand_composites=False):
    return _flatten_up_to(structure, structure)


def flatten_with_joined_string_paths(structure, separator="/", expand_composites=False):
    return [(separator.join(map(str, path)), value) for path, value in flatten_with_tuple_paths(structure)]


def yield_flattened_paths(nest, expand_composites=False):
    for path, _ in flatten_with_tuple_paths(nest):
        yield path


def flatten_dict_items(dictionary):
    """Returns a dict with an item per leaf of the keys: {("a", "b"): (1, 2)} becomes {"a": 1, "b": 2}."""
    if not isinstance(dictionary, _abc.Mapping):
        raise TypeError("input must be a dictionary")
    flat: dict = {}
    for key, value in dictionary.items():
        keys, values = (flatten(key), flatten(value)) if is_nested(key) else ([key], [value])
        if len(keys) != len(values):
            raise ValueError(f"Could not flatten dictionary. Key had {len(keys)} elements, but value had {len(values)} elements. "
                             f"Key: {keys}, value: {values}.")
        for one, item in zip(keys, values):
            if one in flat:
                raise ValueError(f"Could not flatten dictionary: key {one} is not unique.")
            flat[one] = item
    return flat


def get_traverse_shallow_structure(traverse_fn, structure, expand_composites=False):
    """Returns a structure of bools: which parts of `structure` to look into, as traverse_fn(part) says."""
    wanted = traverse_fn(structure)
    if not is_nested(structure):
        if not isinstance(wanted, bool):
            raise TypeError(f"traverse_fn returned structure: {wanted} for non-structure: {structure}")
        return wanted

    def below(choice, part):
        if not isinstance(choice, bool):
            raise TypeError("traverse_fn didn't return a depth=1 structure of True/False items, for input "
                            f"structure: {structure}, returned: {wanted}.")
        return get_traverse_shallow_structure(traverse_fn, part) if choice else False

    if isinstance(wanted, bool):
        if not wanted:
            return False
        wanted = map_structure_up_to(_one_level(structure), lambda _: True, structure)
    assert_shallow_structure(wanted, structure)
    return map_structure_up_to(wanted, below, wanted, structure)


def _one_level(structure):
    """Returns the structure with leaves instead of what is nested in it."""
    if isinstance(structure, _abc.Mapping):
        return {key: None for key in structure}
    return type(structure)(*[None] * len(structure)) if hasattr(structure, "_fields") else type(structure)([None] * len(structure))
