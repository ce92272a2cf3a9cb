"""REINFORCE on a pole that is to be balanced on a cart. Gradients are collected for some episodes, then applied."""
import math

import numpy as np
import tensorflow as tf
import tensorflow.contrib.slim as slim

tf.app.flags.DEFINE_integer("episodes", 20, "episodes to play")
tf.app.flags.DEFINE_integer("update_frequency", 4, "episodes per update")
tf.app.flags.DEFINE_float("gamma", 0.99, "discount of rewards")
tf.app.flags.DEFINE_string("logdir", "pg", "where summaries go")
FLAGS = tf.app.flags.FLAGS


class CartPole(object):
    """The usual equations of motion."""

    def __init__(self, seed):
        self.rng = np.random.RandomState(seed)

    def reset(self):
        self.state = self.rng.uniform(-0.05, 0.05, 4)
        return self.state

    def step(self, action):
        x, x_dot, theta, theta_dot = self.state
        force = 10.0 if action == 1 else -10.0
        temp = (force + 0.05 * theta_dot ** 2 * math.sin(theta)) / 1.1
        theta_acc = (9.8 * math.sin(theta) - math.cos(theta) * temp) / (0.5 * (4.0 / 3.0 - 0.1 * math.cos(theta) ** 2 / 1.1))
        x_acc = temp - 0.05 * theta_acc * math.cos(theta) / 1.1
        self.state = np.array([x + 0.02 * x_dot, x_dot + 0.02 * x_acc, theta + 0.02 * theta_dot, theta_dot + 0.02 * theta_acc])
        return self.state, 1.0, abs(self.state[0]) > 2.4 or abs(self.state[2]) > 12 * math.pi / 180, {}


def discount_rewards(r):
    discounted, running = np.zeros_like(r), 0.0
    for t in reversed(range(r.size)):
        running = running * FLAGS.gamma + r[t]
        discounted[t] = running
    return (discounted - discounted.mean()) / (discounted.std() + 1e-8)


class Agent(object):
    def __init__(self, lr, s_size, a_size, h_size):
        self.state_in = tf.placeholder(shape=[None, s_size], dtype=tf.float32)
        init = slim.variance_scaling_initializer(seed=8)
        hidden = slim.fully_connected(self.state_in, h_size, biases_initializer=None, activation_fn=tf.nn.relu, weights_initializer=init)
        self.output = slim.fully_connected(hidden, a_size, activation_fn=tf.nn.softmax, biases_initializer=None, weights_initializer=init)
        self.chosen_action = tf.argmax(self.output, 1)
        # The training procedure: feed rewards and chosen actions to compute the loss.
        self.reward_holder = tf.placeholder(shape=[None], dtype=tf.float32)
        self.action_holder = tf.placeholder(shape=[None], dtype=tf.int32)
        self.indexes = tf.range(0, tf.shape(self.output)[0]) * tf.shape(self.output)[1] + self.action_holder
        self.responsible_outputs = tf.gather(tf.reshape(self.output, [-1]), self.indexes)
        entropy = -tf.reduce_mean(tf.reduce_sum(self.output * tf.log(self.output + 1e-10), reduction_indices=1))
        self.loss = -tf.reduce_mean(tf.log(self.responsible_outputs) * self.reward_holder) - 0.01 * entropy
        tvars = tf.trainable_variables()
        self.gradient_holders = [tf.placeholder(tf.float32, name=str(idx) + "_holder") for idx, var in enumerate(tvars)]
        self.gradients = tf.gradients(self.loss, tvars)
        self.step = tf.Variable(0, name="step", trainable=False)
        rate = tf.train.exponential_decay(lr, self.step, 2, 0.9)
        optimizer = tf.train.RMSPropOptimizer(learning_rate=rate, decay=0.9, momentum=0.1, centered=True)
        self.update_batch = optimizer.apply_gradients(zip(self.gradient_holders, tvars), global_step=self.step)


def main(_):
    tf.reset_default_graph()
    env, agent = CartPole(3), Agent(lr=1e-2, s_size=4, a_size=2, h_size=8)
    rng = np.random.RandomState(5)
    tf.summary.scalar("loss", agent.loss)
    summaries = tf.summary.merge_all()
    init = tf.global_variables_initializer()
    with tf.Session() as sess:
        writer = tf.summary.FileWriter(FLAGS.logdir)
        sess.run(init)
        total_reward = []
        grad_buffer = [ix * 0 for ix in sess.run(tf.trainable_variables())]
        for episode in range(1, FLAGS.episodes + 1):
            state, history, done = env.reset(), [], False
            while not done and len(history) < 100:
                a_dist = sess.run(agent.output, feed_dict={agent.state_in: [state]})[0]
                action = int(rng.rand() >= a_dist[0])
                state1, reward, done, _ = env.step(action)
                history.append((state, action, reward))
                state = state1
            states, actions, rewards = (np.array(part) for part in zip(*history))
            feed_dict = {agent.reward_holder: discount_rewards(rewards), agent.action_holder: actions, agent.state_in: states}
            grads, loss, summary = sess.run([agent.gradients, agent.loss, summaries], feed_dict=feed_dict)
            writer.add_summary(summary, episode)
            for idx, grad in enumerate(grads):
                grad_buffer[idx] += grad
            if episode % FLAGS.update_frequency == 0:
                sess.run(agent.update_batch, feed_dict=dict(zip(agent.gradient_holders, grad_buffer)))
                print("update with gradients of size", " ".join("%.5f" % np.linalg.norm(grad) for grad in grad_buffer))
                for idx, grad in enumerate(grad_buffer):
                    grad_buffer[idx] = grad * 0
            total_reward.append(rewards.sum())
            average = tf.Summary(value=[tf.Summary.Value(tag="average_reward", simple_value=float(np.mean(total_reward)))])
            writer.add_summary(average, episode)
            print("episode %d: reward %d, loss %.6f" % (episode, rewards.sum(), loss))
        print("average reward %.4f" % np.mean(total_reward))
        writer.close()


if __name__ == "__main__":
    tf.app.run(main)
