"""graph.get_collection_ref: a list that reads and modifies a collection of the graph."""
import collections.abc


class CollectionRef(collections.abc.MutableSequence):
    def __init__(self, graph, name):
        self._graph = graph
        self._name = name

    def _items(self):
        return self._graph.get_collection(self._name)

    def _change(self, change):
        items = self._items()
        change(items)
        self._graph._set_collection(self._name, items)

    def __getitem__(self, index):
        return self._items()[index]

    def __len__(self):
        return len(self._items())

    def __setitem__(self, index, value):
        self._change(lambda items: items.__setitem__(index, value))

    def __delitem__(self, index):
        self._change(lambda items: items.__delitem__(index))

    def insert(self, index, value):
        self._change(lambda items: items.insert(index, value))

    def __eq__(self, other):
        return self._items() == list(other)

    def __add__(self, other):
        return self._items() + list(other)

    def __repr__(self):
        return repr(self._items())


class Collections(collections.abc.MutableMapping):
    """The collections of a graph by name. Changes apply to the graph."""

    def __init__(self, graph):
        self._graph = graph

    def __getitem__(self, name):
        if name not in self._graph.get_all_collection_keys():
            raise KeyError(name)
        return CollectionRef(self._graph, name)

    def __setitem__(self, name, items):
        self._graph._set_collection(name, items)

    def __delitem__(self, name):
        if name not in self._graph.get_all_collection_keys():
            raise KeyError(name)
        self._graph.clear_collection(name)

    def __iter__(self):
        return iter(self._graph.get_all_collection_keys())

    def __len__(self):
        return len(self._graph.get_all_collection_keys())

    def __repr__(self):
        return repr(dict(self))


_PROTO_FUNCTIONS = {}


def register_proto_function(collection_name, proto_type=None, to_proto=None, from_proto=None):
    """Registers how items of a collection are written to and read from meta graphs."""
    if (to_proto and not callable(to_proto)) or (from_proto and not callable(from_proto)):
        raise TypeError("to_proto and from_proto must be callable.")
    _PROTO_FUNCTIONS[collection_name] = (proto_type, to_proto, from_proto)


def proto_functions(collection_name):
    """Called by the binding. Returns None, or the functions to_proto(item) and from_proto(bytes, scope)."""
    if collection_name not in _PROTO_FUNCTIONS:
        return None
    proto_type, to_proto, from_proto = _PROTO_FUNCTIONS[collection_name]

    def read(data, scope):
        return from_proto(proto_type.FromString(data) if proto_type else data, import_scope=scope or None)

    return to_proto, read if from_proto else None


def meta_graph_from_text(text):
    from google.protobuf import text_format  # type: ignore
    from weir import MetaGraphDef
    return text_format.Parse(text, MetaGraphDef())
