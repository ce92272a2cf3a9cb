"""tf.feature_column and tf.contrib.feature_column."""

_SEQUENCES = ["sequence_categorical_column_with_hash_bucket", "sequence_categorical_column_with_identity",
              "sequence_categorical_column_with_vocabulary_file", "sequence_categorical_column_with_vocabulary_list",
              "sequence_numeric_column"]
_NAMES = ["bucketized_column", "categorical_column_with_hash_bucket", "categorical_column_with_identity",
          "categorical_column_with_vocabulary_file", "categorical_column_with_vocabulary_list", "crossed_column", "embedding_column",
          "indicator_column", "input_layer", "linear_model", "make_parse_example_spec", "numeric_column", "shared_embedding_columns",
          "weighted_categorical_column"]

NAMES = {
    **{f"feature_column.{name}": f"weir.lib.feature_column:{name}" for name in _NAMES + _SEQUENCES},
    **{f"contrib.feature_column.{name}": f"=feature_column.{name}" for name in _SEQUENCES},
    "contrib.feature_column.sequence_input_layer": "weir.lib.feature_column:sequence_input_layer",
    "python.feature_column.feature_column_lib.*": "=feature_column.",
    "python.feature_column.feature_column_v2.*": "=feature_column.",
    "nn.safe_embedding_lookup_sparse": "safe_embedding_lookup_sparse",
    "contrib.layers.safe_embedding_lookup_sparse": "safe_embedding_lookup_sparse",
    "contrib.slim.safe_embedding_lookup_sparse": "safe_embedding_lookup_sparse",
    "sparse.cross": "sparse_cross",
    "sparse.cross_hashed": "sparse_cross_hashed",
}
