"""Sparse tensors: tf.sparse_* and tf.sparse.*."""

_REDUCE = "(sp_input, axis=None, keepdims=False, reduction_axes->axis, keep_dims->keepdims) "
_FUNCTIONS = {
    "placeholder": "sparse_placeholder", "fill_empty_rows": "sparse_fill_empty_rows", "to_indicator": "sparse_to_indicator",
    "merge": "sparse_merge", "maximum": "sparse_maximum", "minimum": "sparse_minimum", "softmax": "sparse_softmax",
    "slice": "sparse_slice", "reorder": "sparse_reorder", "reshape": "sparse_reshape", "transpose": "sparse_transpose",
    "retain": "sparse_retain", "reset_shape": "sparse_reset_shape", "mask": "sparse_mask",
    "add": "(a, b, threshold=None, thresh->threshold) sparse_add",
    "concat": "(axis=None, sp_inputs=None, name=None, expand_nonconcat_dim->expand_nonconcat_dims, concat_dim->axis, "
              "expand_nonconcat_dims=False) sparse_concat",
    "split": "(sp_input=None, num_split=None, axis=None, name=None, split_dim->axis) sparse_split",
    "reduce_sum": _REDUCE + "sparse_reduce_sum",
    "reduce_max": _REDUCE + "sparse_reduce_max",
    "reduce_sum_sparse": _REDUCE + "sparse_reduce_sum_sparse",
    "reduce_max_sparse": _REDUCE + "sparse_reduce_max_sparse",
}

NAMES = {
    **{f"sparse.{name}": target for name, target in _FUNCTIONS.items()},
    **{f"sparse_{name}": target for name, target in _FUNCTIONS.items()},
    "sparse_tensor_to_dense": "sparse_tensor_to_dense",
    "sparse.to_dense": "sparse_tensor_to_dense",
    "sparse_tensor_dense_matmul": "sparse_tensor_dense_matmul",
    "sparse.matmul": "sparse_tensor_dense_matmul",
    "sparse.sparse_dense_matmul": "sparse_tensor_dense_matmul",
    "sparse.SparseTensor": "=SparseTensor",
    "sparse.from_dense": "sparse_from_dense",
    "sparse.eye": "sparse_eye",
    "sparse.expand_dims": "sparse_expand_dims",
    "sparse.segment_sum": "=sparse_segment_sum",
    "sparse.segment_mean": "=sparse_segment_mean",
    "sparse.segment_sqrt_n": "=sparse_segment_sqrt_n",
    "edit_distance": "edit_distance",
    **{f"sets.{prefix}{name}": f"set_{name}" for prefix in ("", "set_") for name in ("difference", "intersection", "size", "union")},
    "python.ops.sets.*": "=sets.",
    "python.ops.sets_impl.*": "=sets.",
}
