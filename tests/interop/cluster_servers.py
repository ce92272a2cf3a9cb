"""Run by TensorFlow's interpreter: python cluster_servers.py JSON, a list of [cluster, job, task]: their servers, until the
standard input ends."""
import json
import sys

from oracle.tensorflow1 import tf

if __name__ == "__main__":
    servers = [tf.train.Server(cluster, job_name=job, task_index=task) for cluster, job, task in json.loads(sys.argv[1])]
    sys.stdin.read()
