"""Encoders, embeddings and targets of tf.contrib.layers."""
from weir import _weir
from weir._names import find as _find


def _embeddings(vocab_size, embed_dim, initializer, regularizer, trainable):
    from weir.lib.contrib_variables import model_variable
    return model_variable("embeddings", shape=[vocab_size, embed_dim], initializer=initializer, regularizer=regularizer, trainable=trainable)


def bow_encoder(ids, vocab_size, embed_dim, sparse_lookup=True, initializer=None, regularizer=None, trainable=True, scope=None, reuse=None):
    """Returns the mean embedding of the ids of each row."""
    if not vocab_size or not embed_dim:
        raise ValueError(f"Must specify vocab size and embedding dimension, got vocab_size={vocab_size}, embed_dim={embed_dim}")
    with _weir.variable_scope(scope, default_name="bow_encoder", reuse=reuse):
        embeddings = _embeddings(vocab_size, embed_dim, initializer, regularizer, trainable)
        if sparse_lookup:
            if not isinstance(ids, _find("SparseTensor")):
                from weir.lib.contrib_norms import dense_to_sparse
                ids = dense_to_sparse(ids)
            return _find("contrib.layers.safe_embedding_lookup_sparse")([embeddings], ids, combiner="mean", default_id=0)
        if isinstance(ids, _find("SparseTensor")):
            raise TypeError("ids are expected to be dense Tensor, got: %s" % ids)
        return _find("reduce_mean")(_find("nn.embedding_lookup")(embeddings, ids), 1)


def embed_sequence(ids, vocab_size=None, embed_dim=None, unique=False, initializer=None, regularizer=None, trainable=True, scope=None, reuse=None):
    """Returns the embeddings of ids [batch, length]. With `unique`, looks up each id only once."""
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(f"Must specify vocab size and embedding dimension when not reusing. Got vocab_size={vocab_size} and "
                         f"embed_dim={embed_dim}")
    with _weir.variable_scope(scope, default_name="EmbedSequence", reuse=reuse):
        embeddings = _embeddings(vocab_size, embed_dim, initializer, regularizer, trainable)
        return embedding_lookup_unique(embeddings, ids) if unique else _find("nn.embedding_lookup")(embeddings, ids)


def embedding_lookup_unique(params, ids, partition_strategy="mod", name=None):
    """Like embedding_lookup, but looks up equal ids once."""
    with _weir.name_scope(name or "EmbeddingLookupUnique"):
        ids = _weir.convert_to_tensor(ids)
        rows, index = _find("unique")(_find("reshape")(ids, [-1]))
        found = _find("gather")(_find("nn.embedding_lookup")(params, rows, partition_strategy=partition_strategy), index)
        shape = _find("concat")([_find("shape")(ids), _find("shape")(found)[1:]], 0)
        y = _find("reshape")(found, shape)
        y.set_shape(ids.shape.concatenate(found.shape[1:]))
        return y
