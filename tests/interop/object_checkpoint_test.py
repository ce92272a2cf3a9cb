"""TensorFlow restores checkpoints of objects (tf.train.Checkpoint) that Weir writes, and vice versa."""
import json

import weir as tf
from both import object_checkpoints
from conftest import run_tensorflow


def test_checkpoints_of_objects_are_the_same_to_every_reader(tmp_path):
    ours = object_checkpoints.write(tf, str(tmp_path / "weir"))
    run_tensorflow("exchange_object_checkpoints.py", ours, tmp_path / "tensorflow", tmp_path / "out")
    theirs, *by_tensorflow = json.loads((tmp_path / "out").read_text())
    by_weir = json.loads(json.dumps([object_checkpoints.use(tf, ours), object_checkpoints.use(tf, theirs)]))
    assert by_weir[0]["restored"][2] == 1 and len(by_weir[0]["objects"]) > 10
    for used in (*by_tensorflow, by_weir[1]):
        assert used == by_weir[0]
