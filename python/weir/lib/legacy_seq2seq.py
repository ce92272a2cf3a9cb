"""tf.contrib.legacy_seq2seq: models that are unrolled while the graph is built. They combine cells, which may be Python classes;
attention and losses are computed in C++."""
import copy

from weir import _weir
from weir.lib.contrib_rnn import EmbeddingWrapper, OutputProjectionWrapper, _linear

_FLOAT = _weir.dtypes["float32"]


def _op(op, /, *args, **kwargs):
    return _weir.op_function(op)(*args, **kwargs)


def _next_input(given, loop_function, previous, i):
    if loop_function is None or previous is None:
        return given
    with _weir.variable_scope("loop_function", reuse=True):
        return loop_function(previous, i)


def _argmax_and_embed(embedding, output_projection, update_embedding):
    """A loop function: the embedding of the most likely previous output."""
    def loop_function(previous, _):
        if output_projection is not None:
            previous = _op("BiasAdd", _weir.matmul(previous, output_projection[0]), output_projection[1])
        embedded = _weir.embedding_lookup(embedding, _op("ArgMax", previous, 1))
        return embedded if update_embedding else _op("StopGradient", embedded)
    return loop_function


def rnn_decoder(decoder_inputs, initial_state, cell, loop_function=None, scope=None):
    with _weir.variable_scope(scope or "rnn_decoder"):
        state, outputs, previous = initial_state, [], None
        for i, given in enumerate(decoder_inputs):
            given = _next_input(given, loop_function, previous, i)
            if i > 0:
                _weir.get_variable_scope().reuse_variables()
            output, state = cell(given, state)
            outputs.append(output)
            previous = output
    return outputs, state


def basic_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, dtype=_FLOAT, scope=None):
    with _weir.variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = _weir.static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, loop_function=None, dtype=_FLOAT, scope=None):
    with _weir.variable_scope("combined_tied_rnn_seq2seq"):
        scope = scope or "tied_rnn_seq2seq"
        _, state = _weir.static_rnn(cell, encoder_inputs, dtype=dtype, scope=scope)
        _weir.get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function=loop_function, scope=scope)


def _check_projection(output_projection, num_symbols, dtype):
    if output_projection is None:
        return
    weights, biases = (_weir.convert_to_tensor(part, dtype=dtype) for part in output_projection)
    weights.shape.assert_is_compatible_with([None, num_symbols])
    biases.shape.assert_is_compatible_with([num_symbols])


def embedding_rnn_decoder(decoder_inputs, initial_state, cell, num_symbols, embedding_size, output_projection=None, feed_previous=False,
                          update_embedding_for_previous=True, scope=None):
    with _weir.variable_scope(scope or "embedding_rnn_decoder") as opened:
        _check_projection(output_projection, num_symbols, opened.dtype)
        embedding = _weir.get_variable("embedding", [num_symbols, embedding_size])
        loop = _argmax_and_embed(embedding, output_projection, update_embedding_for_previous) if feed_previous else None
        return rnn_decoder([_weir.embedding_lookup(embedding, i) for i in decoder_inputs], initial_state, cell, loop_function=loop)


def _decoded(feed_previous, steps, state, decode):
    """Calls decode(feed_previous, update_embedding), or for a tensor builds both variants and chooses at run time."""
    if isinstance(feed_previous, bool):
        return decode(feed_previous, True)

    def variant(feed):
        def build():
            with _weir.variable_scope(_weir.get_variable_scope(), reuse=None if feed else True):
                outputs, after = decode(feed, False)
                return list(outputs) + _weir.nest_flatten(after)
        return build
    values = _weir.cond(feed_previous, variant(True), variant(False))
    return values[:steps], _weir.nest_pack_sequence_as(state, values[steps:]) if _weir.nest_is_sequence(state) else values[steps]


def _encoded(cell, inputs, symbols, embedding_size, dtype):
    wrapped = EmbeddingWrapper(copy.deepcopy(cell), embedding_classes=symbols, embedding_size=embedding_size)
    return _weir.static_rnn(wrapped, inputs, dtype=dtype)


