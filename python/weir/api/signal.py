"""Signal processing and audio: tf.signal, tf.spectral, tf.audio and tf.contrib.signal."""

_FFT = {name: f"(input, name=None) op:{name.upper()}" for name in ("fft", "fft2d", "fft3d", "ifft", "ifft2d", "ifft3d")}
_REAL = ["rfft", "rfft2d", "rfft3d", "irfft", "irfft2d", "irfft3d"]
_WINDOWS = ["hann_window", "hamming_window", "kaiser_window", "kaiser_bessel_derived_window", "vorbis_window"]
_FRAMES = {
    "frame": "frame",
    "overlap_and_add": "overlap_and_add",
    "linear_to_mel_weight_matrix": "linear_to_mel_weight_matrix",
    "mfccs_from_log_mel_spectrograms": "mfccs_from_log_mel_spectrograms",
    **{name: f"weir.lib.signal:{name}" for name in ("stft", "inverse_stft", "inverse_stft_window_fn")},
}

NAMES = {
    **_FFT,
    **{f"signal.{name}": entry for name, entry in _FFT.items()},
    **{f"spectral.{name}": entry for name, entry in _FFT.items()},
    **{f"{module}.{name}": name for module in ("signal", "spectral") for name in (*_REAL, "dct", "idct")},
    **{f"signal.{name}": name for name in (*_WINDOWS, "fftshift", "ifftshift")},
    **{f"signal.{name}": entry for name, entry in _FRAMES.items()},
    **{f"contrib.signal.{name}": entry for name, entry in _FRAMES.items()},
    **{f"contrib.signal.{name}": name for name in ("hann_window", "hamming_window")},
    "audio.decode_wav": "op:DecodeWav",
    "audio.encode_wav": "op:EncodeWav",
    "contrib.framework.python.ops.audio_ops": "weir.ops.gen:",
    "python.ops.gen_audio_ops": "weir.ops.gen:",
    "python.ops.gen_spectral_ops": "weir.ops.gen:",
    "python.ops.signal.signal.*": "=signal.",
}
