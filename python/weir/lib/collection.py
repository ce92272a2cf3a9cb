"""graph.get_collection_ref: a collection as a list that changes the graph's own."""
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
