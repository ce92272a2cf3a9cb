"""tf.ReaderBase and its subclasses: read records of files whose names come from a queue."""
from weir import _weir
from weir.lib.records import TFRecordOptions


def _op(name):
    return _weir.op_function(name)


class ReaderBase:
    """Reads records from work units (usually file names) that it takes from a queue."""

    def __init__(self, reader_ref, supports_serialize=False):
        self._reader_ref = reader_ref
        self._supports_serialize = supports_serialize

    @property
    def reader_ref(self):
        return self._reader_ref

    @property
    def supports_serialize(self):
        return self._supports_serialize

    def _call(self, op, *args, **kwargs):
        version = "V2" if self._reader_ref.dtype.name == "resource" else ""
        return _op(op + version)(self._reader_ref, *args, **kwargs)

    def read(self, queue, name=None):
        """Returns the key and value of the next record."""
        return self._call("ReaderRead", getattr(queue, "queue_ref", queue), name=name)

    def read_up_to(self, queue, num_records, name=None):
        """Returns keys and values of up to num_records records, all of one work unit."""
        return self._call("ReaderReadUpTo", getattr(queue, "queue_ref", queue), num_records, name=name)

    def num_records_produced(self, name=None):
        return self._call("ReaderNumRecordsProduced", name=name)

    def num_work_units_completed(self, name=None):
        return self._call("ReaderNumWorkUnitsCompleted", name=name)

    def serialize_state(self, name=None):
        return self._call("ReaderSerializeState", name=name)

    def restore_state(self, state, name=None):
        return self._call("ReaderRestoreState", state, name=name)

    def reset(self, name=None):
        return self._call("ReaderReset", name=name)


class TFRecordReader(ReaderBase):
    """Reads TFRecord files. The key is "file:offset"."""

    def __init__(self, name=None, options=None):
        compression = TFRecordOptions.get_compression_type_string(options)
        super().__init__(_op("TFRecordReaderV2")(compression_type=compression, name=name))


class TextLineReader(ReaderBase):
    """Reads the lines of text files. The key is "file:number"."""

    def __init__(self, skip_header_lines=None, name=None):
        super().__init__(_op("TextLineReaderV2")(skip_header_lines=skip_header_lines or 0, name=name))


class FixedLengthRecordReader(ReaderBase):
    """Reads records of fixed length. The key is "file:number"."""

    def __init__(self, record_bytes, header_bytes=None, footer_bytes=None, hop_bytes=None, name=None, encoding=None):
        super().__init__(_op("FixedLengthRecordReaderV2")(
            record_bytes=record_bytes, header_bytes=header_bytes or 0, footer_bytes=footer_bytes or 0, hop_bytes=hop_bytes or 0,
            encoding=encoding or "", name=name))


class WholeFileReader(ReaderBase):
    """Reads whole files. The key is the file name."""

    def __init__(self, name=None):
        super().__init__(_op("WholeFileReaderV2")(name=name), supports_serialize=True)


class IdentityReader(ReaderBase):
    """Returns the work units themselves, as key and value."""

    def __init__(self, name=None):
        super().__init__(_op("IdentityReaderV2")(name=name), supports_serialize=True)