def embedding_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, num_encoder_symbols, num_decoder_symbols, embedding_size, output_projection=None,
                          feed_previous=False, dtype=None, scope=None):
    with _weir.variable_scope(scope or "embedding_rnn_seq2seq", dtype=dtype) as opened:
        _, state = _encoded(cell, encoder_inputs, num_encoder_symbols, embedding_size, opened.dtype)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)

        def decode(feed, update):
            return embedding_rnn_decoder(decoder_inputs, state, cell, num_decoder_symbols, embedding_size, output_projection=output_projection,
                                         feed_previous=feed, update_embedding_for_previous=update)
        return _decoded(feed_previous, len(decoder_inputs), state, decode)


def embedding_tied_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, num_symbols, embedding_size, num_decoder_symbols=None,
                               output_projection=None, feed_previous=False, dtype=None, scope=None):
    with _weir.variable_scope(scope or "embedding_tied_rnn_seq2seq", dtype=dtype) as opened:
        dtype = opened.dtype
        _check_projection(output_projection, num_symbols, dtype)
        embedding = _weir.get_variable("embedding", [num_symbols, embedding_size], dtype=dtype)
        encoder, decoder = ([_weir.embedding_lookup(embedding, i) for i in inputs] for inputs in (encoder_inputs, decoder_inputs))
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_symbols if num_decoder_symbols is None else num_decoder_symbols)

        def decode(feed, update):
            loop = _argmax_and_embed(embedding, output_projection, update) if feed else None
            return tied_rnn_seq2seq(encoder, decoder, cell, loop_function=loop, dtype=dtype)
        return _decoded(feed_previous, len(decoder_inputs), cell.state_size, decode)


def attention_decoder(decoder_inputs, initial_state, attention_states, cell, output_size=None, num_heads=1, loop_function=None, dtype=None,
                      scope=None, initial_state_attention=False):
    if not decoder_inputs:
        raise ValueError("Must provide at least 1 input to attention decoder.")
    if num_heads < 1:
        raise ValueError("With less than 1 heads, use a non-attention decoder.")
    width = attention_states.shape[2].value
    if width is None:
        raise ValueError(f"Shape[2] of attention_states must be known: {attention_states.shape}")
    output_size = cell.output_size if output_size is None else output_size
    with _weir.variable_scope(scope or "attention_decoder", dtype=dtype) as opened:
        heads = []
        for head in range(num_heads):
            kernel = _weir.get_variable(f"AttnW_{head}", [1, 1, width, width], dtype=opened.dtype)
            features = _weir.legacy_attention_features(attention_states, kernel)
            heads.append((features, _weir.get_variable(f"AttnV_{head}", [width], dtype=opened.dtype)))

        def attend(query):
            query, reads = [part for part in _weir.nest_flatten(query)], []
            for head, (features, v) in enumerate(heads):
                with _weir.variable_scope(f"Attention_{head}"):
                    reads.append(_weir.legacy_attention_read(attention_states, features, v, _linear(query, width)))
            return reads
        batch = _op("Shape", decoder_inputs[0])[0]
        reads = [_weir.zeros_for_batch(batch, _weir.TensorShape([width]), opened.dtype) for _ in heads]
        if initial_state_attention:
            reads = attend(initial_state)
        state, outputs, previous = initial_state, [], None
        for i, given in enumerate(decoder_inputs):
            if i > 0:
                _weir.get_variable_scope().reuse_variables()
            given = _next_input(given, loop_function, previous, i)
            size = given.shape[1].value
            if size is None:
                raise ValueError(f"Could not infer input size from input: {given.name}")
            output, state = cell(_linear([given, *reads], size), state)
            with _weir.variable_scope(_weir.get_variable_scope(), reuse=True if initial_state_attention else None):
                reads = attend(state)
            with _weir.variable_scope("AttnOutputProjection"):
                previous = _linear([output, *reads], output_size)
            outputs.append(previous)
    return outputs, state


def embedding_attention_decoder(decoder_inputs, initial_state, attention_states, cell, num_symbols, embedding_size, num_heads=1, output_size=None,
                                output_projection=None, feed_previous=False, update_embedding_for_previous=True, dtype=None, scope=None,
                                initial_state_attention=False):
    if output_size is None:
        output_size = cell.output_size
    with _weir.variable_scope(scope or "embedding_attention_decoder", dtype=dtype) as opened:
        _check_projection(output_projection, num_symbols, opened.dtype)
        embedding = _weir.get_variable("embedding", [num_symbols, embedding_size])
        loop = _argmax_and_embed(embedding, output_projection, update_embedding_for_previous) if feed_previous else None
        return attention_decoder([_weir.embedding_lookup(embedding, i) for i in decoder_inputs], initial_state, attention_states, cell,
                                 output_size=output_size, num_heads=num_heads, loop_function=loop,
                                 initial_state_attention=initial_state_attention)


