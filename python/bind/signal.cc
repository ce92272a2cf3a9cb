// tf.signal: transforms, windows, frames and the mel scale.
#include "graph/compose/signal.h"

#include "bind/arguments.h"
#include "graph/compose/dims.h"

namespace weir::python {
namespace {

// A Python function of a window's length, called as window_fn(length, dtype=dtype).
WindowFunction WindowFunctionFrom(const py::object& function) {
  if (function.is_none()) return nullptr;
  return [function](const Input& length, DType dtype) -> Result<Output> {
    return CatchExceptions([&]() -> Result<Output> {
      const py::object window = function(Wrap(length.output()), py::arg("dtype") = DTypeObjectOf(dtype));
      return ValueOf(length.output().graph(), InputFrom(window), dtype, "window");
    });
  };
}

std::optional<std::vector<int64_t>> ShiftAxesFrom(const py::object& axes) {
  if (axes.is_none()) return std::nullopt;
  return IntsFrom(axes);
}

void BindTransforms(py::module_& m) {
  using Transform = Output (*)(Graph&, Input, Input, Name);
  const std::pair<const char*, Transform> transforms[] = {
      {"rfft",
       [](Graph& g, Input x, Input n, Name name) { return RealFourierTransform(g, x, n, 1, false, name.text); }},
      {"rfft2d",
       [](Graph& g, Input x, Input n, Name name) { return RealFourierTransform(g, x, n, 2, false, name.text); }},
      {"rfft3d",
       [](Graph& g, Input x, Input n, Name name) { return RealFourierTransform(g, x, n, 3, false, name.text); }},
      {"irfft",
       [](Graph& g, Input x, Input n, Name name) { return RealFourierTransform(g, x, n, 1, true, name.text); }},
      {"irfft2d",
       [](Graph& g, Input x, Input n, Name name) { return RealFourierTransform(g, x, n, 2, true, name.text); }},
      {"irfft3d",
       [](Graph& g, Input x, Input n, Name name) { return RealFourierTransform(g, x, n, 3, true, name.text); }},
  };
  for (const auto& [name, function] : transforms)
    Def(m, name, function, py::arg("input_tensor"), py::arg("fft_length") = py::none(), py::arg("name") = py::none());
  using Shift = Output (*)(Graph&, Input, py::object, Name);
  const std::pair<const char*, Shift> shifts[] = {
      {"fftshift",
       [](Graph& g, Input x, py::object a, Name n) { return ShiftFrequencies(g, x, ShiftAxesFrom(a), false, n.text); }},
      {"ifftshift",
       [](Graph& g, Input x, py::object a, Name n) { return ShiftFrequencies(g, x, ShiftAxesFrom(a), true, n.text); }},
  };
  for (const auto& [name, function] : shifts)
    Def(m, name, function, py::arg("x"), py::arg("axes") = py::none(), py::arg("name") = py::none());
}

CosineTransform CosineFrom(int type, std::optional<int64_t> n, int64_t axis, const std::optional<std::string>& norm) {
  if (axis != -1) Check(Unimplemented("axis must be -1. Got: {}", axis));
  if (norm && *norm != "ortho")
    RaiseValue(fmt::format("Unknown normalization. Expected None or 'ortho', got: {}", *norm));
  return {.type = type, .n = n, .orthonormal = norm.has_value()};
}

void BindCosines(py::module_& m) {
  using Function = Output (*)(Graph&, Input, int, std::optional<int64_t>, int64_t, std::optional<std::string>, Name);
  const std::pair<const char*, Function> functions[] = {
      {"dct", [](Graph& g, Input x, int type, std::optional<int64_t> n, int64_t axis, std::optional<std::string> norm,
                 Name name) { return CosineTransformOf(g, x, CosineFrom(type, n, axis, norm), name.text); }},
      {"idct", [](Graph& g, Input x, int type, std::optional<int64_t> n, int64_t axis, std::optional<std::string> norm,
                  Name name) { return InverseCosineTransformOf(g, x, CosineFrom(type, n, axis, norm), name.text); }},
  };
  for (const auto& [name, function] : functions)
    Def(m, name, function, py::arg("input"), py::arg("type") = 2, py::arg("n") = py::none(), py::arg("axis") = -1,
        py::arg("norm") = py::none(), py::arg("name") = py::none());
}

void BindWindows(py::module_& m) {
  using Window = Output (*)(Graph&, Input, Input, DType, Name);
  const std::pair<const char*, Window> cosines[] = {
      {"hann_window",
       [](Graph& g, Input length, Input periodic, DType dtype, Name n) {
         return CosineWindow(g, 0.5, length, periodic, dtype, n.given() ? n.text : "hann_window");
       }},
      {"hamming_window",
       [](Graph& g, Input length, Input periodic, DType dtype, Name n) {
         return CosineWindow(g, 0.54, length, periodic, dtype, n.given() ? n.text : "hamming_window");
       }},
  };
  for (const auto& [name, function] : cosines)
    Def(m, name, function, py::arg("window_length"), py::arg("periodic") = true, py::arg("dtype") = "float32",
        py::arg("name") = py::none());
  const std::pair<const char*, Window> kaisers[] = {
      {"kaiser_window", [](Graph& g, Input length, Input beta, DType dtype,
                           Name n) { return KaiserWindow(g, length, beta, dtype, n.text); }},
      {"kaiser_bessel_derived_window",
       [](Graph& g, Input length, Input beta, DType dtype, Name n) {
         return KaiserBesselDerivedWindow(g, length, beta, dtype, n.text);
       }},
  };
  for (const auto& [name, function] : kaisers)
    Def(m, name, function, py::arg("window_length"), py::arg("beta") = 12.0, py::arg("dtype") = "float32",
        py::arg("name") = py::none());
  Def(
      m, "vorbis_window",
      +[](Graph& g, Input length, DType dtype, Name n) { return VorbisWindow(g, length, dtype, n.text); },
      py::arg("window_length"), py::arg("dtype") = "float32", py::arg("name") = py::none());
}

void BindFrames(py::module_& m) {
  Def(
      m, "frame",
      +[](Graph& g, Input signal, Input length, Input step, bool pad_end, Input pad_value, int64_t axis, Name n) {
        return FrameSignal(g, signal, length, step, pad_end, pad_value, axis, n.text);
      },
      py::arg("signal"), py::arg("frame_length"), py::arg("frame_step"), py::arg("pad_end") = false,
      py::arg("pad_value") = 0, py::arg("axis") = -1, py::arg("name") = py::none());
  Def(
      m, "overlap_and_add",
      +[](Graph& g, Input signal, Input step, Name n) { return OverlapAndAdd(g, signal, step, n.text); },
      py::arg("signal"), py::arg("frame_step"), py::arg("name") = py::none());
  Def(
      m, "stft",
      +[](Graph& g, Input signals, Input length, Input step, Input fft_length, py::object window, bool pad_end,
          Name n) {
        return ShortTimeFourierTransform(g, signals, length, step, fft_length, WindowFunctionFrom(window), pad_end,
                                         n.text);
      },
      py::arg("signals"), py::arg("frame_length"), py::arg("frame_step"), py::arg("fft_length"), py::arg("window_fn"),
      py::arg("pad_end") = false, py::arg("name") = py::none());
  Def(
      m, "inverse_stft",
      +[](Graph& g, Input stfts, Input length, Input step, Input fft_length, py::object window, Name n) {
        return InverseShortTimeFourierTransform(g, stfts, length, step, fft_length, WindowFunctionFrom(window), n.text);
      },
      py::arg("stfts"), py::arg("frame_length"), py::arg("frame_step"), py::arg("fft_length"), py::arg("window_fn"),
      py::arg("name") = py::none());
  Def(
      m, "inverse_window",
      +[](Graph& g, Input step, py::object forward, Input length, DType dtype, Name n) {
        return InverseWindow(g, step, WindowFunctionFrom(forward), length, dtype, n.text);
      },
      py::arg("frame_step"), py::arg("forward_window_fn"), py::arg("frame_length"), py::arg("dtype"),
      py::arg("name") = py::none());
}

}  // namespace

void BindSignal(py::module_& m) {
  BindTransforms(m);
  BindCosines(m);
  BindWindows(m);
  BindFrames(m);
  Def(
      m, "linear_to_mel_weight_matrix",
      +[](Graph& g, Input mel_bins, Input bins, Input rate, Input low, Input high, DType dtype, Name n) {
        return LinearToMelWeights(g, {mel_bins, bins, rate, low, high}, dtype, n.text);
      },
      py::arg("num_mel_bins") = 20, py::arg("num_spectrogram_bins") = 129, py::arg("sample_rate") = 8000,
      py::arg("lower_edge_hertz") = 125.0, py::arg("upper_edge_hertz") = 3800.0, py::arg("dtype") = "float32",
      py::arg("name") = py::none());
  Def(
      m, "mfccs_from_log_mel_spectrograms", +[](Graph& g, Input x, Name n) { return MelCepstrum(g, x, n.text); },
      py::arg("log_mel_spectrograms"), py::arg("name") = py::none());
}

}  // namespace weir::python
