"""Run by TensorFlow's interpreter: python train_in_sync.py CLUSTER TASK FOLDER OUT runs a worker of synchronous
training with its server and writes the result to OUT as JSON."""
import json
import os
import pathlib
import sys

from both.sync_training import train
from oracle.tensorflow1 import tf

if __name__ == "__main__":
    cluster, task, folder, out = json.loads(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    server = tf.train.Server(cluster, job_name="worker", task_index=task)
    found = train(tf, server.target, task, folder)
    pathlib.Path(out).write_text(json.dumps(found))
    sys.stdout.flush()
    os._exit(0)  # TensorFlow's server cannot be stopped
