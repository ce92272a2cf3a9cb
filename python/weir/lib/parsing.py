"""Descriptions of the features of an Example: tf.FixedLenFeature and similar tuples."""
import collections

VarLenFeature = collections.namedtuple("VarLenFeature", ["dtype"])
SparseFeature = collections.namedtuple("SparseFeature", ["index_key", "value_key", "dtype", "size", "already_sorted"], defaults=[False])
FixedLenFeature = collections.namedtuple("FixedLenFeature", ["shape", "dtype", "default_value"], defaults=[None])
FixedLenSequenceFeature = collections.namedtuple(
    "FixedLenSequenceFeature", ["shape", "dtype", "allow_missing", "default_value"], defaults=[False, None])
