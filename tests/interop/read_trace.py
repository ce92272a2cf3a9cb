"""Run by TensorFlow's interpreter: converts RunMetadata of Weir to a Chrome trace with TensorFlow's timeline.

    python read_trace.py IN OUT     IN: a serialized RunMetadata, OUT: the trace (JSON)
"""
import pathlib
import sys

from oracle.tensorflow1 import tf
from tensorflow.python.client import timeline


def main(source, target):
    metadata = tf.RunMetadata.FromString(pathlib.Path(source).read_bytes())
    pathlib.Path(target).write_text(timeline.Timeline(metadata.step_stats).generate_chrome_trace_format(show_memory=True))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
