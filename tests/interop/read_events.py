"""read_events.py FOLDER OUT: reads a folder of event files with TensorBoard and writes the contents as a pickle."""
import pickle
import sys

from tensorboard.backend.event_processing import event_accumulator
from tensorboard.util import tensor_util

from oracle.tensorflow1 import tf


def main(folder, out):
    found = event_accumulator.EventAccumulator(folder, size_guidance={key: 0 for key in event_accumulator.DEFAULT_SIZE_GUIDANCE})
    found.Reload()
    tags = found.Tags()
    meta_graph = tf.MetaGraphDef.FromString(found.MetaGraph().SerializeToString()) if tags["meta_graph"] else None
    result = {
        "tags": {key: value for key, value in tags.items()},
        "scalars": {tag: [(event.step, event.value) for event in found.Scalars(tag)] for tag in tags["scalars"]},
        "histograms": {tag: [(event.step, event.histogram_value.num, event.histogram_value.max) for event in found.Histograms(tag)]
                       for tag in tags["histograms"]},
        "images": {tag: [(event.step, event.width, event.height, event.encoded_image_string) for event in found.Images(tag)]
                   for tag in tags["images"]},
        "audio": {tag: [(event.step, event.sample_rate, event.length_frames) for event in found.Audio(tag)] for tag in tags["audio"]},
        "tensors": {tag: [(event.step, tensor_util.make_ndarray(event.tensor_proto).tolist()) for event in found.Tensors(tag)]
                    for tag in tags["tensors"]},
        "plugins": {tag: found.SummaryMetadata(tag).plugin_data.plugin_name for tag in tags["tensors"]},
        "graph": [node.name for node in tf.GraphDef.FromString(found.Graph().SerializeToString()).node] if tags["graph"] else None,
        "collections": sorted(meta_graph.collection_def) if meta_graph else None,
        "devices": {tag: [device.device for device in found.RunMetadata(tag).step_stats.dev_stats] for tag in tags["run_metadata"]},
        "logs": [],
    }
    for path in sorted(tf.gfile.Glob(folder + "/*tfevents*")):
        for event in tf.train.summary_iterator(path):
            if event.HasField("session_log"):
                result["logs"].append((event.step, event.session_log.status, event.session_log.checkpoint_path))
    with open(out, "wb") as file:
        pickle.dump(result, file)


main(*sys.argv[1:])
