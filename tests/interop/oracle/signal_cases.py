"""Fourier transforms, signal processing, linear algebra, distributions and other small modules."""
import numpy as np

from oracle.draw import ints, real
from oracle.tensorflow1 import tf


def complex_values(*shape):
    return (real(*shape) + 1j * real(*shape)).astype(np.complex64)


def make(recorder):
    transforms(recorder.case)
    matrices(recorder.case)
    windows(recorder.case)
    selections(recorder.case)


def transforms(case):
    for dims, name in ((1, ""), (2, "2d"), (3, "3d")):
        for size in (4, 5):
            shape = (2,) * (dims - 1) + (size,)
            case("fft%s %d" % (name, size), getattr(tf.signal, "fft" + name), [complex_values(*shape)])
            case("ifft%s %d" % (name, size), getattr(tf.signal, "ifft" + name), [complex_values(*shape)])
            case("rfft%s %d" % (name, size), getattr(tf.signal, "rfft" + name), [real(*shape)], grad=dims < 3)
            case("irfft%s %d" % (name, size), getattr(tf.signal, "irfft" + name), [complex_values(*shape)], grad=dims < 3)
    case("rfft of a length", lambda x: tf.signal.rfft(x, [8]), [real(2, 5)])
    case("stft", lambda x: tf.abs(tf.signal.stft(x, 8, 3)), [real(2, 30)], static=True)
    case("inverse_stft", lambda x: tf.signal.inverse_stft(x, 8, 3), [complex_values(2, 4, 5)], static=True)
    case("spectrogram", lambda x: tf.raw_ops.AudioSpectrogram(input=x, window_size=8, stride=3), [real(20, 2)], grad=False)
    case("mfcc", lambda x: tf.raw_ops.Mfcc(spectrogram=tf.abs(x), sample_rate=8000, filterbank_channel_count=6, dct_coefficient_count=4),
         [real(1, 2, 17)], grad=False)
    case("wav", lambda x: tf.audio.decode_wav(tf.audio.encode_wav(x, 8000)).audio, [real(5, 2, low=-1, high=1)], grad=False)


def matrices(case):
    square = real(2, 3, 3) + 2 * np.eye(3, dtype=np.float32)
    case("lu", lambda x: tf.linalg.lu(x), [square])
    case("logm", tf.linalg.logm, [(square.astype(np.complex64) + np.eye(3) * 3).astype(np.complex64)], grad=False)
    case("tridiagonal_solve", lambda d, x: tf.linalg.tridiagonal_solve(d, x), [real(2, 3, 4) + np.float32([[0], [3], [0]]), real(2, 4, 2)])
    case("tridiagonal_matmul", lambda d, x: tf.linalg.tridiagonal_matmul(d, x), [real(2, 3, 4), real(2, 4, 2)], static=True)
    for align in ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"):
        for version, options in (("V3", {"align": align}), ("V2", {})):
            op = lambda name, version=version: getattr(tf.raw_ops, name + version)
            label = " %s%s" % (version, align if version == "V3" else "")
            case("matrix_diag" + label, lambda x, op=op, options=options: op("MatrixDiag")(
                diagonal=x, k=[-1, 1], num_rows=-1, num_cols=4, padding_value=0.5, **options), [real(2, 3, 3)])
            case("matrix_diag_part" + label, lambda x, op=op, options=options: op("MatrixDiagPart")(
                input=x, k=[-1, 2], padding_value=0.5, **options), [real(2, 3, 4)])
            case("matrix_set_diag" + label, lambda x, y, op=op, options=options: op("MatrixSetDiag")(
                input=x, diagonal=y, k=[-1, 1], **options), [real(2, 3, 4), real(2, 3, 3)])


def windows(case):
    for padding in ("SAME", "VALID"):
        case("dilation2d " + padding, lambda x, f, padding=padding: tf.nn.dilation2d(
            x, f, strides=[1, 2, 1, 1], rates=[1, 1, 2, 1], padding=padding), [real(2, 6, 5, 2), real(2, 2, 2)])
        case("extract_volume_patches " + padding, lambda x, padding=padding: tf.extract_volume_patches(
            x, [1, 2, 1, 2, 1], [1, 1, 2, 1, 1], padding), [real(1, 3, 3, 4, 2)], static=True)
    for op in ("bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e"):
        case(op, getattr(tf.math, op), [real(3, 4, low=-3, high=3)])
    for exclusive in (False, True):
        case("cumulative_logsumexp %s" % exclusive, lambda x, e=exclusive: tf.math.cumulative_logsumexp(x, 1, exclusive=e, reverse=e), [real(3, 4)],
             grad=not exclusive)
    low, high = np.float32([-0.5, 0, -1]), np.float32([0.5, 3, 1])
    case("fake_quant per channel", lambda x: tf.fake_quant_with_min_max_vars_per_channel(x, low, high, num_bits=4), [real(4, 3)])
    case("fake_quant gradient", lambda x: tf.fake_quant_with_min_max_args_gradient(x, x * 4), [real(4, 3)], grad=False)
    case("fake_quant vars", lambda x: tf.fake_quant_with_min_max_vars(x, -0.5, 0.5), [real(4, 3)])


def selections(case):
    boxes = np.sort(real(12, 2, 2, low=0, high=1), axis=1).reshape(12, 4).astype(np.float32)
    scores = real(12, low=0, high=1)
    case("non_max_suppression_with_scores", lambda b, s: list(tf.image.non_max_suppression_with_scores(b, s, 6, 0.3, 0.1, 0.4)), [boxes, scores],
         grad=False)
    case("non_max_suppression_overlaps", lambda o, s: tf.image.non_max_suppression_overlaps(o, s, 6, 0.5), [real(12, 12, low=0, high=1), scores],
         grad=False)
    case("combined_non_max_suppression", lambda b, s: list(tf.image.combined_non_max_suppression(b, s, 3, 5, 0.4, 0.2)),
         [boxes.reshape(1, 12, 1, 4), real(1, 12, 3, low=0, high=1)], grad=False)
    case("fingerprint", lambda x: tf.fingerprint(x), [ints(3, 4)], grad=False)
