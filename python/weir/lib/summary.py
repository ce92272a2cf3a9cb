"""tf.summary: functions for summaries and event files."""
from weir import _weir
from weir.lib.graph_keys import GraphKeys


def merge_all(key=GraphKeys.SUMMARIES, scope=None, name=None):
    """Merges all summaries of a collection into one. Returns None if there are none."""
    summaries = _weir.get_collection(key, scope)
    return _weir.summary_merge(summaries, name=name) if summaries else None


def merge_all_summaries(key=GraphKeys.SUMMARIES):
    summaries = _weir.get_collection(key)
    return _weir.tagged_merge_summary(summaries) if summaries else None


def get_summary_description(node_def):
    """Returns the description stored in a TensorSummary node."""
    if node_def.op != "TensorSummary":
        raise ValueError(f"Can't get_summary_description on {node_def.op}")
    from google.protobuf import json_format  # type: ignore[import]
    from weir.proto import message_class
    description = message_class("SummaryDescription")()
    json_format.Parse(node_def.attr["description"].s.decode(), description)
    return description


def summary_iterator(path):
    """Iterates over the events of an event file."""
    from weir.proto import message_class
    event = message_class("Event")
    for record in _weir.RecordReader(path):
        yield event.FromString(record)


class FileWriterCache:
    """A cache of writers, one per directory."""

    @staticmethod
    def get(logdir):
        return _weir.file_writer_cache_get(logdir)

    @staticmethod
    def clear():
        _weir.file_writer_cache_clear()


class EventFileWriter:
    """Writes Event messages to an event file in a directory."""

    def __init__(self, logdir, max_queue=10, flush_secs=120, filename_suffix=None):
        self._writer = _weir.FileWriter(logdir, max_queue=max_queue, flush_secs=flush_secs, filename_suffix=filename_suffix)

    def get_logdir(self):
        return self._writer.get_logdir()

    def add_event(self, event):
        self._writer.add_event(event)

    def flush(self):
        self._writer.flush()

    def close(self):
        self._writer.close()

    def reopen(self):
        self._writer.reopen()


def all_v2_summary_ops():
    """The summary ops of the second version, which Weir does not have: an empty list."""
    return []


def initialize(graph=None, session=None):
    """Initializes the default writer of summaries of the second version. There is never one."""
    raise RuntimeError("No default tf.contrib.summary.SummaryWriter found")
