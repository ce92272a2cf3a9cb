"""Tests tf.train.Checkpoint and tf.train.CheckpointManager."""
import os

import numpy as np
import pytest

import weir as tf


def model():
    v, w = tf.get_variable("v", initializer=[1.0, 2.0]), tf.get_variable("w", initializer=[3.0])
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.AdamOptimizer(0.1)
    train = optimizer.minimize(tf.reduce_sum(v) * tf.reduce_sum(w), global_step=step)
    checkpoint = tf.train.Checkpoint(opt=optimizer, step=step, v=v, more=[w, {"a b/c.d": v}])
    checkpoint.inner = tf.train.Checkpoint(w=w)
    return checkpoint, train, [v, w, step]


def test_the_names_in_a_checkpoint_are_those_of_tensorflow(tmp_path):
    checkpoint, train, _ = model()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        path = checkpoint.save(tmp_path / "m")
        assert path == str(tmp_path / "m-1") and checkpoint.save(tmp_path / "m").endswith("m-2")
        assert (tmp_path / "checkpoint").read_text().splitlines() == ['model_checkpoint_path: "m-2"', 'all_model_checkpoint_paths: "m-2"']
    assert set(tf.train.NewCheckpointReader(path).get_variable_to_shape_map()) == {
        "v/.OPTIMIZER_SLOT/opt/v/.ATTRIBUTES/VARIABLE_VALUE", "v/.ATTRIBUTES/VARIABLE_VALUE", "save_counter/.ATTRIBUTES/VARIABLE_VALUE",
        "opt/beta2_power/.ATTRIBUTES/VARIABLE_VALUE", "opt/beta1_power/.ATTRIBUTES/VARIABLE_VALUE",
        "more/0/.OPTIMIZER_SLOT/opt/v/.ATTRIBUTES/VARIABLE_VALUE", "more/0/.OPTIMIZER_SLOT/opt/m/.ATTRIBUTES/VARIABLE_VALUE",
        "v/.OPTIMIZER_SLOT/opt/m/.ATTRIBUTES/VARIABLE_VALUE", "step/.ATTRIBUTES/VARIABLE_VALUE", "more/0/.ATTRIBUTES/VARIABLE_VALUE",
        "_CHECKPOINTABLE_OBJECT_GRAPH"}


def test_training_goes_on_from_a_checkpoint(tmp_path):
    checkpoint, train, fetches = model()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        path = checkpoint.save(tmp_path / "m")
        sess.run(train)
        expected = sess.run(fetches)
    with tf.Graph().as_default(), tf.Session() as sess:
        checkpoint, train, fetches = model()
        checkpoint.restore(path).assert_consumed().run_restore_ops()
        sess.run(train)
        assert sess.run(checkpoint.save_counter) == 1
        for a, b in zip(sess.run(fetches), expected):
            np.testing.assert_array_equal(a, b)


def test_saving_again_adds_no_nodes(tmp_path):
    checkpoint, _, _ = model()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        path = checkpoint.save(tmp_path / "m")
        checkpoint.restore(path).run_restore_ops()
        before = len(tf.get_default_graph().get_operations())
        path = checkpoint.save(tmp_path / "m")
        checkpoint.restore(path).run_restore_ops()
        assert len(tf.get_default_graph().get_operations()) == before


def test_a_part_of_a_checkpoint(tmp_path):
    checkpoint, _, (v, _, _) = model()
    other = tf.get_variable("z", initializer=1.0)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        path = checkpoint.write(tmp_path / "m")
        assert not (tmp_path / "checkpoint").exists()
        sess.run(v.assign([7, 7]))
        partial = tf.train.Checkpoint(v=v, z=other)
        status = partial.restore(path).expect_partial().assert_nontrivial_match()
        with pytest.raises(AssertionError, match="Unresolved object in checkpoint"):
            status.assert_consumed()
        with pytest.raises(AssertionError, match="'z:0'"):
            status.assert_existing_objects_matched()
        sess.run(other.assign(5.0))
        status.initialize_or_restore()
        assert sess.run([v, other])[0].tolist() == [1, 2] and sess.run(other) == 1
        with pytest.raises(AssertionError, match="Nothing except the root object"):
            tf.train.Checkpoint(q=other).restore(path).assert_nontrivial_match()


def test_variables_that_are_created_after_restore(tmp_path):
    v = tf.get_variable("v", initializer=3.0)
    with tf.Session() as sess:
        sess.run(v.initializer)
        path = tf.train.Checkpoint(v=v).save(tmp_path / "m")
    with tf.Graph().as_default(), tf.Session() as sess:
        checkpoint = tf.train.Checkpoint()
        status = checkpoint.restore(path)
        checkpoint.v = tf.get_variable("other", initializer=0.0)
        status.assert_consumed().run_restore_ops()
        assert sess.run(checkpoint.v) == 3


