"""Deep Q-learning with replay memory and a target network, on a small grid."""
import collections
import random

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_integer("episodes", 12, "episodes to play")
flags.DEFINE_integer("batch_size", 16, "transitions per update")
flags.DEFINE_integer("replace_target_iter", 20, "updates between copies to the target network")
flags.DEFINE_float("gamma", 0.9, "discount of rewards")
flags.DEFINE_boolean("double_q", True, "choose the next action with the network that is trained")
flags.DEFINE_boolean("dueling", True, "separate streams for value and advantage")
FLAGS = flags.FLAGS
SIDE = 4


class Grid(object):
    """The agent walks from one corner of a grid to the other, around a hole."""
    moves = [(0, 1), (1, 0), (0, -1), (-1, 0)]

    def reset(self):
        self.at = (0, 0)
        return self.observe()

    def observe(self):
        board = np.zeros([SIDE, SIDE, 1], np.float32)
        board[self.at] = 1
        return board

    def step(self, action):
        self.at = tuple(int(np.clip(x + d, 0, SIDE - 1)) for x, d in zip(self.at, self.moves[action]))
        reward = {(SIDE - 1, SIDE - 1): 1.0, (1, 2): -1.0}.get(self.at, -0.02)
        return self.observe(), reward, abs(reward) == 1.0


class DeepQNetwork(object):
    def __init__(self, sess):
        self.sess, self.n_actions = sess, len(Grid.moves)
        self.memory = collections.deque(maxlen=200)
        self.s = tf.placeholder(tf.float32, [None, SIDE, SIDE, 1], name="s")
        self.s_ = tf.placeholder(tf.float32, [None, SIDE, SIDE, 1], name="s_")
        self.a = tf.placeholder(tf.int32, [None], name="a")
        self.q_target = tf.placeholder(tf.float32, [None], name="q_target")
        with tf.variable_scope("eval_net"):
            self.q_eval = self._build_layers(self.s, ["eval_net_params", tf.GraphKeys.GLOBAL_VARIABLES])
        with tf.variable_scope("target_net"):
            self.q_next = self._build_layers(self.s_, ["target_net_params", tf.GraphKeys.GLOBAL_VARIABLES])
        with tf.variable_scope("loss"):
            a_indices = tf.stack([tf.range(tf.shape(self.a)[0], dtype=tf.int32), self.a], axis=1)
            q_wrt_a = tf.gather_nd(params=self.q_eval, indices=a_indices)
            self.delta = q_wrt_a - self.q_target
            self.loss = tf.losses.huber_loss(self.q_target, q_wrt_a, delta=0.5)
        with tf.variable_scope("train"):
            self.counter = tf.Variable(0, trainable=False, name="counter")
            self.lr = tf.maximum(0.002, tf.train.polynomial_decay(0.02, self.counter, 100, 0.005, power=2.0))
            optimizer = tf.train.RMSPropOptimizer(self.lr, momentum=0.5, epsilon=0.01)
            grads = optimizer.compute_gradients(self.loss, var_list=tf.get_collection("eval_net_params"))
            grads = [(tf.clip_by_norm(grad, 1.0), var) for grad, var in grads if grad is not None]
            self._train_op = optimizer.apply_gradients(grads, global_step=self.counter)
        with tf.variable_scope("replace"):
            pairs = zip(tf.get_collection("target_net_params"), tf.get_collection("eval_net_params"))
            self.replace_target_op = [tf.assign(t, e) for t, e in pairs]
        tf.summary.scalar("loss", self.loss)
        tf.summary.scalar("learning_rate", self.lr)
        for value in tf.unstack(tf.reduce_mean(self.q_eval, 0)):
            tf.summary.histogram("q/" + value.op.name.replace(":", "_"), value)
        self.merged = tf.summary.merge_all()

    def _build_layers(self, s, c_names):
        w_initializer, b_initializer = tf.random_normal_initializer(0., 0.3, seed=1), tf.constant_initializer(0.1)
        with tf.variable_scope("conv1"):
            w = tf.get_variable("w", [2, 2, 1, 4], initializer=w_initializer, collections=c_names)
            b = tf.get_variable("b", [4], initializer=b_initializer, collections=c_names)
            net = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(s, w, [1, 1, 1, 1], "VALID"), b))
            net = tf.reshape(net, [-1, int(np.prod(net.get_shape().as_list()[1:]))])
        heads = []
        for name, size in [("value", 1 if FLAGS.dueling else 0), ("advantage", self.n_actions)]:
            with tf.variable_scope(name):
                w = tf.get_variable("w", [net.shape[1].value, size], initializer=w_initializer, collections=c_names)
                b = tf.get_variable("b", [1, size], initializer=b_initializer, collections=c_names)
                heads.append(tf.matmul(net, w) + b)
        if not FLAGS.dueling:
            return heads[1]
        return heads[0] + (heads[1] - tf.reduce_mean(heads[1], axis=1, keepdims=True))

    def choose_action(self, observation, epsilon):
        values = self.sess.run(self.q_eval, feed_dict={self.s: observation[np.newaxis]})
        return int(np.argmax(values)) if random.random() > epsilon else random.randrange(self.n_actions)

    def learn(self):
        step = self.counter.eval()
        if step % FLAGS.replace_target_iter == 0:
            self.sess.run(self.replace_target_op)
        s, a, r, s_, done = (np.array(part) for part in zip(*random.sample(list(self.memory), FLAGS.batch_size)))
        q_next, q_eval4next = self.sess.run([self.q_next, self.q_eval], feed_dict={self.s_: s_, self.s: s_})
        best = q_next[np.arange(len(a)), q_eval4next.argmax(1)] if FLAGS.double_q else q_next.max(1)
        target = r + FLAGS.gamma * best * (1 - done)
        _, loss, summary = self.sess.run([self._train_op, self.loss, self.merged], feed_dict={self.s: s, self.a: a, self.q_target: target})
        return loss, summary, step


def main(_):
    random.seed(1)
    tf.set_random_seed(1)
    env = Grid()
    with tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=1)) as sess:
        agent = DeepQNetwork(sess)
        writer = tf.summary.FileWriter("dqn", sess.graph)
        tf.global_variables_initializer().run()
        for episode in range(FLAGS.episodes):
            observation, total, losses = env.reset(), 0.0, []
            for step in range(30):
                action = agent.choose_action(observation, epsilon=max(0.1, 1.0 - episode / 8))
                after, reward, done = env.step(action)
                agent.memory.append((observation, action, reward, after, done))
                if len(agent.memory) >= 2 * FLAGS.batch_size and step % 2 == 0:
                    loss, summary, number = agent.learn()
                    losses.append(loss)
                    writer.add_summary(summary, number)
                observation, total = after, total + reward
                if done:
                    break
            print("episode %d: reward %.2f, %d updates, loss %.7f" % (episode, total, len(losses), np.mean(losses) if losses else 0))
        print("values at the start:", " ".join("%.5f" % q for q in agent.q_eval.eval({agent.s: [env.reset()]})[0]))
        writer.close()


if __name__ == "__main__":
    tf.app.run()
