"""Making, cutting, joining and rearranging arrays: tf.*, tf.manip.*, and their old names."""

_OPS = {
    "reshape": "Reshape", "tile": "Tile", "fill": "Fill", "identity": "Identity", "identity_n": "IdentityN",
    "guarantee_const": "GuaranteeConst", "stop_gradient": "StopGradient", "check_numerics": "CheckNumerics",
    "invert_permutation": "InvertPermutation", "scatter_nd": "ScatterNd", "broadcast_to": "BroadcastTo", "roll": "Roll",
    "diag": "Diag", "diag_part": "DiagPart", "matrix_diag": "MatrixDiag", "matrix_diag_part": "MatrixDiagPart",
    "matrix_set_diag": "MatrixSetDiag", "matrix_band_part": "MatrixBandPart", "dynamic_partition": "DynamicPartition",
    "dynamic_stitch": "DynamicStitch", "unravel_index": "UnravelIndex", "space_to_batch_nd": "SpaceToBatchND",
    "batch_to_space_nd": "BatchToSpaceND", "placeholder_with_default": "PlaceholderWithDefault", "shape_n": "ShapeN",
    "tensor_scatter_update": "TensorScatterUpdate", "tensor_scatter_nd_update": "TensorScatterUpdate",
    "tensor_scatter_add": "TensorScatterAdd", "tensor_scatter_nd_add": "TensorScatterAdd",
    "tensor_scatter_sub": "TensorScatterSub", "tensor_scatter_nd_sub": "TensorScatterSub", "placeholder": "Placeholder",
}
_BOUND = [
    "zeros_like", "ones_like", "eye", "rank", "stack", "unstack", "meshgrid", "gather_nd", "where", "one_hot", "pad",
    "sequence_mask", "transpose", "reverse", "matrix_transpose", "sort", "argsort", "repeat",
]

_SCATTERS = ["Update", "Add", "Sub", "Mul", "Div", "Min", "Max", "NdUpdate", "NdAdd", "NdSub"]
_FAKE_QUANTS = {
    "fake_quant_with_min_max_args": "FakeQuantWithMinMaxArgs",
    "fake_quant_with_min_max_vars": "FakeQuantWithMinMaxVars",
}

NAMES = {
    **{name: f"op:{op}" for name, op in _OPS.items()},
    **{name: name for name in _BOUND},
    # rows of reference variables
    **{"scatter_" + s.replace("Nd", "nd_").lower(): f"op:Scatter{s}" for s in _SCATTERS},
    **{name: f"op:{op}" for name, op in _FAKE_QUANTS.items()},
    **{f"quantization.{name}": f"op:{op}" for name, op in _FAKE_QUANTS.items()},
    "fill": "(dims, value, name=None, layout!=None) op:Fill",
    "zeros": "(shape, dtype='float32', name=None, layout!=None) zeros",
    "ones": "(shape, dtype='float32', name=None, layout!=None) ones",
    "zeros_like": "(tensor, dtype=None, name=None, optimize!=True) zeros_like",
    "ones_like": "(tensor, dtype=None, name=None, optimize!=True) ones_like",
    "shape": "(input, name=None, out_type='int32') shape",
    "size": "(input, name=None, out_type='int32') size",
    "concat": "(values=None, axis=None, name=None, concat_dim->axis) concat",
    "split": "(value, num_or_size_splits=None, axis=0, num=None, name=None, num_split->num_or_size_splits, split_dim->axis) split",
    "squeeze": "(input, axis=None, name=None, squeeze_dims->axis) squeeze",
    "expand_dims": "(input, axis=None, name=None, dim->axis) op:ExpandDims[dim=axis]",
    "slice": "(input_, begin, size, name=None) op:Slice[input=input_]",
    "strided_slice": "(input_, begin, end, strides=None, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, "
                     "shrink_axis_mask=0, var!=None, name=None) strided_slice",
    "gather": "(params, indices, validate_indices!=None, name=None, axis=None, batch_dims=0) gather",
    "batch_gather": "(params, indices, name=None) gather[batch_dims=-1]",
    "boolean_mask": "(tensor, mask, name='boolean_mask', axis=0) boolean_mask",
    "reverse_v2": "reverse",
    "reverse_sequence": "(input, seq_lengths, seq_axis=None, batch_axis=None, name=None, seq_dim->seq_axis, batch_dim->batch_axis) "
                        "op:ReverseSequence[seq_dim=seq_axis, batch_dim=batch_axis]",
    "unique": "(x, out_idx=None, name=None) op:Unique",
    "unique_with_counts": "(x, out_idx=None, name=None) op:UniqueWithCounts",
    "setdiff1d": "(x, y, index_dtype=None, name=None) op:ListDiff[out_idx=index_dtype]",
    "listdiff": "(x, y, out_idx=None, name=None) op:ListDiff",
    "searchsorted": "(sorted_sequence, values, side='left', out_type='int32', name=None) searchsorted",
    "space_to_batch": "(input, paddings, block_size, name=None) op:SpaceToBatch",
    "batch_to_space": "(input, crops, block_size, name=None) op:BatchToSpace",
    "space_to_depth": "(input, block_size, name=None, data_format='NHWC') op:SpaceToDepth",
    "depth_to_space": "(input, block_size, name=None, data_format='NHWC') op:DepthToSpace",
    "parallel_stack": "(values, name='parallel_stack') stack",
    "where_v2": "(condition, x, y, name=None) op:SelectV2[t=x, e=y]",
    "broadcast_dynamic_shape": "(shape_x, shape_y) op:BroadcastArgs[s0=shape_x, s1=shape_y]",
    "broadcast_static_shape": "broadcast_static_shape",
    "sparse_to_dense": "(sparse_indices, output_shape, sparse_values, default_value=0, validate_indices=True, name=None) op:SparseToDense",
    "extract_image_patches": "(images, ksizes=None, strides=None, rates=None, padding=None, name=None, sizes->ksizes) op:ExtractImagePatches",
    "manip.reshape": "op:Reshape",
    "manip.reverse": "reverse",
    "manip.roll": "op:Roll",
    "manip.tile": "op:Tile",
    "manip.gather_nd": "gather_nd",
    "manip.scatter_nd": "op:ScatterNd",
    "manip.batch_to_space_nd": "op:BatchToSpaceND",
    "manip.space_to_batch_nd": "op:SpaceToBatchND",
    # the names of 0.12
    "pack": "(values, axis=0, name='pack') stack",
    "unpack": "(value, num=None, axis=0, name='unpack') unstack",
    "select": "op:Select",
    "concat_v2": "(values, axis, name='concat_v2') concat",
    "batch_matrix_diag": "op:MatrixDiag",
    "batch_matrix_diag_part": "op:MatrixDiagPart",
    "batch_matrix_set_diag": "op:MatrixSetDiag",
    "batch_matrix_band_part": "op:MatrixBandPart",
    "batch_matrix_transpose": "matrix_transpose",
    # the modules that programs import
    "python.ops.array_ops.*": "=",
}
