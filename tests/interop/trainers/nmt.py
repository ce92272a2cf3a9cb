"""Neural machine translation: a bidirectional encoder, a decoder with attention, and beam search."""
from __future__ import print_function

import os

import numpy as np
import tensorflow as tf
from tensorflow.contrib import lookup as lookup_ops
from tensorflow.contrib import seq2seq

tf.flags.DEFINE_string("hparams", "", "comma-separated name=value pairs")
tf.flags.DEFINE_string("out_dir", "nmt_model", "Store log/model files.")
FLAGS = tf.flags.FLAGS
UNK, SOS, EOS = "<unk>", "<s>", "</s>"
WORDS = ["a", "b", "c", "d", "e"]


def create_hparams():
    return tf.contrib.training.HParams(
        num_units=12, num_train_steps=20, batch_size=8, learning_rate=0.5, decay_steps=5, decay_factor=0.8, start_decay_step=10,
        max_gradient_norm=5.0, init_weight=0.3, beam_width=3, length_penalty_weight=0.5, tgt_max_len_infer=8, optimizer="sgd").parse(FLAGS.hparams)


def write_text():
    """The target language says the words of the source backwards, in capital letters."""
    rng = np.random.RandomState(11)
    for name, count in (("train", 64), ("test", 6)):
        with tf.gfile.GFile("%s.src" % name, "w") as src, tf.gfile.GFile("%s.tgt" % name, "w") as tgt:
            for _ in range(count):
                words = [WORDS[i] for i in rng.randint(len(WORDS), size=rng.randint(2, 6))]
                src.write(" ".join(words) + "\n")
                tgt.write(" ".join(word.upper() for word in reversed(words)) + "\n")
    for name, words in (("vocab.src", WORDS), ("vocab.tgt", [word.upper() for word in WORDS])):
        with tf.gfile.GFile(name, "w") as f:
            f.write("\n".join([UNK, SOS, EOS] + words) + "\n")


