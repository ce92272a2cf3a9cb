"""A model whose variables are saved by tf.train.Checkpoint, which either library writes and reads."""


def model(tf):
    v, w = tf.get_variable("v", initializer=[1.0, 2.0]), tf.get_variable("w", initializer=[3.0])
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.AdamOptimizer(0.1)
    train = optimizer.minimize(tf.reduce_sum(v) * tf.reduce_sum(w), global_step=step)
    checkpoint = tf.train.Checkpoint(opt=optimizer, step=step, v=v, more=[w, {"a b/c.d": v}], **{"dotted.name/x": w})
    checkpoint.inner = tf.train.Checkpoint(w=w)
    return checkpoint, train, [v, w, step, optimizer.get_slot(v, "m"), optimizer.get_slot(w, "v"), checkpoint.save_counter]


def write(tf, prefix):
    """Saves after one step of training. Returns the path."""
    with tf.Graph().as_default(), tf.Session() as session:
        checkpoint, train, _ = model(tf)
        session.run(tf.global_variables_initializer())
        session.run(train)
        return checkpoint.save(prefix)


def use(tf, path):
    """Restores and trains one step. Returns the values, the saved names and the description of the objects."""
    with tf.Graph().as_default(), tf.Session() as session:
        checkpoint, train, fetches = model(tf)
        checkpoint.restore(path).assert_consumed().run_restore_ops()
        restored = session.run(fetches)
        session.run(train)
        reader = tf.train.NewCheckpointReader(path)
        message = object_graph_class(tf).FromString(bytes(reader.get_tensor("_CHECKPOINTABLE_OBJECT_GRAPH")))
        return {
            "restored": [value.tolist() for value in restored],
            "trained": [[round(float(x), 5) for x in value.ravel()] for value in session.run(fetches)],
            "names": {name: list(shape) for name, shape in reader.get_variable_to_shape_map().items()},
            "objects": [[[(c.node_id, c.local_name) for c in node.children],
                         [(a.name, a.full_name, a.checkpoint_key) for a in node.attributes],
                         [(s.original_variable_node_id, s.slot_name, s.slot_variable_node_id) for s in node.slot_variables]]
                        for node in message.nodes],
        }


def object_graph_class(tf):
    if tf.__name__ == "weir":
        import weir.proto
        return weir.proto.message_class("TrackableObjectGraph")
    from tensorflow.core.protobuf import trackable_object_graph_pb2
    return trackable_object_graph_pb2.TrackableObjectGraph
