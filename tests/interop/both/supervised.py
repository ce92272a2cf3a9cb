"""A trainer with a Supervisor, for TensorFlow and Weir. Each can continue from the checkpoint of the other."""


def train(tf, target, logdir, last):
    """Counts to `last` on the cluster of `target`. Returns the restored state and the final results."""
    with tf.Graph().as_default() as graph:
        with tf.device(tf.train.replica_device_setter(ps_tasks=1, worker_device="/job:worker/task:0") if target else None):
            step = tf.train.get_or_create_global_step()
            weights = tf.get_variable("weights", [3], initializer=tf.constant_initializer(0.5), use_resource=True)
            local = tf.Variable(2.0, name="local", collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
            more = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(weights * local), global_step=step)
            tf.summary.scalar("sum", tf.reduce_sum(weights))
        sv = tf.train.Supervisor(logdir=logdir, save_model_secs=0)
        with sv.managed_session(target) as sess:
            first = int(sess.run(step))
            before = sess.run(weights).tolist()
            while not sv.should_stop() and sess.run(step) < last:
                sess.run(more)
            sv.summary_computed(sess, sess.run(sv.summary_op))
            sv.saver.save(sess, sv.save_path, global_step=sv.global_step)
            after = sess.run(weights).tolist()
        return {"first": first, "before": before, "after": after, "saved": tf.train.latest_checkpoint(logdir),
                "stopped": sv.should_stop(), "finalized": graph.finalized}
