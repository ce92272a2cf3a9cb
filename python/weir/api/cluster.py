"""Clusters."""

NAMES = {
    "train.ClusterSpec": "ClusterSpec",
    "python.training.server_lib.*": "=train.",
}
