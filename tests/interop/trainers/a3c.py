"""Asynchronous advantage actor-critic: threads with local networks, and a global network that they update.

The workers take turns, so that a run can be repeated.
"""
import os
import threading

import numpy as np
import tensorflow as tf
import tensorflow.contrib.slim as slim

tf.app.flags.DEFINE_string("model_path", "./model", "checkpoints and summaries")
tf.app.flags.DEFINE_integer("num_workers", 3, "threads")
tf.app.flags.DEFINE_integer("max_episodes", 4, "episodes of each worker")
FLAGS = tf.app.flags.FLAGS
GAMMA, MAX_EPISODE_LENGTH, UPDATE_AFTER = .99, 20, 8
S_SIZE, A_SIZE = 5, 2


class Corridor(object):
    """Five cells in a row. The agent starts in the middle; the right end gives a reward, the left end a penalty."""

    def reset(self):
        self.at = 2
        return np.eye(S_SIZE)[self.at]

    def step(self, action):
        self.at += 1 if action else -1
        return np.eye(S_SIZE)[self.at], {0: -1.0, S_SIZE - 1: 1.0}.get(self.at, -0.01), self.at in (0, S_SIZE - 1)


class Turns(object):
    def __init__(self, count):
        self.condition, self.count, self.at = threading.Condition(), count, 0

    def take(self, number, work):
        with self.condition:
            self.condition.wait_for(lambda: self.at % self.count == number)
            work()
            self.at += 1
            self.condition.notify_all()


def update_target_graph(from_scope, to_scope):
    from_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, from_scope)
    to_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, to_scope)
    return [to_var.assign(from_var) for from_var, to_var in zip(from_vars, to_vars)]


def discount(x, gamma):
    result = np.zeros(len(x))
    for t in reversed(range(len(x))):
        result[t] = x[t] + (gamma * result[t + 1] if t + 1 < len(x) else 0)
    return result


class AC_Network(object):
    def __init__(self, scope, trainer):
        with tf.variable_scope(scope):
            self.inputs = tf.placeholder(shape=[None, S_SIZE], dtype=tf.float32)
            hidden = slim.fully_connected(slim.flatten(self.inputs), 12, activation_fn=tf.nn.elu,
                                          weights_initializer=tf.random_normal_initializer(stddev=0.3, seed=1))
            # Recurrent network for temporal dependencies.
            lstm_cell = tf.contrib.rnn.BasicLSTMCell(8, state_is_tuple=True)
            self.state_init = [np.zeros((1, size), np.float32) for size in lstm_cell.state_size]
            c_in, h_in = (tf.placeholder(tf.float32, [1, size]) for size in lstm_cell.state_size)
            self.state_in = (c_in, h_in)
            with tf.variable_scope("rnn", initializer=tf.random_uniform_initializer(-0.2, 0.2, seed=2)):
                outputs, (c, h) = tf.nn.dynamic_rnn(lstm_cell, tf.expand_dims(hidden, [0]), initial_state=tf.contrib.rnn.LSTMStateTuple(c_in, h_in),
                                                    sequence_length=tf.shape(self.inputs)[:1], time_major=False)
            self.state_out = (c[:1, :], h[:1, :])
            rnn_out = tf.reshape(outputs, [-1, 8])
            self.policy = slim.fully_connected(rnn_out, A_SIZE, activation_fn=tf.nn.softmax, biases_initializer=None,
                                               weights_initializer=tf.random_normal_initializer(stddev=0.1, seed=3))
            self.value = slim.fully_connected(rnn_out, 1, activation_fn=None, biases_initializer=None,
                                              weights_initializer=tf.random_normal_initializer(stddev=1.0, seed=4))
            if scope == "global":
                return
            self.actions = tf.placeholder(shape=[None], dtype=tf.int32)
            self.target_v = tf.placeholder(shape=[None], dtype=tf.float32)
            self.advantages = tf.placeholder(shape=[None], dtype=tf.float32)
            responsible = tf.reduce_sum(self.policy * tf.one_hot(self.actions, A_SIZE, dtype=tf.float32), [1])
            self.value_loss = 0.5 * tf.reduce_sum(tf.square(self.target_v - tf.reshape(self.value, [-1])))
            self.entropy = -tf.reduce_sum(self.policy * tf.log(self.policy))
            self.policy_loss = -tf.reduce_sum(tf.log(responsible) * self.advantages)
            self.loss = 0.5 * self.value_loss + self.policy_loss - self.entropy * 0.01
            # Gradients of the local network, applied to the global one.
            local_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope)
            self.gradients = tf.gradients(self.loss, local_vars)
            grads, self.grad_norms = tf.clip_by_global_norm(self.gradients, 40.0)
            global_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, "global")
            self.apply_grads = trainer.apply_gradients(zip(grads, global_vars))


