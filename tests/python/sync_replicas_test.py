"""Tests SyncReplicasOptimizer on clusters of servers in this process: the parameters are those of one process that
averages the gradients, even if replicas are slow, leave or come back."""
import contextlib
import threading
import time

import numpy as np
import pytest

import weir as tf
from free_addresses import free_cluster

STEPS = 12
RNG = np.random.RandomState(3)
X = RNG.normal(size=(8, 10 * STEPS, 4, 3)).astype(np.float32)  # indexed by replica and step
Y = RNG.normal(size=(8, 10 * STEPS, 4)).astype(np.float32)
PATIENCE = 60


def start_cluster(ps, workers):
    """Starts a cluster in this process. Returns all its servers, and the servers of the workers."""
    spec = tf.train.ClusterSpec(free_cluster(ps=ps, worker=workers))
    servers = [tf.train.Server(spec, job_name="ps", task_index=i) for i in range(ps)]
    servers += [tf.train.Server(spec, job_name="worker", task_index=i) for i in range(workers)]
    return servers, servers[ps:]


def model(w, v, x, y):
    hidden = tf.tanh(tf.matmul(x, w))
    return tf.reduce_mean(tf.square(tf.reduce_sum(hidden * v, 1) - y))


def variables():
    w = tf.Variable(np.full((3, 5), 0.1, np.float32), name="w")
    v = tf.Variable(np.linspace(-1, 1, 5).astype(np.float32), name="v")
    return w, v


class Replica:
    """The graph and session of a worker. `before_step(i)` is called before each step."""

    def __init__(self, server, ps, index, aggregate, total, optimizer=lambda: tf.train.MomentumOptimizer(0.1, 0.9), sparse=False,
                 averages=False, tokens=0, before_step=lambda i: None, **options):
        self.index, self.chief, self.before_step = index, index == 0, before_step
        self.graph = tf.Graph()
        with self.graph.as_default(), tf.device(tf.train.replica_device_setter(ps, worker_device=f"/job:worker/task:{index}")):
            self.x = tf.placeholder(tf.float32, [None, 3], name="x")
            self.y = tf.placeholder(tf.float32, [None], name="y")
            self.w, self.v = variables()
            w = tf.gather(self.w, [0, 1, 2]) if sparse else self.w
            self.loss = model(w, self.v, self.x, self.y)
            self.step = tf.train.get_or_create_global_step()
            if averages:
                self.averages = tf.train.ExponentialMovingAverage(0.5)
                options.update(variable_averages=self.averages, variables_to_average=[self.w])
            self.opt = tf.train.SyncReplicasOptimizer(optimizer(), aggregate, total, **options)
            self.train = self.opt.minimize(self.loss, global_step=self.step)
            self.runner = self.opt.get_chief_queue_runner()
            self.tokens = self.opt.get_init_tokens_op(tokens)
            self.init = tf.global_variables_initializer()
        self.local_step = self.graph.get_tensor_by_name("sync_rep_local_step/read:0")
        self.sess = tf.Session(server.target, graph=self.graph)
        self.coord = tf.train.Coordinator()
        self.taken = []

    def prepare(self):
        if self.chief:
            self.sess.run(self.init)
            self.sess.run(self.opt.chief_init_op)
            self.sess.run(self.tokens)
            self.runner.create_threads(self.sess, coord=self.coord, daemon=True, start=True)
        else:
            self.sess.run(self.opt.local_step_init_op)

    def run(self, steps):
        for i in range(steps):
            self.before_step(i)
            at = int(self.sess.run(self.local_step))
            self.taken.append(at)
            batch = at % (10 * STEPS)
            self.sess.run(self.train, {self.x: X[self.index, batch], self.y: Y[self.index, batch]})

    def values(self):
        return self.sess.run([self.w, self.v, self.step])

    def close(self):
        """Closes the session. Raises if the threads of the queue runner do not end."""
        self.coord.request_stop()
        self.coord.join(stop_grace_period_secs=PATIENCE)
        self.sess.close()


