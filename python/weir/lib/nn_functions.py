"""Functions of tf.nn that choose between others by their arguments."""
from weir import _weir
from weir._signatures import deprecated_argument_lookup


def batch_norm_with_global_normalization(t=None, m=None, v=None, beta=None, gamma=None, variance_epsilon=None, scale_after_normalization=None,
                                         name=None, input=None, mean=None, variance=None):
    """Normalizes; multiplies by gamma only if scale_after_normalization."""
    values = []
    for old, old_name, new, new_name in ((t, "t", input, "input"), (m, "m", mean, "mean"), (v, "v", variance, "variance")):
        values.append(deprecated_argument_lookup(new_name, new, old_name, old))
    return _weir.batch_normalization(*values, beta, gamma if scale_after_normalization else None, variance_epsilon, name)


def conv_transpose(input, filters, output_shape, strides, padding="SAME", data_format=None, dilations=None, name=None):
    """conv1d_transpose, conv2d_transpose or conv3d_transpose, as output_shape has 1, 2 or 3 spatial dimensions."""
    import weir as tf
    rank = output_shape.shape[0].value if tf.is_tensor(output_shape) else len(output_shape)
    if rank not in (3, 4, 5):
        raise ValueError(f"output_shape must be of length 3, 4, or 5, but was length {rank}")
    if dilations is not None and any(d != 1 for d in ([dilations] if isinstance(dilations, int) else dilations)):
        raise NotImplementedError("Weir has no transposed convolution with dilations: use tf.nn.atrous_conv2d_transpose")
    function, default = {3: ("conv1d_transpose", "NWC"), 4: ("conv2d_transpose", "NHWC"), 5: ("conv3d_transpose", "NDHWC")}[rank]
    data_format = data_format or default
    if isinstance(strides, int):
        strides = [strides] * (rank - 2)
    if rank > 3 and len(strides) != rank:
        spatial = list(strides) * (rank - 2) if len(strides) == 1 else list(strides)
        strides = [1, 1, *spatial] if data_format.startswith("NC") else [1, *spatial, 1]
    elif rank == 3 and len(strides) == 1:
        strides = strides[0]
    return getattr(tf.nn, function)(input, filters, output_shape, strides, padding=padding, data_format=data_format, name=name)


def compute_average_loss(per_example_loss, sample_weight=None, global_batch_size=None):
    """Returns the sum of the losses divided by global_batch_size, which defaults to the size of this batch."""
    import weir as tf
    losses = tf.convert_to_tensor(per_example_loss)
    dtype = losses.dtype
    if sample_weight is not None:
        losses = tf.losses.compute_weighted_loss(losses, sample_weight, reduction=tf.losses.Reduction.NONE, loss_collection=None)
    size = tf.size(losses) if global_batch_size is None else global_batch_size
    return tf.cast(tf.reduce_sum(losses) / tf.cast(size, losses.dtype), dtype)


def scale_regularization_loss(regularization_loss):
    """The sum of the losses: there is one replica per graph."""
    import weir as tf
    return tf.reduce_sum(regularization_loss)


def collapse_repeated(labels, seq_length, name=None):
    """Merges equal adjacent labels within the first seq_length[i] labels of row i. Returns the labels, padded with 0,
    and their counts."""
    import weir as tf
    with tf.name_scope(name, "collapse_repeated_labels", [labels, seq_length]):
        labels, seq_length = tf.convert_to_tensor(labels, name="labels"), tf.convert_to_tensor(seq_length, name="seq_length")
        first = tf.ones_like(labels[:, :1], tf.bool)
        kept = tf.concat([first, tf.not_equal(labels[:, 1:], labels[:, :-1])], 1)
        kept = tf.logical_and(kept, tf.sequence_mask(seq_length, tf.shape(labels)[1]))
        lengths = tf.reduce_sum(tf.cast(kept, tf.int32), 1)
        places = tf.sequence_mask(lengths, tf.reduce_max(lengths))
        values = tf.boolean_mask(labels, kept)
        merged = tf.scatter_nd(tf.where(places), values, tf.shape(places, out_type=tf.int64))
        return merged, tf.cast(lengths, seq_length.dtype)