class Worker(object):
    def __init__(self, name, trainer, global_episodes):
        self.number, self.name = name, "worker_" + str(name)
        self.increment = global_episodes.assign_add(1)
        self.writer = tf.summary.FileWriter(os.path.join(FLAGS.model_path, "train_" + str(name)))
        self.local_AC = AC_Network(self.name, trainer)
        self.update_local_ops = update_target_graph("global", self.name)
        self.env, self.rng = Corridor(), np.random.RandomState(name)

    def train(self, rollout, sess, bootstrap_value):
        observations, actions, rewards, values = (np.array(part) for part in zip(*rollout))
        discounted_rewards = discount(np.append(rewards, bootstrap_value), GAMMA)[:-1]
        value_plus = np.append(values, bootstrap_value)
        advantages = discount(rewards + GAMMA * value_plus[1:] - value_plus[:-1], GAMMA)
        net = self.local_AC
        feed_dict = {net.target_v: discounted_rewards, net.inputs: observations, net.actions: actions, net.advantages: advantages,
                     net.state_in[0]: self.batch_state[0], net.state_in[1]: self.batch_state[1]}
        v_l, p_l, e_l, g_n, self.batch_state, _ = sess.run(
            [net.value_loss, net.policy_loss, net.entropy, net.grad_norms, net.state_out, net.apply_grads], feed_dict=feed_dict)
        print("%s: value loss %.5f, policy loss %.5f, entropy %.5f, norm %.5f" % (self.name, v_l, p_l, e_l, g_n))

    def episode(self, sess):
        net = self.local_AC
        sess.run(self.update_local_ops)
        rollout, total, s, state = [], 0.0, self.env.reset(), net.state_init
        self.batch_state = state
        for _ in range(MAX_EPISODE_LENGTH):
            a_dist, v, state = sess.run([net.policy, net.value, net.state_out],
                                        feed_dict={net.inputs: [s], net.state_in[0]: state[0], net.state_in[1]: state[1]})
            a = int(self.rng.rand() >= a_dist[0, 0])
            s1, r, done = self.env.step(a)
            rollout.append([s, a, r, v[0, 0]])
            total, s = total + r, s1
            if done:
                break
            if len(rollout) == UPDATE_AFTER:
                v1 = sess.run(net.value, feed_dict={net.inputs: [s], net.state_in[0]: state[0], net.state_in[1]: state[1]})[0, 0]
                self.train(rollout, sess, v1)
                rollout = []
                sess.run(self.update_local_ops)
        if rollout:
            self.train(rollout, sess, 0.0)
        summary = tf.Summary()
        summary.value.add(tag="Perf/Reward", simple_value=float(total))
        self.writer.add_summary(summary, sess.run(self.increment))
        print("%s: reward %.2f" % (self.name, total))

    def work(self, sess, coord, turns):
        with coord.stop_on_exception(), sess.as_default(), sess.graph.as_default():
            for _ in range(FLAGS.max_episodes):
                if coord.should_stop():
                    break
                turns.take(self.number, lambda: self.episode(sess))
            self.writer.close()


def main(_):
    tf.reset_default_graph()
    tf.gfile.MakeDirs(FLAGS.model_path)
    with tf.device("/cpu:0"):
        global_episodes = tf.Variable(0, dtype=tf.int32, name="global_episodes", trainable=False)
        trainer = tf.train.AdamOptimizer(learning_rate=5e-3)
        AC_Network("global", None)
        workers = [Worker(i, trainer, global_episodes) for i in range(FLAGS.num_workers)]
        saver = tf.train.Saver(max_to_keep=5)
    with tf.Session() as sess:
        coord, turns = tf.train.Coordinator(), Turns(FLAGS.num_workers)
        sess.run(tf.global_variables_initializer())
        threads = [threading.Thread(target=worker.work, args=(sess, coord, turns)) for worker in workers]
        for thread in threads:
            thread.start()
        coord.join(threads)
        saver.save(sess, os.path.join(FLAGS.model_path, "model.cptk"), global_episodes)
        for v in tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, "global"):
            print(v.name, "%.5f" % np.abs(sess.run(v)).sum())
    print("episodes", tf.train.latest_checkpoint(FLAGS.model_path))


if __name__ == "__main__":
    tf.app.run()
