"""tf.data, also as tf.compat.v1.data and tf.contrib.data."""

_NAMES = ["Dataset", "TextLineDataset", "TFRecordDataset", "FixedLengthRecordDataset", "Iterator", "Options",
          "make_one_shot_iterator", "make_initializable_iterator", "get_output_types", "get_output_shapes", "get_output_classes"]
_EXPERIMENTAL = ["OptimizationOptions", "ThreadingOptions", "DistributeOptions", "StatsOptions", "map_and_batch", "shuffle_and_repeat",
                 "parallel_interleave", "unbatch", "enumerate_dataset", "prefetch_to_device", "get_single_element", "ignore_errors", "AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY"]
_CONTRIB = ["map_and_batch", "shuffle_and_repeat", "parallel_interleave", "unbatch", "enumerate_dataset", "prefetch_to_device",
            "get_single_element", "ignore_errors", "batch_and_drop_remainder", "padded_batch_and_drop_remainder"]

NAMES = {
    **{f"data.{name}": f"weir.lib.data:{name}" for name in _NAMES},
    **{f"data.experimental.{name}": f"weir.lib.data:{name}" for name in _EXPERIMENTAL},
    **{f"data.{name}": f"weir.lib.data:{name}" for name in ("AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY")},
    **{f"contrib.data.{name}": f"weir.lib.data:{name}" for name in _CONTRIB},
}
