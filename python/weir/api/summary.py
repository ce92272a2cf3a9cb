"""tf.summary, and the names of summaries before TensorFlow 1.0."""

_NODES = {"scalar": "scalar", "histogram": "histogram", "image": "image", "audio": "audio", "text": "text", "tensor_summary": "tensor",
          "merge": "merge"}
_OLD = ["scalar", "histogram", "image", "audio", "merge"]

NAMES = {
    **{f"summary.{name}": f"summary_{bound}" for name, bound in _NODES.items()},
    **{f"summary.{name}": f"weir.lib.summary:{name}" for name in ("all_v2_summary_ops", "initialize")},
    "summary.merge_all": "weir.lib.summary:merge_all",
    "summary.get_summary_description": "weir.lib.summary:get_summary_description",
    "summary.FileWriter": "FileWriter",
    "summary.FileWriterCache": "weir.lib.summary:FileWriterCache",
    "summary.SummaryDescription": "proto:SummaryDescription",
    "train.summary_iterator": "weir.lib.summary:summary_iterator",
    **{f"{name}_summary": f"tagged_{name}_summary" for name in _OLD},
    "merge_all_summaries": "weir.lib.summary:merge_all_summaries",
    "train.SummaryWriter": "=summary.FileWriter",
    "train.SummaryWriterCache": "=summary.FileWriterCache",
    "python.summary.summary.*": "=summary.",
    "python.summary.summary_iterator.summary_iterator": "weir.lib.summary:summary_iterator",
    "python.summary.writer.writer.*": "=summary.",
    "python.summary.writer.writer_cache.*": "=summary.",
}
