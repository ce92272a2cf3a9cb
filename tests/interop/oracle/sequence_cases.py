"""Labels of sequences (CTC), and recurrent cells that are one op."""
import numpy as np

from oracle.draw import real
from oracle.tensorflow1 import tf

UNITS, INPUTS, BATCH, STEPS = 3, 2, 2, 4
INDICES = np.array([[0, 0], [0, 1], [1, 0]], np.int64)


def labels(case):
    lengths = np.array([5, 3], np.int32)
    for name, options in (("", {}), (" collapsed", {"preprocess_collapse_repeated": True}), (" not merged", {"ctc_merge_repeated": False}),
                          (" ignoring longer outputs", {"ignore_longer_outputs_than_inputs": True})):
        def loss(x, options=options):
            own = tf.SparseTensor(tf.constant(INDICES), tf.constant(np.array([1, 1, 0], np.int32)), [2, 2])
            return tf.nn.ctc_loss(own, x, lengths, **options)
        case("ctc loss" + name, loss, [real(5, 2, 4)])
    for merge in (True, False):
        case(f"ctc greedy {merge}", lambda x, merge=merge: flat(tf.nn.ctc_greedy_decoder(x, lengths, merge_repeated=merge)), [real(5, 2, 4)], grad=False)
        case(f"ctc beams {merge}", lambda x, merge=merge: flat(tf.nn.ctc_beam_search_decoder(x, lengths, beam_width=6, top_paths=3, merge_repeated=merge)),
             [real(5, 2, 4) * 3], grad=False)
    case("ctc beams of double", lambda x: flat(tf.nn.ctc_beam_search_decoder(x, lengths, beam_width=2)), [(real(5, 2, 4) * 3).astype(np.float64)],
         grad=False)


def flat(decoded):
    paths, score = decoded
    # TensorFlow adds up scores of doubles in float, too.
    return [tf.cast(score, tf.float32), *(part for path in paths for part in (path.indices, path.values, path.dense_shape))]


def cells(case):
    state, weights, vectors, bias = (real(BATCH, UNITS), real(BATCH, UNITS)), real(INPUTS + UNITS, 4 * UNITS), [real(UNITS)] * 3, real(4 * UNITS)
    raw = tf.raw_ops
    for peephole in (False, True):
        def step(x, c, h, w, wci, wcf, wco, b, peephole=peephole):
            return list(raw.LSTMBlockCell(x=x, cs_prev=c, h_prev=h, w=w, wci=wci, wcf=wcf, wco=wco, b=b, use_peephole=peephole, cell_clip=0.5))

        def step_back(x, c, h, w, wci, wcf, wco, b, peephole=peephole):
            out = raw.LSTMBlockCell(x=x, cs_prev=c, h_prev=h, w=w, wci=wci, wcf=wcf, wco=wco, b=b, use_peephole=peephole)
            back = raw.LSTMBlockCellGrad(x=x, cs_prev=c, h_prev=h, w=w, wci=wci, wcf=wcf, wco=wco, b=b, i=out.i, cs=out.cs, f=out.f, o=out.o,
                                         ci=out.ci, co=out.co, cs_grad=c, h_grad=h, use_peephole=peephole)
            return list(back) if peephole else [back.cs_prev_grad, back.dicfo]
        given = [real(BATCH, INPUTS), *state, weights, *vectors, bias]
        case(f"lstm step {peephole}", step, given, grad=False)
        case(f"lstm step back {peephole}", step_back, given, grad=False)

        def all_steps(x, c, h, w, wci, wcf, wco, b, peephole=peephole):
            out = raw.BlockLSTM(seq_len_max=np.int64(STEPS), x=x, cs_prev=c, h_prev=h, w=w, wci=wci, wcf=wcf, wco=wco, b=b, use_peephole=peephole,
                                cell_clip=-1.0)
            return [out.h, out.cs, out.i, out.f, out.o, out.ci, out.co]

        def all_steps_back(x, c, h, w, wci, wcf, wco, b, peephole=peephole):
            out = raw.BlockLSTM(seq_len_max=np.int64(STEPS), x=x, cs_prev=c, h_prev=h, w=w, wci=wci, wcf=wcf, wco=wco, b=b, use_peephole=peephole)
            back = raw.BlockLSTMGrad(seq_len_max=np.int64(STEPS), x=x, cs_prev=c, h_prev=h, w=w, wci=wci, wcf=wcf, wco=wco, b=b, i=out.i, cs=out.cs,
                                     f=out.f, o=out.o, ci=out.ci, co=out.co, h=out.h, cs_grad=out.cs, h_grad=out.h, use_peephole=peephole)
            return list(back) if peephole else [back.x_grad, back.cs_prev_grad, back.h_prev_grad, back.w_grad, back.b_grad]
        given[0] = real(STEPS, BATCH, INPUTS)
        case(f"lstm steps {peephole}", all_steps, given, grad=False)
        case(f"lstm steps back {peephole}", all_steps_back, given, grad=False)

    def gru(x, h, w_ru, w_c, b_ru, b_c):
        out = raw.GRUBlockCell(x=x, h_prev=h, w_ru=w_ru, w_c=w_c, b_ru=b_ru, b_c=b_c)
        return [*out, *raw.GRUBlockCellGrad(x=x, h_prev=h, w_ru=w_ru, w_c=w_c, b_ru=b_ru, b_c=b_c, r=out.r, u=out.u, c=out.c, d_h=h)]
    case("gru step", gru, [real(BATCH, INPUTS), real(BATCH, UNITS), real(INPUTS + UNITS, 2 * UNITS), real(INPUTS + UNITS, UNITS), real(2 * UNITS),
                           real(UNITS)], grad=False)


def make(recorder):
    labels(recorder.case)
    cells(recorder.case)