def test_without_a_path_only_initializes():
    v = tf.get_variable("v", initializer=3.0)
    status = tf.train.Checkpoint(v=v).restore(None)
    with pytest.raises(AssertionError, match="No checkpoint specified"):
        status.assert_consumed()
    with tf.Session() as sess:
        status.initialize_or_restore()
        assert sess.run(v) == 3


def test_a_checkpoint_of_a_saver_is_restored_by_names(tmp_path):
    v, w = tf.get_variable("v", initializer=3.0), tf.get_variable("w", initializer=4.0)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        path = tf.train.Saver([v]).save(sess, str(tmp_path / "named"))
        sess.run(v.assign(0.0))
        status = tf.train.Checkpoint(any_name=v).restore(path).assert_consumed()
        status.run_restore_ops()
        assert sess.run(v) == 3
        with pytest.raises(AssertionError, match="Object not restored: .*'w:0'"):
            tf.train.Checkpoint(w=w).restore(path).assert_existing_objects_matched()


def test_layers_own_their_variables(tmp_path):
    layer = tf.layers.Dense(2)
    layer(tf.ones([1, 3]))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        path = tf.train.Checkpoint(model=layer).write(tmp_path / "m")
    assert {"model/kernel/.ATTRIBUTES/VARIABLE_VALUE", "model/bias/.ATTRIBUTES/VARIABLE_VALUE"} < set(
        tf.train.NewCheckpointReader(path).get_variable_to_shape_map())


def test_errors(tmp_path):
    with pytest.raises(ValueError, match="was expecting a trackable object"):
        tf.train.Checkpoint(a=3)
    checkpoint = tf.train.Checkpoint(v=tf.get_variable("v", initializer=3.0))
    checkpoint.number = 3  # an ordinary attribute
    with pytest.raises(ValueError, match="no default session"):
        checkpoint.save(tmp_path / "m")
    with pytest.raises(tf.errors.NotFoundError):
        checkpoint.restore(str(tmp_path / "none"))


def test_a_manager_keeps_the_latest(tmp_path):
    checkpoint = tf.train.Checkpoint(v=tf.get_variable("v", initializer=3.0))
    manager = tf.train.CheckpointManager(checkpoint, tmp_path / "d", max_to_keep=2)
    assert manager.latest_checkpoint is None and manager.checkpoints == []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        paths = [manager.save() for _ in range(3)]
        assert manager.checkpoints == paths[1:] and manager.latest_checkpoint == paths[2] == str(tmp_path / "d" / "ckpt-3")
        assert sorted(os.listdir(tmp_path / "d")) == ["checkpoint", "ckpt-2.data-00000-of-00001", "ckpt-2.index",
                                                      "ckpt-3.data-00000-of-00001", "ckpt-3.index"]
        assert tf.train.latest_checkpoint(str(tmp_path / "d")) == paths[2]
        again = tf.train.CheckpointManager(checkpoint, str(tmp_path / "d"), 2)
        assert again.checkpoints == paths[1:] and again.latest_checkpoint == paths[2]
        assert again.save(checkpoint_number=tf.constant(17)) == str(tmp_path / "d" / "ckpt-17")
        assert again.checkpoints == [paths[2], again.latest_checkpoint]


def test_a_manager_preserves_one_per_period(tmp_path):
    checkpoint = tf.train.Checkpoint(v=tf.get_variable("v", initializer=3.0))
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, 1, keep_checkpoint_every_n_hours=1e-9)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        paths = [manager.save() for _ in range(2)]
    assert manager.checkpoints == paths[1:] and tf.train.checkpoint_exists(paths[0])
    with pytest.raises(ValueError, match="max_to_keep"):
        tf.train.CheckpointManager(checkpoint, tmp_path, 0)


def test_an_iterator_over_new_checkpoints(tmp_path):
    v = tf.get_variable("v", initializer=3.0)
    checkpoint = tf.train.Checkpoint(v=v)
    with tf.Session() as sess:
        sess.run(v.initializer)
        found = []
        for path in tf.train.checkpoints_iterator(str(tmp_path), timeout=0, timeout_fn=lambda: len(found) == 3 or not checkpoint.save(tmp_path / "m")):
            found.append(os.path.basename(path))
    assert found == ["m-1", "m-2", "m-3"]
