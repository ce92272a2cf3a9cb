"""Lookup tables: tf.lookup and tf.contrib.lookup."""

_BOTH = ["KeyValueTensorInitializer", "TextFileInitializer", "TextFileIndex", "StaticHashTable", "StaticVocabularyTable"]
_CONTRIB = ["HashTable", "MutableHashTable", "MutableDenseHashTable", "TextFileStringTableInitializer", "TextFileIdTableInitializer",
            "index_table_from_tensor", "index_table_from_file", "index_to_string_table_from_tensor", "index_to_string_table_from_file",
            "LookupInterface", "InitializableLookupTableBase", "TableInitializerBase"]

NAMES = {
    **{f"lookup.{name}": f"weir.lib.lookup:{name}" for name in _BOTH},
    "lookup.experimental.DenseHashTable": "weir.lib.lookup:MutableDenseHashTable",
    **{f"contrib.lookup.{name}": f"weir.lib.lookup:{name}" for name in _BOTH + _CONTRIB},
    "python.ops.lookup_ops": "weir.lib.lookup:",
    "tables_initializer": "tables_initializer",
    "initializers.tables_initializer": "tables_initializer",
    "initialize_all_tables": "tables_initializer",
}
