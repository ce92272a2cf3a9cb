"""Queue input pipelines: readers, input producers, batches, parsing of Examples."""

_READERS = ["ReaderBase", "TFRecordReader", "TextLineReader", "FixedLengthRecordReader", "WholeFileReader", "IdentityReader"]
_FEATURES = ["FixedLenFeature", "FixedLenSequenceFeature", "SparseFeature", "VarLenFeature"]
_PARSERS = ["parse_example", "parse_single_example", "parse_single_sequence_example"]
_STRINGS = {"serialize_tensor": "SerializeTensor", "parse_tensor": "ParseTensor", "decode_compressed": "DecodeCompressed",
            "decode_json_example": "DecodeJSONExample"}
_SPARSE = ["serialize_sparse", "serialize_many_sparse", "deserialize_many_sparse"]
_PRODUCERS = ["input_producer", "string_input_producer", "range_input_producer"]
_BATCHES = ["batch", "batch_join", "shuffle_batch", "shuffle_batch_join", "maybe_batch", "maybe_batch_join", "maybe_shuffle_batch",
            "maybe_shuffle_batch_join"]

NAMES = {
    **{name: f"weir.lib.readers:{name}" for name in _READERS},
    **{name: f"weir.lib.parsing:{name}" for name in _FEATURES},
    **{name: name for name in _PARSERS},
    "io.parse_sequence_example": "parse_sequence_example",
    **{name: f"op:{op}" for name, op in _STRINGS.items()},
    **{name: name for name in _SPARSE},
    **{f"io.{name}": f"={name}" for name in _FEATURES + _PARSERS + _SPARSE + list(_STRINGS)},
    **{f"train.{name}": f"weir.lib.input:{name}" for name in _PRODUCERS + _BATCHES},
    "train.slice_input_producer": "slice_input_producer",
    "train.limit_epochs": "limit_epochs",
    "train.match_filenames_once": "match_filenames_once",
    "io.match_filenames_once": "match_filenames_once",
    "python.training.input.*": "=train.",
}
