"""Functions of tf.signal that take a window function."""
from weir import _weir
from weir._weir import hann_window


def stft(signals, frame_length, frame_step, fft_length=None, window_fn=hann_window, pad_end=False, name=None):
    """The short-time Fourier transform: [..., samples] -> [..., frames, fft_length / 2 + 1]."""
    return _weir.stft(signals, frame_length, frame_step, fft_length, window_fn, pad_end, name)


def inverse_stft(stfts, frame_length, frame_step, fft_length=None, window_fn=hann_window, name=None):
    """Adds up the windowed frames of a short-time Fourier transform: [..., frames, fft_length / 2 + 1] -> [..., samples]."""
    return _weir.inverse_stft(stfts, frame_length, frame_step, fft_length, window_fn, name)


def inverse_stft_window_fn(frame_step, forward_window_fn=hann_window, name=None):
    """Returns the window function for inverse_stft that reconstructs the signal."""
    def inverse_stft_window_fn_inner(frame_length, dtype):
        return _weir.inverse_window(frame_step, forward_window_fn, frame_length, dtype, name)
    return inverse_stft_window_fn_inner
