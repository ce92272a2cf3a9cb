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