def embedding_attention_seq2seq(encoder_inputs, decoder_inputs, cell, num_encoder_symbols, num_decoder_symbols, embedding_size, num_heads=1,
                                output_projection=None, feed_previous=False, dtype=None, scope=None, initial_state_attention=False):
    with _weir.variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype) as opened:
        dtype = opened.dtype
        outputs, state = _encoded(cell, encoder_inputs, num_encoder_symbols, embedding_size, dtype)
        attention_states = _weir.stack(outputs, axis=1)
        output_size = None
        if output_projection is None:
            cell, output_size = OutputProjectionWrapper(cell, num_decoder_symbols), num_decoder_symbols

        def decode(feed, update):
            return embedding_attention_decoder(decoder_inputs, state, attention_states, cell, num_decoder_symbols, embedding_size,
                                               num_heads=num_heads, output_size=output_size, output_projection=output_projection,
                                               feed_previous=feed, update_embedding_for_previous=update,
                                               initial_state_attention=initial_state_attention)
        return _decoded(feed_previous, len(decoder_inputs), state, decode)


def one2many_rnn_seq2seq(encoder_inputs, decoder_inputs_dict, enc_cell, dec_cells_dict, num_encoder_symbols, num_decoder_symbols_dict,
                         embedding_size, feed_previous=False, dtype=None, scope=None):
    outputs, states = {}, {}
    with _weir.variable_scope(scope or "one2many_rnn_seq2seq", dtype=dtype) as opened:
        wrapped = EmbeddingWrapper(enc_cell, embedding_classes=num_encoder_symbols, embedding_size=embedding_size)
        _, state = _weir.static_rnn(wrapped, encoder_inputs, dtype=opened.dtype)
        for name, decoder_inputs in decoder_inputs_dict.items():
            symbols = num_decoder_symbols_dict[name]
            with _weir.variable_scope("one2many_decoder_" + str(name)):
                cell = OutputProjectionWrapper(dec_cells_dict[name], symbols)

                def decode(feed, update):
                    return embedding_rnn_decoder(decoder_inputs, state, cell, symbols, embedding_size, feed_previous=feed,
                                                 update_embedding_for_previous=update)
                outputs[name], states[name] = _decoded(feed_previous, len(decoder_inputs), state, decode)
    return outputs, states


def sequence_loss_by_example(logits, targets, weights, average_across_timesteps=True, softmax_loss_function=None, name=None):
    if len(targets) != len(logits) or len(weights) != len(logits):
        raise ValueError(f"Lengths of logits, weights, and targets must be the same {len(logits)}, {len(weights)}, {len(targets)}.")
    return _weir.sequence_loss_by_example(logits, targets, weights, average_across_timesteps, softmax_loss_function, name)


def sequence_loss(logits, targets, weights, average_across_timesteps=True, average_across_batch=True, softmax_loss_function=None, name=None):
    with _weir.name_scope(name or "sequence_loss"):
        losses = sequence_loss_by_example(logits, targets, weights, average_across_timesteps, softmax_loss_function)
        return _op("Mean" if average_across_batch else "Sum", losses, 0)


def model_with_buckets(encoder_inputs, decoder_inputs, targets, weights, buckets, seq2seq, softmax_loss_function=None, per_example_loss=False,
                       name=None):
    for what, given, needed in (("encoder_inputs", encoder_inputs, buckets[-1][0]), ("targets", targets, buckets[-1][1]),
                                ("weights", weights, buckets[-1][1])):
        if len(given) < needed:
            raise ValueError(f"Length of {what} ({len(given)}) must be at least that of last bucket ({needed}).")
    loss = sequence_loss_by_example if per_example_loss else sequence_loss
    losses, outputs = [], []
    with _weir.name_scope(name or "model_with_buckets"):
        for i, (source, target) in enumerate(buckets):
            with _weir.variable_scope(_weir.get_variable_scope(), reuse=True if i > 0 else None):
                decoded, _ = seq2seq(encoder_inputs[:source], decoder_inputs[:target])
                outputs.append(decoded)
                losses.append(loss(decoded, targets[:target], weights[:target], softmax_loss_function=softmax_loss_function))
    return outputs, losses