def get_iterator(hparams, src_table, tgt_table):
    src_dataset, tgt_dataset = tf.data.TextLineDataset("train.src"), tf.data.TextLineDataset("train.tgt")
    sos, eos = (tf.cast(tgt_table.lookup(tf.constant(word)), tf.int32) for word in (SOS, EOS))
    src_eos = tf.cast(src_table.lookup(tf.constant(EOS)), tf.int32)
    dataset = tf.data.Dataset.zip((src_dataset, tgt_dataset)).repeat()
    dataset = dataset.map(lambda src, tgt: (tf.string_split([src]).values, tf.string_split([tgt]).values), num_parallel_calls=2).prefetch(16)
    dataset = dataset.filter(lambda src, tgt: tf.logical_and(tf.size(src) > 0, tf.size(tgt) > 0))
    dataset = dataset.map(lambda src, tgt: (tf.cast(src_table.lookup(src), tf.int32), tf.cast(tgt_table.lookup(tgt), tf.int32)))
    dataset = dataset.map(lambda src, tgt: (src, tf.concat(([sos], tgt), 0), tf.concat((tgt, [eos]), 0)))
    dataset = dataset.map(lambda src, tgt_in, tgt_out: (src, tgt_in, tgt_out, tf.size(src), tf.size(tgt_in)))

    def batching_func(x):
        shapes = (tf.TensorShape([None]), tf.TensorShape([None]), tf.TensorShape([None]), tf.TensorShape([]), tf.TensorShape([]))
        return x.padded_batch(hparams.batch_size, padded_shapes=shapes, padding_values=(src_eos, eos, eos, 0, 0))

    dataset = dataset.apply(tf.data.experimental.group_by_window(
        key_func=lambda *parts: tf.to_int64(parts[3] // 3), reduce_func=lambda _, window: batching_func(window), window_size=hparams.batch_size))
    iterator = dataset.make_initializable_iterator()
    return iterator.initializer, iterator.get_next()


class Model(object):
    def __init__(self, hparams, mode, source, source_length, target_input=None, target_output=None, target_length=None, tgt_table=None):
        train = mode == tf.contrib.learn.ModeKeys.TRAIN
        self.hparams, batch_size = hparams, tf.size(source_length)
        units = hparams.num_units
        tf.get_variable_scope().set_initializer(tf.random_uniform_initializer(-hparams.init_weight, hparams.init_weight, seed=1))
        with tf.variable_scope("embeddings", dtype=tf.float32):
            embedding_encoder = tf.get_variable("embedding_encoder", [len(WORDS) + 3, units])
            embedding_decoder = tf.get_variable("embedding_decoder", [len(WORDS) + 3, units])
        with tf.variable_scope("build_network"):
            output_layer = tf.layers.Dense(len(WORDS) + 3, use_bias=False, name="output_projection")
        with tf.variable_scope("encoder"):
            inputs = tf.nn.embedding_lookup(embedding_encoder, source)
            cells = [tf.nn.rnn_cell.BasicLSTMCell(units, forget_bias=1.0) for _ in range(2)]
            outputs, states = tf.nn.bidirectional_dynamic_rnn(cells[0], cells[1], inputs, source_length, dtype=tf.float32)
            memory, encoder_state = tf.concat(outputs, -1), states[1]
        with tf.variable_scope("decoder") as scope:
            if not train:
                memory, source_length, encoder_state = (seq2seq.tile_batch(x, hparams.beam_width) for x in (memory, source_length, encoder_state))
                batch_size *= hparams.beam_width
            attention = seq2seq.LuongAttention(units, memory, memory_sequence_length=source_length, scale=True)
            cell = seq2seq.AttentionWrapper(tf.nn.rnn_cell.BasicLSTMCell(units, forget_bias=1.0), attention, attention_layer_size=units)
            state = cell.zero_state(batch_size, tf.float32).clone(cell_state=encoder_state)
            if not train:
                start_tokens = tf.fill([batch_size // hparams.beam_width], 1)
                decoder = seq2seq.BeamSearchDecoder(cell=cell, embedding=embedding_decoder, start_tokens=start_tokens, end_token=2, initial_state=state,
                                                    beam_width=hparams.beam_width, output_layer=output_layer,
                                                    length_penalty_weight=hparams.length_penalty_weight)
                outputs, _, self.lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=hparams.tgt_max_len_infer, output_time_major=False, scope=scope)
                self.sample_words = tgt_table.lookup(tf.to_int64(outputs.predicted_ids))
                self.saver = tf.train.Saver(tf.global_variables())
                return
            helper = seq2seq.TrainingHelper(tf.nn.embedding_lookup(embedding_decoder, target_input), target_length)
            decoder = seq2seq.BasicDecoder(cell, helper, state)
            outputs, _, _ = seq2seq.dynamic_decode(decoder, swap_memory=True, impute_finished=True, scope=scope)
            logits = output_layer(outputs.rnn_output)
        crossent = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target_output, logits=logits)
        weights = tf.sequence_mask(target_length, tf.shape(target_output)[1], dtype=tf.float32)
        self.loss = tf.reduce_sum(crossent * weights) / tf.to_float(batch_size)
        self.word_loss = seq2seq.sequence_loss(logits, target_output, weights)
        self.global_step = tf.Variable(0, trainable=False, name="global_step")
        rate = tf.constant(hparams.learning_rate)
        self.learning_rate = tf.cond(
            self.global_step < hparams.start_decay_step, lambda: rate,
            lambda: tf.train.exponential_decay(rate, self.global_step - hparams.start_decay_step, hparams.decay_steps, hparams.decay_factor, staircase=True),
            name="learning_rate_decay_cond")
        params = tf.trainable_variables()
        clipped, self.grad_norm = tf.clip_by_global_norm(tf.gradients(self.loss, params, colocate_gradients_with_ops=True), hparams.max_gradient_norm)
        self.update = tf.train.GradientDescentOptimizer(self.learning_rate).apply_gradients(zip(clipped, params), global_step=self.global_step)
        self.train_summary = tf.summary.merge([tf.summary.scalar("lr", self.learning_rate), tf.summary.scalar("train_loss", self.loss)])
        self.saver = tf.train.Saver(tf.global_variables())


def train(hparams):
    with tf.Graph().as_default():
        src_table, tgt_table = (lookup_ops.index_table_from_file(name, default_value=0) for name in ("vocab.src", "vocab.tgt"))
        initializer, (src, tgt_in, tgt_out, src_len, tgt_len) = get_iterator(hparams, src_table, tgt_table)
        model = Model(hparams, tf.contrib.learn.ModeKeys.TRAIN, src, src_len, tgt_in, tgt_out, tgt_len)
        with tf.Session() as sess, tf.summary.FileWriter(os.path.join(FLAGS.out_dir, "train_log"), sess.graph) as writer:
            sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
            sess.run(initializer)
            for _ in range(hparams.num_train_steps):
                _, loss, word_loss, norm, rate, step, summary = sess.run(
                    [model.update, model.loss, model.word_loss, model.grad_norm, model.learning_rate, model.global_step, model.train_summary])
                writer.add_summary(summary, step)
                print("loss %.5f, per word %.5f, gnorm %.5f, rate %.5f" % (loss, word_loss, norm, rate))
            model.saver.save(sess, os.path.join(FLAGS.out_dir, "translate.ckpt"), global_step=model.global_step)


def infer(hparams):
    with tf.Graph().as_default():
        src_table = lookup_ops.index_table_from_file("vocab.src", default_value=0)
        reverse_tgt_table = lookup_ops.index_to_string_table_from_file("vocab.tgt", default_value=UNK)
        dataset = tf.data.TextLineDataset("test.src").map(lambda src: tf.cast(src_table.lookup(tf.string_split([src]).values), tf.int32))
        dataset = dataset.map(lambda src: (src, tf.size(src))).padded_batch(6, padded_shapes=(tf.TensorShape([None]), tf.TensorShape([])), padding_values=(2, 0))
        iterator = dataset.make_initializable_iterator()
        model = Model(hparams, tf.contrib.learn.ModeKeys.INFER, *iterator.get_next(), tgt_table=reverse_tgt_table)
        with tf.Session() as sess:
            sess.run(tf.tables_initializer())
            model.saver.restore(sess, tf.train.latest_checkpoint(FLAGS.out_dir))
            sess.run(iterator.initializer)
            words, lengths = sess.run([model.sample_words, model.lengths])
            for line, sentence in zip(tf.gfile.GFile("test.src"), words):
                beams = [b" ".join(beam).decode().partition(" " + EOS)[0] for beam in sentence.T]
                print("%s -> %s" % (line.strip(), beams))
            print("lengths", lengths.tolist())


def main(_):
    tf.gfile.MakeDirs(FLAGS.out_dir)
    write_text()
    hparams = create_hparams()
    print(sorted(hparams.values().items()))
    train(hparams)
    infer(hparams)


if __name__ == "__main__":
    tf.app.run()
