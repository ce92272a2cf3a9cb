// TensorFlow's signal processing: transforms, windows, frames and the mel scale. Errors are recorded in the graph's
// build state; the result is then invalid. An empty name means TensorFlow's default. Lengths are int32 scalars.
#pragma once

#include <functional>
#include <optional>

#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

// The transform of real values along the last `dims` dimensions, or its inverse. Pads the input with zeros to
// `fft_length`, which is by default the size of the input.
Output RealFourierTransform(Graph& graph, const Input& x, const Input& fft_length, int dims, bool inverse,
                            std::string name = "");

// Rolls dimensions by half of their size, so that frequency 0 is in the middle; or back. Without axes: all of them.
Output ShiftFrequencies(Graph& graph, const Input& x, std::optional<std::vector<int64_t>> axes, bool inverse,
                        std::string name = "");

// Cosine transforms of type 1 to 4 along the last dimension, which is cropped or padded to `n` if given.
struct CosineTransform {
  int type = 2;
  std::optional<int64_t> n;
  bool orthonormal = false;
};
Output CosineTransformOf(Graph& graph, const Input& x, CosineTransform how, std::string name = "");
Output InverseCosineTransformOf(Graph& graph, const Input& x, CosineTransform how, std::string name = "");

// Overlapping windows along `axis`: [..., samples, ...] -> [..., frames, frame_length, ...].
Output FrameSignal(Graph& graph, const Input& signal, const Input& frame_length, const Input& frame_step,
                   bool pad_end = false, const Input& pad_value = 0, int64_t axis = -1, std::string name = "");
// The inverse: sums up the frames. [..., frames, frame_length] -> [..., samples]
Output OverlapAndAdd(Graph& graph, const Input& frames, const Input& frame_step, std::string name = "");

// offset - (1 - offset) cos(...): Hann's window for 0.5, Hamming's for 0.54.
Output CosineWindow(Graph& graph, double offset, const Input& length, const Input& periodic, DType dtype,
                    std::string name);
Output KaiserWindow(Graph& graph, const Input& length, const Input& beta, DType dtype, std::string name = "");
Output KaiserBesselDerivedWindow(Graph& graph, const Input& length, const Input& beta, DType dtype,
                                 std::string name = "");
Output VorbisWindow(Graph& graph, const Input& length, DType dtype, std::string name = "");

// Returns a window of the given length. An empty function means no window.
using WindowFunction = std::function<Result<Output>(const Input& length, DType dtype)>;
Output ShortTimeFourierTransform(Graph& graph, const Input& signals, const Input& frame_length, const Input& frame_step,
                                 const Input& fft_length, const WindowFunction& window, bool pad_end = false,
                                 std::string name = "");
Output InverseShortTimeFourierTransform(Graph& graph, const Input& stfts, const Input& frame_length,
                                        const Input& frame_step, const Input& fft_length, const WindowFunction& window,
                                        std::string name = "");
// The window of the inverse transform that reconstructs the signal exactly.
Output InverseWindow(Graph& graph, const Input& frame_step, const WindowFunction& forward, const Input& frame_length,
                     DType dtype, std::string name = "");

struct MelScale {
  Input num_mel_bins = 20;
  Input num_spectrogram_bins = 129;
  Input sample_rate = 8000;
  Input lower_edge_hertz = 125.0;
  Input upper_edge_hertz = 3800.0;
};
// [num_spectrogram_bins, num_mel_bins]
Output LinearToMelWeights(Graph& graph, const MelScale& scale, DType dtype = kFloat, std::string name = "");
Output MelCepstrum(Graph& graph, const Input& log_mel_spectrograms, std::string name = "");

}  // namespace weir
