"""Run by TensorFlow's interpreter: python cluster_servers.py JSON starts a server for each [cluster, job, task] in the
list and runs until standard input is closed."""
import json
import sys

from oracle.tensorflow1 import tf

if __name__ == "__main__":
    servers = [tf.train.Server(cluster, job_name=job, task_index=task) for cluster, job, task in json.loads(sys.argv[1])]
    sys.stdin.read()
