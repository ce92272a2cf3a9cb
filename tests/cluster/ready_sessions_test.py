"""Session managers of a chief and a second worker, in a cluster of processes whose ps is killed and restarted."""
import threading

import pytest

import weir as tf
from free_addresses import free_cluster
from processes import PATIENCE, Cluster

LOST = (tf.errors.UnavailableError, tf.errors.AbortedError)


@pytest.fixture
def cluster():
    with Cluster(**free_cluster(ps=1, worker=2)) as made:
        yield made


class Model:
    """A counter on the ps, and a local variable of the worker."""

    def __init__(self, task):
        self.graph = tf.Graph()
        with self.graph.as_default(), tf.device(tf.train.replica_device_setter(ps_tasks=1, worker_device=f"/job:worker/task:{task}")):
            self.step = tf.train.get_or_create_global_step()
            self.more = tf.assign_add(self.step, 1)
            with tf.device(f"/job:worker/task:{task}"):
                self.local = tf.Variable(task, name=f"local{task}", collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
            self.init = tf.global_variables_initializer()
            self.saver = tf.train.Saver()
            self.manager = tf.train.SessionManager(
                local_init_op=tf.local_variables_initializer(), ready_op=tf.report_uninitialized_variables(),
                ready_for_local_init_op=tf.report_uninitialized_variables(tf.global_variables()))


class Waiting(threading.Thread):
    """A worker that waits until the model is ready."""

    def __init__(self, model, target):
        super().__init__(daemon=True)
        self.model, self.target, self.result = model, target, None
        self.start()

    def run(self):
        self.result = self.model.manager.wait_for_session(self.target, max_wait_secs=PATIENCE)

    def session(self):
        self.join(2 * PATIENCE)
        return self.result


def test_a_second_worker_waits_for_the_chief(cluster):
    chief, second = Model(0), Model(1)
    waiting = Waiting(second, cluster.target("worker1"))
    with chief.manager.prepare_session(cluster.target("worker0"), chief.init) as sess:
        assert sess.run(chief.more) == 1
        with waiting.session() as other:
            assert other.run([second.step, second.local]) == [1, 1]
            assert other.run(second.more) == 2
        assert sess.run([chief.step, chief.local]) == [2, 0]


def test_after_the_ps_was_lost_the_model_is_that_of_the_last_checkpoint(cluster, tmp_path):
    chief, second = Model(0), Model(1)
    targets = cluster.target("worker0"), cluster.target("worker1")
    sess = chief.manager.prepare_session(targets[0], chief.init, chief.saver, checkpoint_dir=str(tmp_path))
    for _ in range(3):
        sess.run(chief.more)
    chief.saver.save(sess, str(tmp_path / "model"), global_step=chief.step)
    sess.run(chief.more)
    cluster.end("ps0")
    with pytest.raises(LOST):
        sess.run(chief.more)
    waiting = Waiting(second, targets[1])  # starts while there is no ps
    cluster.start("ps0")
    with pytest.raises(LOST):
        sess.run(chief.more)  # a session cannot survive the loss of a task that it has used
    sess.close()
    with chief.manager.prepare_session(targets[0], chief.init, chief.saver, checkpoint_dir=str(tmp_path)) as sess:
        assert sess.run(chief.more) == 4
        with waiting.session() as other:
            assert other.run([second.step, second.local]) == [4, 1]
