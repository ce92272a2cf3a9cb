"""Ragged tensors, and tf.strings functions that return them."""

_TENSOR = ["RaggedTensor", "RaggedTensorSpec"]
_FUNCTIONS = ["boolean_mask", "map_flat_values", "range", "row_splits_to_segment_ids", "segment_ids_to_row_splits", "stack",
              "stack_dynamic_partitions"]
_CONSTANTS = ["constant", "constant_value", "placeholder"]
_STRINGS = ["bytes_split", "ngrams", "unicode_decode", "unicode_decode_with_offsets", "unicode_encode", "unicode_split",
            "unicode_split_with_offsets"]

NAMES = {
    **{name: f"weir.lib.ragged:{name}" for name in _TENSOR},
    "ragged.RaggedTensorValue": "weir.lib.ragged:RaggedTensorValue",
    "data.experimental.RaggedTensorStructure": "weir.lib.ragged:RaggedTensorStructure",
    **{f"ragged.{name}": f"weir.lib.ragged_functions:{name}" for name in _FUNCTIONS},
    **{f"ragged.{name}": f"weir.lib.ragged_constants:{name}" for name in _CONSTANTS},
    **{f"strings.{name}": f"weir.lib.ragged_strings:{name}" for name in _STRINGS},
    "strings.unicode_transcode": "(input, input_encoding, output_encoding, errors='replace', replacement_char=65533, "
                                 "replace_control_characters=False, name=None) op:UnicodeTranscode",
    "python.ops.ragged.ragged_tensor.RaggedTensor": "weir.lib.ragged:RaggedTensor",
    "python.ops.ragged.ragged_tensor_value.RaggedTensorValue": "weir.lib.ragged:RaggedTensorValue",
    "python.ops.ragged.ragged_factory_ops.constant": "weir.lib.ragged_constants:constant",
}
