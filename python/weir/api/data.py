"""tf.data, also as tf.compat.v1.data and tf.contrib.data."""

_DATASETS = ["Dataset", "TextLineDataset", "TFRecordDataset", "FixedLengthRecordDataset"]
_ITERATORS = ["Iterator", "make_one_shot_iterator", "make_initializable_iterator", "get_output_types", "get_output_shapes", "get_output_classes"]
_CONSTANTS = ["AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY"]
_OPTIONS = ["OptimizationOptions", "ThreadingOptions", "DistributeOptions", "StatsOptions"]
_EXPERIMENTAL = ["map_and_batch", "shuffle_and_repeat", "parallel_interleave", "unbatch", "enumerate_dataset", "prefetch_to_device",
                 "get_single_element", "ignore_errors", "group_by_window", "bucket_by_sequence_length", "Reducer", "group_by_reducer", "scan", "take_while",
                 "unique", "sample_from_datasets", "choose_from_datasets", "Counter", "cardinality", "assert_cardinality", "copy_to_device",
                 "dense_to_sparse_batch", "rejection_resample", "get_structure", "to_variant", "from_variant",
                 "StatsAggregator", "bytes_produced_stats", "latency_stats"]
_FILES = ["CsvDataset", "make_csv_dataset", "parse_example_dataset", "make_batched_features_dataset", "SqlDataset"]
_STRUCTURES = ["TensorStructure", "SparseTensorStructure", "TensorArrayStructure"]
_CONTRIB = ["set_stats_aggregator", "batch_and_drop_remainder", "padded_batch_and_drop_remainder"]


def _names(module, file, names):
    return {f"{module}.{name}": f"weir.lib.{file}:{name}" for name in names}


NAMES = {
    **_names("data", "datasets", _DATASETS + _CONSTANTS),
    **_names("data", "data_iterators", _ITERATORS),
    **_names("data", "data_options", ["Options"]),
    **_names("data.experimental", "datasets", _CONSTANTS + ["RandomDataset"]),
    **_names("contrib.data", "datasets", ["AUTOTUNE", "RandomDataset"]),
    **_names("data.experimental", "data_options", _OPTIONS),
    **_names("data.experimental", "data_experimental", _EXPERIMENTAL),
    **_names("contrib.data", "data_experimental", _EXPERIMENTAL + _CONTRIB),
    **_names("data.experimental", "data_experimental", _STRUCTURES),
    **_names("data.experimental", "data_files", _FILES),
    **_names("contrib.data", "data_files", _FILES),
    "contrib.data.read_batch_features": "weir.lib.data_files:make_batched_features_dataset",
    "contrib.data.sloppy_interleave": "(map_func, cycle_length, block_length=1) weir.lib.data_experimental:parallel_interleave[sloppy=True]",
    "data.experimental.map_and_batch_with_legacy_function": "weir.lib.data_experimental:map_and_batch",
    **_names("data.experimental", "data_optional", ["Optional", "get_next_as_optional"]),
    **_names("contrib.data", "data_optional", ["Optional", "get_next_as_optional"]),
    "data.experimental.OptionalStructure": "weir.lib.data_optional:OptionalSpec",
    "OptionalSpec": "weir.lib.data_optional:OptionalSpec",
    **_names("data.experimental", "data_saving", ["TFRecordWriter", "make_saveable_from_iterator", "CheckpointInputPipelineHook"]),
    **_names("contrib.data", "data_saving", ["TFRecordWriter", "make_saveable_from_iterator", "CheckpointInputPipelineHook"]),
    "data.experimental.MapVectorizationOptions": "weir.lib.data_options:MapVectorizationOptions",
    "data.experimental.Structure": "weir.lib.specs:TypeSpec",
    "data.experimental.DatasetStructure": "weir.lib.data_experimental:DatasetSpec",
    "data.DatasetSpec": "weir.lib.data_experimental:DatasetSpec",
}
