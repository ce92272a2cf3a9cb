"""tf.lookup and tf.contrib.lookup: lookup tables, with TensorFlow's class names."""
from weir import _weir


class TextFileIndex:
    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TableInitializerBase:
    """Initial contents of a table. `contents` is the C++ object."""

    def __init__(self, contents):
        self.contents = contents

    @property
    def key_dtype(self):
        return self.contents.key_dtype

    @property
    def value_dtype(self):
        return self.contents.value_dtype


class KeyValueTensorInitializer(TableInitializerBase):
    def __init__(self, keys, values, key_dtype=None, value_dtype=None, name=None):
        super().__init__(_weir.table_from_lists(keys, values, key_dtype, value_dtype, name))


class TextFileInitializer(TableInitializerBase):
    def __init__(self, filename, key_dtype, key_index, value_dtype, value_index, vocab_size=None, delimiter="\t", name=None):
        super().__init__(_weir.table_from_file(filename, key_dtype, key_index, value_dtype, value_index, vocab_size, delimiter, name))


class TextFileStringTableInitializer(TextFileInitializer):
    """Maps line numbers to lines."""

    def __init__(self, filename, key_column_index=TextFileIndex.LINE_NUMBER, value_column_index=TextFileIndex.WHOLE_LINE,
                 vocab_size=None, delimiter="\t", name="text_file_string_table_init"):
        super().__init__(filename, "int64", key_column_index, "string", value_column_index, vocab_size, delimiter, name)


class TextFileIdTableInitializer(TextFileInitializer):
    """Maps lines to line numbers."""

    def __init__(self, filename, key_column_index=TextFileIndex.WHOLE_LINE, value_column_index=TextFileIndex.LINE_NUMBER,
                 vocab_size=None, delimiter="\t", name="text_file_id_table_init", key_dtype="string"):
        super().__init__(filename, key_dtype, key_column_index, "int64", value_column_index, vocab_size, delimiter, name)


class LookupInterface:
    """Base class of lookup tables."""

    def __init__(self, table):
        self._table = table

    @property
    def key_dtype(self):
        return self._table.key_dtype

    @property
    def value_dtype(self):
        return self._table.value_dtype

    @property
    def name(self):
        return self._table.name

    @property
    def default_value(self):
        return self._table.default_value

    @property
    def resource_handle(self):
        return self._table.handle

    table_ref = resource_handle

    def lookup(self, keys, name=None):
        return self._table.lookup(keys, name)

    def size(self, name=None):
        return self._table.size(name)


class InitializableLookupTableBase(LookupInterface):
    @property
    def initializer(self):
        return self._table.initializer

    init = initializer


class StaticHashTable(InitializableLookupTableBase):
    def __init__(self, initializer, default_value, name=None):
        super().__init__(_weir.static_table(initializer.contents, default_value, None, name))

    def export(self, name=None):
        return self._table.export(name)


class HashTable(InitializableLookupTableBase):
    def __init__(self, initializer, default_value, shared_name=None, name=None):
        super().__init__(_weir.static_table(initializer.contents, default_value, shared_name, name))

    def export(self, name=None):
        return self._table.export(name)


class StaticVocabularyTable(InitializableLookupTableBase):
    """Maps known keys to their ids, and others to one of num_oov_buckets ids after those."""

    def __init__(self, initializer, num_oov_buckets, lookup_key_dtype=None, name=None):
        if num_oov_buckets <= 0:
            raise ValueError("oov_buckets must be > 0.")
        if initializer.value_dtype != "int64":
            raise TypeError(f"Invalid value dtype, expected int64 but got {initializer.value_dtype}")
        super().__init__(_weir.static_table(initializer.contents, -1, None, None))
        self._table.num_oov_buckets = num_oov_buckets
        self._table.name_with_buckets = name or ""


class MutableHashTable(LookupInterface):
    def __init__(self, key_dtype, value_dtype, default_value, name="MutableHashTable", checkpoint=True, shared_name=None):
        super().__init__(_weir.mutable_table(key_dtype, value_dtype, default_value, shared_name, name, None, None, None, checkpoint))

    def insert(self, keys, values, name=None):
        return self._table.insert(keys, values, name)

    def remove(self, keys, name=None):
        return self._table.remove(keys, name)

    def export(self, name=None):
        return self._table.export(name)


class MutableDenseHashTable(MutableHashTable):
    def __init__(self, key_dtype, value_dtype, default_value, empty_key, deleted_key, initial_num_buckets=None,
                 name="MutableDenseHashTable", checkpoint=True, shared_name=None):
        LookupInterface.__init__(self, _weir.mutable_table(key_dtype, value_dtype, default_value, shared_name, name, empty_key,
                                                           deleted_key, initial_num_buckets, checkpoint))


def _vocabulary(initializer, num_oov_buckets, default_value):
    if num_oov_buckets < 0:
        raise ValueError(f"num_oov_buckets must be greater or equal than 0, got {num_oov_buckets}")
    table = HashTable(initializer, default_value if num_oov_buckets == 0 else -1)
    table._table.num_oov_buckets = num_oov_buckets
    return table


def _positions(vocabulary):
    return _weir.cast(_weir.range(_weir.size(vocabulary)), "int64")


def index_table_from_tensor(mapping=None, vocabulary_list=None, num_oov_buckets=0, default_value=-1, hasher_spec=None, dtype="string",
                            name=None):
    keys = vocabulary_list if mapping is None else mapping
    if keys is None:
        raise ValueError("vocabulary_list must be specified.")
    with _weir.name_scope(name, "string_to_index"):
        keys = _weir.convert_to_tensor(keys)
        positions = _positions(keys)
        with _weir.name_scope(None, "hash_table"):
            table_keys = _weir.cast(keys, "int64") if keys.dtype.is_integer else keys
            initializer = KeyValueTensorInitializer(table_keys, positions, None, "int64", "table_init")
            return _vocabulary(initializer, num_oov_buckets, default_value)


def index_table_from_file(vocabulary_file=None, num_oov_buckets=0, vocab_size=None, default_value=-1, hasher_spec=None,
                          key_dtype="string", name=None, key_column_index=TextFileIndex.WHOLE_LINE,
                          value_column_index=TextFileIndex.LINE_NUMBER, delimiter="\t"):
    if not vocabulary_file:
        raise ValueError("vocabulary_file must be specified and must not be empty.")
    with _weir.name_scope(name, "string_to_index"), _weir.name_scope(None, "hash_table"):
        initializer = TextFileIdTableInitializer(vocabulary_file, key_column_index, value_column_index, vocab_size, delimiter, "table_init",
                                                 key_dtype)
        return _vocabulary(initializer, num_oov_buckets, default_value)


def index_to_string_table_from_tensor(mapping=None, vocabulary_list=None, default_value="UNK", name=None):
    values = vocabulary_list if mapping is None else mapping
    if values is None:
        raise ValueError("vocabulary_list must be specified.")
    with _weir.name_scope(name, "index_to_string"):
        values = _weir.convert_to_tensor(values, "string")
        return HashTable(KeyValueTensorInitializer(_positions(values), values, "int64", "string", "table_init"), default_value)


def index_to_string_table_from_file(vocabulary_file, vocab_size=None, default_value="UNK", name=None,
                                    key_column_index=TextFileIndex.LINE_NUMBER, value_column_index=TextFileIndex.WHOLE_LINE, delimiter="\t"):
    with _weir.name_scope(name, "index_to_string"):
        initializer = TextFileStringTableInitializer(vocabulary_file, key_column_index, value_column_index, vocab_size, delimiter, "table_init")
        return HashTable(initializer, default_value)