def alone(steps, replicas, optimizer=lambda: tf.train.MomentumOptimizer(0.1, 0.9), averages=False):
    """Trains in one process that averages the batches of all replicas."""
    with tf.Graph().as_default(), tf.Session() as sess:
        w, v = variables()
        xs = [tf.placeholder(tf.float32, [None, 3]) for _ in range(replicas)]
        ys = [tf.placeholder(tf.float32, [None]) for _ in range(replicas)]
        loss = tf.add_n([model(w, v, x, y) for x, y in zip(xs, ys)]) / replicas
        train = optimizer().minimize(loss)
        average = tf.train.ExponentialMovingAverage(0.5)
        with tf.control_dependencies([train]):
            both = average.apply([w])
        sess.run(tf.global_variables_initializer())
        for i in range(steps):
            feeds = {p: X[r, i] for r, p in enumerate(xs)} | {p: Y[r, i] for r, p in enumerate(ys)}
            sess.run(both if averages else train, feeds)
        return sess.run([average.average(w) if averages else w, v])


def together(*calls):
    """Runs each call on its own thread and raises the first error."""
    errors = []

    def guard(call):
        try:
            call()
        except BaseException as error:  # raised by the main thread
            errors.append(error)
    threads = [threading.Thread(target=guard, args=(call,), daemon=True) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive(), "a replica hangs"
    if errors:
        raise errors[0]


def assert_close(values, wanted):
    for a, b in zip(values, wanted):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("ps, workers", [(1, 1), (1, 2), (2, 2), (2, 4)])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_equals_one_process_that_averages(ps, workers, kind):
    servers, masters = start_cluster(ps, workers)
    # In each step another worker is slow. Its token must not go to a fast one.
    order = np.random.RandomState(0).randint(0, workers, size=STEPS)

    def pause(index):
        return lambda i: [replicas[index].values() for _ in range(20 * (order[i] == index))]
    sparse = kind == "sparse"
    optimizer = (lambda: tf.train.GradientDescentOptimizer(0.2)) if sparse else (lambda: tf.train.AdamOptimizer(0.05))
    replicas = [Replica(masters[i], ps, i, workers, workers, sparse=sparse, before_step=pause(i), optimizer=optimizer)
                for i in range(workers)]
    for replica in replicas:
        replica.prepare()
    together(*(lambda r=replica: r.run(STEPS) for replica in replicas))
    assert all(replica.taken == list(range(STEPS)) for replica in replicas)
    *values, step = replicas[-1].values()
    assert step == STEPS
    assert_close(values, alone(STEPS, workers, optimizer))
    for replica in reversed(replicas):
        replica.close()


def test_averages_follow_each_step():
    servers, masters = start_cluster(1, 2)
    replicas = [Replica(masters[i], 1, i, 2, 2, averages=True) for i in range(2)]
    for replica in replicas:
        replica.prepare()
    together(*(lambda r=replica: r.run(STEPS) for replica in replicas))
    with replicas[0].graph.as_default():
        average = replicas[0].averages.average(replicas[0].w)
    wanted = alone(STEPS, 2, averages=True)[0]
    deadline = time.monotonic() + PATIENCE  # tokens are released before the averages are updated
    while time.monotonic() < deadline:
        value = replicas[0].sess.run(average)
        if np.allclose(value, wanted, rtol=2e-5, atol=2e-6):
            break
    np.testing.assert_allclose(value, wanted, rtol=2e-5, atol=2e-6)


def train_until(replicas, ended):
    """Lets all replicas train until the event is set. Then the chief closes the token queue, which ends the last
    steps."""
    def train(replica):
        with contextlib.suppress(tf.errors.OpError, RuntimeError):
            while not ended.is_set():
                replica.run(1)

    def stop():
        assert ended.wait(PATIENCE), "no progress"
        replicas[0].close()
    together(*(lambda r=replica: train(r) for replica in replicas), stop)


def test_a_backup_replica_may_be_late():
    servers, masters = start_cluster(1, 3)
    release, ended = threading.Event(), threading.Event()
    steps = []

    def wait_in_the_second_step(i):
        if len(late.taken) == 1:
            release.wait(PATIENCE)
        if len(late.taken) == 3:
            ended.set()

    def note(i):
        steps.append(replicas[0].taken[-1] if replicas[0].taken else 0)
        if steps[-1] >= STEPS:
            release.set()
    late = Replica(masters[2], 1, 2, 2, 3, before_step=wait_in_the_second_step)
    replicas = [Replica(masters[0], 1, 0, 2, 3, before_step=note), Replica(masters[1], 1, 1, 2, 3), late]
    for replica in replicas:
        replica.prepare()
    train_until(replicas, ended)
    # The other replicas continued without the late one, which joined them again later.
    assert max(steps) >= STEPS and len(late.taken) >= 3 and late.taken == sorted(late.taken)


@pytest.mark.parametrize("aggregate, workers, tokens", [(2, 3, 3), (2, 3, 0), (1, 3, 8), (3, 2, 1), (4, 1, 3), (2, 2, 5), (3, 3, 1)])
def test_every_configuration_makes_progress(aggregate, workers, tokens):
    servers, masters = start_cluster(1, workers)
    replicas = [Replica(masters[i], 1, i, aggregate, workers, tokens=tokens) for i in range(workers)]
    for replica in replicas:
        replica.prepare()
    ended = threading.Event()
    for replica in replicas:
        replica.before_step = lambda i, replica=replica: replica.taken and replica.taken[-1] >= STEPS and ended.set()
    train_until(replicas, ended)


def test_tokens_without_shares_are_taken_in_order():
    """As in TensorFlow, one thread can run the steps of three replicas as long as there are tokens."""
    servers, masters = start_cluster(1, 3)
    replicas = [Replica(masters[i], 1, i, 2, 3, tokens=3) for i in range(3)]
    for replica in replicas:
        replica.prepare()
    replicas[0].run(1)
    replicas[2].run(1)
    deadline = time.monotonic() + PATIENCE
    while replicas[0].values()[2] < 1 and time.monotonic() < deadline:
        time.sleep(0.01)
    for index in (1, 0, 2, 1):  # there are 6 tokens, of which 2 are used
        replicas[index].run(1)
    assert [replica.taken for replica in replicas] == [[0, 0], [0, 0], [0, 0]]
    together(lambda: replicas[0].run(1), lambda: replicas[1].run(1))
    assert replicas[0].values()[2] == 2


def test_threads_of_one_session_are_replicas():
    servers, masters = start_cluster(1, 1)
    replica = Replica(masters[0], 1, 0, 2, 2)
    replica.prepare()
    together(lambda: replica.run(STEPS), lambda: replica.run(STEPS))
    assert replica.values()[2] == STEPS


def test_init_tokens_repeat_at_most_one_step():
    servers, masters = start_cluster(1, 2)
    chief, other = [Replica(masters[i], 1, i, 2, 2, tokens=-1) for i in range(2)]
    chief.prepare()
    other.prepare()
    ended = threading.Event()

    def until_the_other_ends():
        while not ended.is_set():
            chief.run(1)

    def some_steps():
        other.run(STEPS)
        other.sess.close()
        ended.set()
    together(until_the_other_ends, some_steps)
    # With an init token, a replica runs one step twice. Its second gradient is used for that step or dropped.
    assert other.taken == sorted(other.taken) and other.taken[-1] >= STEPS - 3
    chief.close()


def test_other_replicas_continue_when_one_leaves():
    servers, masters = start_cluster(1, 2)
    replicas = [Replica(masters[i], 1, i, 2, 2) for i in range(2)]
    for replica in replicas:
        replica.prepare()
    together(*(lambda r=replica: r.run(3) for replica in replicas))
    together(lambda: replicas[0].run(4), lambda: (replicas[1].run(1), replicas[1].sess.close()))
    assert replicas[0].values()[2] >= 5


def test_a_replica_can_rejoin():
    servers, masters = start_cluster(1, 2)
    replicas = [Replica(masters[i], 1, i, 2, 2) for i in range(2)]
    for replica in replicas:
        replica.prepare()
    together(*(lambda r=replica: r.run(3) for replica in replicas))
    replicas[1].sess.close()
    again = Replica(masters[1], 1, 1, 2, 2)
    again.prepare()
    done = threading.Event()

    def stay():  # keeps training while the other replica comes and goes
        while not done.is_set():
            replicas[0].run(1)

    def come_back():
        again.run(4)
        done.set()
        again.sess.close()
    together(stay, come_back)
    assert again.taken[0] == 3 and again.taken[-1] > 3
    assert replicas[0].values()[2] >= 6


def test_closing_while_the_chief_waits_takes_no_time():
    servers, masters = start_cluster(1, 2)
    chief = Replica(masters[0], 1, 0, 2, 2)
    chief.prepare()
    other = Replica(masters[1], 1, 1, 2, 2)
    other.prepare()
    waits = threading.Thread(target=lambda: pytest.raises(tf.errors.OutOfRangeError, other.run, 2), daemon=True)
    waits.start()
    assert chief.sess.run(chief.step) == 0  # one gradient is not enough for a step
    chief.close()
    waits.join(PATIENCE)
    assert not waits.is_alive()  # closing the token queue ends its wait


def test_too_few_replicas_are_an_error_after_a_time():
    servers, masters = start_cluster(1, 3)
    replicas = [Replica(masters[i], 1, i, 3, 3, replica_wait_secs=1) for i in range(2)]
    for replica in replicas:
        replica.prepare()
    with pytest.raises(tf.errors.OutOfRangeError):  # the token queue is closed
        together(*(lambda r=replica: r.run(1) for replica in replicas))
    with pytest.raises(tf.errors.DeadlineExceededError, match="step 0 has 2 of 3 required gradients after 1 s: too few replicas"):
        replicas[0].coord.join()


def test_misuse():
    with tf.Graph().as_default():
        w = tf.Variable(1.0, name="w")
        step = tf.train.get_or_create_global_step()
        opt = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), 5, 3)
        with pytest.raises(ValueError, match="Should be called after apply_gradients"):
            opt.get_chief_queue_runner()
        with pytest.raises(ValueError, match="should be called after apply_gradients"):
            opt.get_init_tokens_op()
        with pytest.raises(ValueError, match="should be called before using the hook"):
            opt.make_session_run_hook(True).begin()
        with pytest.raises(ValueError, match="Must supply at least one variable"):
            opt.apply_gradients([], step)
        with pytest.raises(ValueError, match="Global step is required"):
            opt.minimize(w * w)
        with pytest.raises(ValueError, match="must be positive"):
            tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), 0).minimize(w * w, global_step=step)
        opt.minimize(w * w, global_step=step)
        with pytest.raises(ValueError, match="Too few tokens to finish the first step: 1 .given. vs 2 .needed."):
            opt.get_init_tokens_op(1)
        assert opt.get_init_tokens_op(2).type == "QueueEnqueueManyV2"
        assert opt.get_chief_queue_runner() is opt.get_chief_queue_runner()


def test_an_optimizer_of_python_inside():
    class Plain(tf.train.Optimizer):
        def __init__(self):
            super().__init__(False, "Plain")

        def _apply_dense(self, grad, var):
            return tf.assign_sub(var, 0.1 * grad).op
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        w = tf.Variable(1.0, name="w")
        step = tf.train.get_or_create_global_step()
        opt = tf.train.SyncReplicasOptimizer(Plain(), 1)
        train = opt.minimize(w * w, global_step=step)
        runner = opt.get_chief_queue_runner()
        sess.run(tf.global_variables_initializer())
        sess.run(opt.chief_init_op)
        coord = tf.train.Coordinator()
        runner.create_threads(sess, coord, daemon=True, start=True)
        for _ in range(3):
            sess.run(train)
        assert sess.run(w) == pytest.approx(0.8 ** 3)
        coord.request_stop()
        coord.join()
