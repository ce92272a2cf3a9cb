"""tf.data, also as tf.compat.v1.data and tf.contrib.data."""

_DATASETS = ["Dataset", "TextLineDataset", "TFRecordDataset", "FixedLengthRecordDataset"]
_ITERATORS = ["Iterator", "make_one_shot_iterator", "make_initializable_iterator", "get_output_types", "get_output_shapes", "get_output_classes"]
_CONSTANTS = ["AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY"]
_OPTIONS = ["OptimizationOptions", "ThreadingOptions", "DistributeOptions", "StatsOptions"]
_EXPERIMENTAL = ["map_and_batch", "shuffle_and_repeat", "parallel_interleave", "unbatch", "enumerate_dataset", "prefetch_to_device",
                 "get_single_element", "ignore_errors"]
_CONTRIB = ["batch_and_drop_remainder", "padded_batch_and_drop_remainder"]


def _names(module, file, names):
    return {f"{module}.{name}": f"weir.lib.{file}:{name}" for name in names}


NAMES = {
    **_names("data", "datasets", _DATASETS + _CONSTANTS),
    **_names("data", "data_iterators", _ITERATORS),
    **_names("data", "data_options", ["Options"]),
    **_names("data.experimental", "datasets", _CONSTANTS),
    **_names("data.experimental", "data_options", _OPTIONS),
    **_names("data.experimental", "data_experimental", _EXPERIMENTAL),
    **_names("contrib.data", "data_experimental", _EXPERIMENTAL + _CONTRIB),
}