def with_space_to_batch(input, dilation_rate, padding, op, filter_shape=None, spatial_dims=None, data_format=None):
    """Calls op(input, number of spatial dimensions, padding) on an input whose spatial dimensions are dilated."""
    import numpy as np
    import weir as tf
    input = tf.convert_to_tensor(input, name="input")
    rates = tf.convert_to_tensor(dilation_rate, tf.int32, name="dilation_rate")
    rates.shape.assert_has_rank(1)
    count = rates.shape[0].value
    if count is None:
        raise ValueError("rate must have known static shape")
    starting = 2 if data_format is not None and data_format.startswith("NC") else 1
    dims = sorted({int(dim) for dim in (range(starting, count + starting) if spatial_dims is None else spatial_dims)})
    if len(dims) != count or any(dim < 1 for dim in dims):
        raise ValueError("spatial_dims must be a monotonically increasing sequence of positive integers" if any(dim < 1 for dim in dims)
                         else "number of spatial_dims must match the length of dilation_rate")
    last = dims[-1]
    if input.shape.ndims is not None and input.shape.ndims < last + 1:
        raise ValueError(f"input must have rank {last + 1} at least, not {input.shape.ndims}")
    known = tf.get_static_value(rates)
    if known is not None and np.all(known == 1):
        return op(input, count, padding)
    if padding == "SAME":
        if filter_shape is None:
            raise ValueError("filter_shape must be specified for SAME padding")
        sizes = tf.convert_to_tensor(filter_shape, tf.int32, name="filter_shape")[:count]
        total = (sizes + (sizes - 1) * (rates - 1)) - 1
        before = total // 2
        base = tf.stack([[before[i], total[i] - before[i]] for i in range(count)])
    elif padding == "VALID":
        base = np.zeros([count, 2], np.int32)
    else:
        raise ValueError(f"Invalid padding method {padding!r}")
    shape = tf.stack([tf.shape(input)[dim] for dim in dims])
    paddings, crops = tf.required_space_to_batch_paddings(shape, rates, base)

    def spread(values, filler):
        """Adds a row with `filler` for each dimension that is not in `dims`."""
        rows = [values[dims.index(dim)] if dim in dims else tf.constant(filler) for dim in range(1, last + 1)]
        return tf.stack(rows)

    blocks = spread(rates, 1)
    converted = tf.space_to_batch_nd(input, blocks, spread(paddings, [0, 0]))
    return tf.batch_to_space_nd(op(converted, count, "VALID"), blocks, spread(crops, [0, 0]))


def static_state_saving_rnn(cell, inputs, state_saver, state_name, sequence_length=None, scope=None):
    """tf.nn.static_rnn that begins with the state of a saver and saves the final state there."""
    import weir as tf
    from weir import _weir
    size = cell.state_size
    sizes, names = _weir.nest_flatten(size), _weir.nest_flatten(state_name)
    if isinstance(size, (list, tuple)) != isinstance(state_name, (list, tuple)):
        raise ValueError("state_name should be the same type as cell.state_size.  state_name: %s, cell.state_size: %s"
                         % (str(state_name), str(size)))
    if len(names) != len(sizes):
        raise ValueError(f"#elems(state_name) != #elems(state_size): {len(names)} vs. {len(sizes)}")
    initial = _weir.nest_pack_sequence_as(size, [state_saver.state(one) for one in names])
    outputs, state = tf.nn.static_rnn(cell, inputs, initial_state=initial, sequence_length=sequence_length, scope=scope)
    saved = [state_saver.save_state(one, part) for one, part in zip(names, _weir.nest_flatten(state))]
    with tf.control_dependencies(saved):
        outputs[-1] = tf.identity(outputs[-1])
    return outputs, state


def ctc_loss_v2(inputs, labels_indices, labels_values, sequence_length, preprocess_collapse_repeated=False, ctc_merge_repeated=True,
                ignore_longer_outputs_than_inputs=False, name=None):
    """CTCLoss with 0 as the blank label. Returns the losses and the gradient of the inputs."""
    import weir as tf
    with tf.name_scope(name, "CTCLossV2"):
        inputs = tf.convert_to_tensor(inputs, name="inputs")
        last = tf.concat([inputs[..., 1:], inputs[..., :1]], -1)
        loss, gradient = _weir.op_function("CTCLoss")(
            last, labels_indices, tf.convert_to_tensor(labels_values) - 1, sequence_length, preprocess_collapse_repeated=preprocess_collapse_repeated,
            ctc_merge_repeated=ctc_merge_repeated, ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs)
        return loss, tf.concat([gradient[..., -1:], gradient[..., :-1]], -1)


def batch_scatter_update(ref, indices, updates, use_locking=True, name=None):
    """Replaces ref[i..., indices[i..., j]] by updates[i..., j]."""
    import weir as tf
    with tf.name_scope(name, "batch_scatter_update"):
        indices = tf.convert_to_tensor(indices, name="indices")
        shape, rank = tf.shape(indices), indices.shape.ndims
        if rank is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        parts = []
        for axis in range(rank - 1):
            numbers = tf.cast(tf.range(shape[axis]), indices.dtype)
            sides = [1] * rank
            sides[axis] = -1
            parts.append(tf.broadcast_to(tf.reshape(numbers, sides), shape))
        return tf.scatter_nd_update(ref, tf.stack([*parts, indices], -1), updates, use_locking=use_locking)
