"""tf.python_io: record files."""
from weir import _weir


class TFRecordCompressionType:
    NONE = 0
    ZLIB = 1
    GZIP = 2


_NAMES = {TFRecordCompressionType.NONE: "", TFRecordCompressionType.ZLIB: "ZLIB", TFRecordCompressionType.GZIP: "GZIP", None: "",
          "": "", "ZLIB": "ZLIB", "GZIP": "GZIP"}


class TFRecordOptions:
    """Compression of record files. Parameters that only tune zlib's memory use are ignored."""
    compression_type_map = {0: "", 1: "ZLIB", 2: "GZIP"}

    def __init__(self, compression_type=None, flush_mode=None, input_buffer_size=None, output_buffer_size=None, window_bits=None,
                 compression_level=None, compression_method=None, mem_level=None, compression_strategy=None):
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.compression_level = compression_level

    @classmethod
    def get_compression_type_string(cls, options):
        kind = options.compression_type if isinstance(options, TFRecordOptions) else options
        if kind not in _NAMES:
            raise ValueError(f'Not a valid compression_type: "{kind}"')
        return _NAMES[kind]


class TFRecordWriter:
    """Writes records to a file. Use it in a `with` statement, or close it."""

    def __init__(self, path, options=None):
        level = getattr(options, "compression_level", None)
        self._writer = _weir.RecordWriter(path, TFRecordOptions.get_compression_type_string(options), -1 if level is None else level)

    def write(self, record):
        self._writer.write(record)

    def flush(self):
        self._writer.flush()

    def close(self):
        self._writer.close()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


def tf_record_iterator(path, options=None):
    """Iterates over the records of a file, as bytes."""
    return iter(_weir.RecordReader(path, TFRecordOptions.get_compression_type_string(options)))
