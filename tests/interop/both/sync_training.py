"""A worker of synchronous training, for TensorFlow and Weir. Every worker has its own batches and contributes one
gradient to every step."""
import os
import time

import numpy as np

STEPS = 20
RATE = 0.2
WORKERS = 2


def batch(worker, step):
    x = np.random.RandomState(1000 * worker + step).uniform(-1, 1, [8, 3]).astype(np.float32)
    return x, x @ np.float32([1, -2, 0.5]) + 3


def averaged():
    """Returns the parameters of a single process that averages the gradients of all workers."""
    w, b = np.zeros(3), 0.0
    for step in range(STEPS):
        grads = []
        for worker in range(WORKERS):
            x, y = batch(worker, step)
            error = x @ w + b - y
            grads.append((2 * x.T @ error / len(y), 2 * error.mean()))
        w, b = w - RATE * np.mean([g for g, _ in grads], 0), b - RATE * np.mean([g for _, g in grads])
    return w.tolist(), float(b)


def wait_for_all(folder, task, step, patience=300):
    """Waits until all workers have finished the previous step. In TensorFlow, a fast worker may take another's
    token."""
    open(os.path.join(folder, f"{task}-{step}"), "w").close()
    end = time.time() + patience
    while not all(os.path.exists(os.path.join(folder, f"{worker}-{step}")) for worker in range(WORKERS)):
        if time.time() > end:
            raise TimeoutError(f"worker {task} waits for the others at step {step}")
        time.sleep(0.001)


def train(tf, target, task, folder):
    """Runs all steps of this worker. Returns the final global step and parameters."""
    with tf.Graph().as_default():
        with tf.device(tf.train.replica_device_setter(ps_tasks=1, worker_device=f"/job:worker/task:{task}")):
            step = tf.train.get_or_create_global_step()
            x = tf.placeholder(tf.float32, [None, 3], name="x")
            y = tf.placeholder(tf.float32, [None], name="y")
            w = tf.get_variable("w", [3], initializer=tf.zeros_initializer())
            b = tf.get_variable("b", [], initializer=tf.zeros_initializer())
            loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) + b - y))
            optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(RATE), replicas_to_aggregate=WORKERS,
                                                       total_num_replicas=WORKERS)
            more = optimizer.minimize(loss, global_step=step)
        hook = optimizer.make_session_run_hook(is_chief=task == 0, num_tokens=0)
        with tf.train.MonitoredTrainingSession(target, is_chief=task == 0, hooks=[hook], stop_grace_period_secs=1) as sess:
            for number in range(STEPS):
                inputs, labels = batch(task, number)
                sess.run(more, {x: inputs, y: labels})
                wait_for_all(folder, task, number)
            found = sess.run([step, w, b])
            wait_for_all(folder, task, STEPS)  # when the chief ends, it stops the queue runner that the others need
        return {"step": int(found[0]), "w": found[1].tolist(), "b": float(found[2])}
