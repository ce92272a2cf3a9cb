#include "graph/compose/signal.h"

#include <cmath>
#include <numbers>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/build/signal_ops.h"
#include "graph/compose/array.h"
#include "graph/compose/dims.h"
#include "graph/compose/math.h"
#include "graph/compose/names.h"
#include "graph/node_builder.h"

namespace weir {
namespace {

constexpr double kPiOfSignals = std::numbers::pi;

DType ComplexTypeOf(DType real) { return real == kDouble ? kComplex128 : kComplex64; }
DType RealTypeOf(DType complex) { return complex == kComplex128 ? kDouble : kFloat; }

Output ConstantOf(Graph& graph, double value, DType dtype) { return ValueOf(graph, Input(value), dtype, "Const"); }

// Elements [begin, end) of the last dimension; end 0: all from begin on.
Output LastElements(Graph& graph, Output x, const Input& begin, const Input& end, int64_t stride = 1) {
  const auto pair = [&](const Input& v) { return raw_ops::Pack(graph, {Input(0), v}); };
  const bool to_end = end.absent();
  return raw_ops::StridedSlice(graph, x, pair(begin), pair(to_end ? Input(0) : end),
                               pair(Input(static_cast<int>(stride))), {.end_mask = to_end ? 2 : 0, .ellipsis_mask = 1});
}

// The size of dimension `axis` (from the end, if negative) as an int32 scalar.
Output SizeOfAxis(Graph& graph, Output x, int64_t axis) {
  const PartialShape shape = x.shape();
  if (shape.known_rank()) {
    const int at = static_cast<int>(axis < 0 ? axis + shape.rank() : axis);
    if (at >= 0 && at < shape.rank() && shape[at] >= 0)
      return Constant(graph, Tensor::Scalar<int32_t>(static_cast<int32_t>(shape[at])));
  }
  const auto from = static_cast<int>(axis);
  return raw_ops::StridedSlice(graph, ShapeValue(graph, x), {from}, {from == -1 ? 0 : from + 1}, {1},
                               {.end_mask = from == -1 ? 1 : 0, .shrink_axis_mask = 1});
}

// 0, 1, ... length - 1 as floats.
Output FloatRange(Graph& graph, Output length, DType dtype) {
  return CastValue(graph, raw_ops::Range(graph, 0, length, 1), dtype);
}

}  // namespace

// --- transforms of real values ---

namespace {

// Pads the last `dims` dimensions with zeros to the input size of a transform of length `fft_length`.
Output PadForTransform(Graph& graph, Output x, Output fft_length, int dims, bool inverse) {
  Output needed = fft_length;
  if (inverse) {
    const Output last = raw_ops::GatherV2(graph, fft_length, dims - 1, 0);
    const Output half = raw_ops::Reshape(graph, raw_ops::FloorDiv(graph, last, 2) + 1, {1});
    // A transform of length 0 needs no input.
    const Output none = raw_ops::Reshape(graph, raw_ops::Sign(graph, last), {1});
    needed = half * none;
    if (dims > 1) needed = raw_ops::ConcatV2(graph, {raw_ops::Slice(graph, fft_length, {0}, {dims - 1}), needed}, 0);
  }
  const Output shape = ShapeValue(graph, x);
  const Output sizes = raw_ops::StridedSlice(graph, shape, {-dims}, {0}, {1}, {.end_mask = 1});
  const Output outer = raw_ops::StridedSlice(graph, shape, {0}, {-dims}, {1}, {.begin_mask = 1});
  const Output missing = raw_ops::Maximum(graph, needed - sizes, 0);
  if (const Tensor value = graph.ConstantValue(missing); value.valid()) {
    bool any = false;
    for (const int64_t n : value.Ints()) any = any || n != 0;
    if (!any) return x;
  }
  const Output after = raw_ops::ConcatV2(graph, {raw_ops::ZerosLike(graph, outer), missing}, 0);
  return raw_ops::Pad(graph, x, raw_ops::Pack(graph, {raw_ops::ZerosLike(graph, after), after}, {.axis = 1}));
}

}  // namespace

Output RealFourierTransform(Graph& graph, const Input& x_in, const Input& length_in, int dims, bool inverse,
                            std::string name) {
  const std::string suffix = dims == 1 ? "" : std::to_string(dims) + "d";
  NameScope scope(graph, NameOrDefault(std::move(name), (inverse ? "irfft" : "rfft") + suffix));
  Output x = ValueOf(graph, x_in, kInvalidType, "input");
  if (!x.valid()) return x;
  if (!inverse && x.base_dtype() != kFloat && x.base_dtype() != kDouble)
    return FailedOutput(graph,
                        InvalidArgument("RFFT requires tf.float32 or tf.float64 inputs, got: {}", x.base_dtype()));
  if (inverse && !IsComplex(x.base_dtype()))
    return FailedOutput(graph, InvalidArgument("IRFFT requires complex inputs, got: {}", x.base_dtype()));
  if (x.shape().known_rank() && x.shape().rank() < dims)
    return FailedOutput(graph,
                        InvalidArgument("Shape must be at least rank {} but is rank {}", dims, x.shape().rank()));
  Output length;
  if (!length_in.absent()) {
    length = ValueOf(graph, length_in, kInt32, "fft_length");
    if (!length.valid()) return length;
    x = PadForTransform(graph, x, length, dims, inverse);
  } else {
    OutputList sizes;
    for (int i = 0; i < dims; ++i) sizes.push_back(SizeOfAxis(graph, x, i - dims));
    if (inverse) sizes.back() = raw_ops::Maximum(graph, 2 * (sizes.back() - 1), 0);
    length = raw_ops::Pack(graph, InputList(sizes.begin(), sizes.end()));
    if (const Tensor value = graph.ConstantValue(length); value.valid()) length = Constant(graph, value);
  }
  const std::string exact = ExactScopeName(scope);
  if (inverse) {
    const DType real = RealTypeOf(x.base_dtype());
    return dims == 1   ? raw_ops::IRFFT(graph, x, length, {.Treal = real, .name = exact})
           : dims == 2 ? raw_ops::IRFFT2D(graph, x, length, {.Treal = real, .name = exact})
                       : raw_ops::IRFFT3D(graph, x, length, {.Treal = real, .name = exact});
  }
  const DType complex = ComplexTypeOf(x.base_dtype());
  return dims == 1   ? raw_ops::RFFT(graph, x, length, {.Tcomplex = complex, .name = exact})
         : dims == 2 ? raw_ops::RFFT2D(graph, x, length, {.Tcomplex = complex, .name = exact})
                     : raw_ops::RFFT3D(graph, x, length, {.Tcomplex = complex, .name = exact});
}

Output ShiftFrequencies(Graph& graph, const Input& x_in, std::optional<std::vector<int64_t>> axes, bool inverse,
                        std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), inverse ? "ifftshift" : "fftshift"));
  Output x = ValueOf(graph, x_in, kInvalidType, "x");
  if (!x.valid()) return x;
  const Output shape = ShapeValue(graph, x);
  Output shifts = shape, along;
  if (axes) {
    along = ValueOf(graph, Input(*axes), kInt32, "axes");
    // Negative axes count from the end.
    const Output rank = RankValue(graph, x);
    along = raw_ops::FloorMod(graph, along, rank);
    shifts = raw_ops::GatherV2(graph, shape, along, 0);
  } else {
    along = raw_ops::Range(graph, 0, RankValue(graph, x), 1);
  }
  const Output half = raw_ops::FloorDiv(graph, shifts, 2);
  return raw_ops::Roll(graph, x, inverse ? -half : half, along, {.name = ExactScopeName(scope)});
}

// --- cosine transforms ---

namespace {

// 2 e^(sign i pi k / (2 n)) for k in [0, n).
Output QuarterTurns(Graph& graph, Output n, DType real, double sign) {
  const Output angle = FloatRange(graph, n, real) * (sign * kPiOfSignals / 2) / CastValue(graph, n, real);
  const Output turns =
      raw_ops::Complex(graph, raw_ops::Cos(graph, angle), raw_ops::Sin(graph, angle), {.Tout = ComplexTypeOf(real)});
  return turns + turns;
}

// [first, rest, rest, ...] of length n.
Output FirstAndRest(Graph& graph, Output n, Output first, Output rest) {
  const Output k = raw_ops::Range(graph, 0, n, 1);
  const Output ones = raw_ops::OnesLike(graph, CastValue(graph, k, first.base_dtype()));
  return raw_ops::Select(graph, raw_ops::Equal(graph, k, 0), ones * first, ones * rest);
}

Output CosineTransformOfType(Graph& graph, Output x, int type, bool orthonormal) {
  const DType real = x.base_dtype();
  const Output n = SizeOfAxis(graph, x, -1), size = CastValue(graph, n, real);
  const auto vector = [&](Output v) { return raw_ops::Reshape(graph, v, {1}); };
  switch (type) {
    case 1: {
      const Output mirrored = raw_ops::StridedSlice(graph, x, {0, -2}, {0, 0}, {1, -1}, {.ellipsis_mask = 1});
      return RealPart(graph, RealFourierTransform(graph, raw_ops::ConcatV2(graph, {x, mirrored}, -1), {}, 1, false));
    }
    case 2: {
      const Output spectrum = RealFourierTransform(graph, x, vector(2 * n), 1, false);
      Output y = RealPart(graph, LastElements(graph, spectrum, 0, n) * QuarterTurns(graph, n, real, -1));
      if (!orthonormal) return y;
      const Output first = 0.5 * raw_ops::Rsqrt(graph, size);
      return y * FirstAndRest(graph, n, first, first * std::numbers::sqrt2);
    }
    case 3: {
      const Output root = raw_ops::Sqrt(graph, size);
      x = orthonormal ? x * FirstAndRest(graph, n, root, root * std::sqrt(0.5)) : x * size;
      const Output spectrum = QuarterTurns(graph, n, real, 1) *
                              raw_ops::Complex(graph, x, raw_ops::ZerosLike(graph, x), {.Tout = ComplexTypeOf(real)});
      return LastElements(graph, RealFourierTransform(graph, spectrum, vector(2 * n), 1, true), 0, n);
    }
    default: {
      // The odd elements of the transform of type 2 of twice the length.
      const Output zeros = raw_ops::ZerosLike(graph, x);
      const Output longer = CosineTransformOfType(graph, raw_ops::ConcatV2(graph, {x, zeros}, -1), 2, false);
      const Output y = LastElements(graph, longer, 1, {}, 2);
      return orthonormal ? y * (raw_ops::Rsqrt(graph, size) * std::sqrt(0.5)) : y;
    }
  }
}

// Crops or pads the last dimension.
Output CroppedOrPadded(Graph& graph, Output x, int64_t n) {
  const Output cropped = LastElements(graph, x, 0, Input(static_cast<int>(n)));
  const Output missing = raw_ops::Reshape(graph, static_cast<int>(n) - SizeOfAxis(graph, cropped, -1), {1});
  const Output outer =
      raw_ops::ZerosLike(graph, raw_ops::StridedSlice(graph, ShapeValue(graph, x), {0}, {-1}, {1}, {.begin_mask = 1}));
  const Output after = raw_ops::ConcatV2(graph, {outer, missing}, 0);
  return raw_ops::Pad(graph, cropped, raw_ops::Pack(graph, {raw_ops::ZerosLike(graph, after), after}, {.axis = 1}));
}

}  // namespace

Output CosineTransformOf(Graph& graph, const Input& x_in, CosineTransform how, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "dct"));
  Output x = ValueOf(graph, x_in, kInvalidType, "input");
  if (!x.valid()) return x;
  const auto fail = [&](const Status& status) { return FailedOutput(graph, status); };
  if (x.base_dtype() != kFloat && x.base_dtype() != kDouble)
    return fail(InvalidArgument("the input of a cosine transform must be float32 or float64, not {}", x.base_dtype()));
  if (how.type < 1 || how.type > 4)
    return fail(InvalidArgument("Types I, II, III and IV (I)DCT are supported, not {}", how.type));
  if (how.type == 1 && how.orthonormal)
    return fail(InvalidArgument("Normalization is not supported for the Type-I DCT."));
  if (how.n) {
    if (*how.n < 1) return fail(InvalidArgument("n should be a positive integer or None, got {}", *how.n));
    x = CroppedOrPadded(graph, x, *how.n);
  }
  const int64_t size =
      x.valid() && x.shape().known_rank() && x.shape().rank() > 0 ? x.shape()[x.shape().rank() - 1] : kUnknownDim;
  if (how.type == 1 && (size == 0 || size == 1))
    return fail(InvalidArgument("Type-I DCT requires the dimension to be greater than one."));
  return raw_ops::Identity(graph, CosineTransformOfType(graph, x, how.type, how.orthonormal),
                           {.name = ExactScopeName(scope)});
}

Output InverseCosineTransformOf(Graph& graph, const Input& x, CosineTransform how, std::string name) {
  if (how.type == 2 || how.type == 3) how.type = 5 - how.type;
  return CosineTransformOf(graph, x, how, NameOrDefault(std::move(name), "idct"));
}

// --- frames ---

Output FrameSignal(Graph& graph, const Input& signal_in, const Input& length_in, const Input& step_in, bool pad_end,
                   const Input& pad_value, int64_t axis, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "frame"));
  Output signal = ValueOf(graph, signal_in, kInvalidType, "signal");
  const Output length = ValueOf(graph, length_in, kInt32, "frame_length");
  const Output step = ValueOf(graph, step_in, kInt32, "frame_step");
  if (!signal.valid() || !length.valid() || !step.valid()) return Output::Failed(graph);
  if (!signal.shape().known_rank()) return FailedOutput(graph, InvalidArgument("frame needs a signal of known rank"));
  const int rank = signal.shape().rank();
  const Result<int> at = NormalAxis(axis, rank, "frame");
  if (!at.ok()) return FailedOutput(graph, at.status());
  const Output samples = SizeOfAxis(graph, signal, *at);
  Output frames;
  if (pad_end) {
    frames = -raw_ops::FloorDiv(graph, -samples, step);
    const Output missing = raw_ops::Maximum(graph, length + step * (frames - 1) - samples, 0);
    InputList after(static_cast<size_t>(rank), Input(0));
    after[static_cast<size_t>(*at)] = missing;
    const Output sizes = raw_ops::Pack(graph, after);
    const Output paddings = raw_ops::Pack(graph, {raw_ops::ZerosLike(graph, sizes), sizes}, {.axis = 1});
    signal = raw_ops::PadV2(graph, signal, paddings, ValueOf(graph, pad_value, signal.base_dtype(), "pad_value"));
  } else {
    frames = raw_ops::Maximum(graph, raw_ops::FloorDiv(graph, samples - length, step) + 1, 0);
  }
  const Output starts = raw_ops::ExpandDims(graph, raw_ops::Range(graph, 0, frames, 1) * step, 1);
  const Output indices = starts + raw_ops::Range(graph, 0, length, 1);
  // The gradient of GatherV2 along axis 0 is sparse. With a reshape before it, the gradient of the signal is dense.
  if (*at == 0) signal = raw_ops::Reshape(graph, signal, ShapeValue(graph, signal));
  return raw_ops::GatherV2(graph, signal, indices, *at, {.name = ExactScopeName(scope)});
}

Output OverlapAndAdd(Graph& graph, const Input& frames_in, const Input& step_in, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "overlap_and_add"));
  const Output frames = ValueOf(graph, frames_in, kInvalidType, "signal");
  const Output step = ValueOf(graph, step_in, kInt32, "frame_step");
  if (!frames.valid() || !step.valid()) return Output::Failed(graph);
  const PartialShape shape = frames.shape();
  if (shape.known_rank() && shape.rank() < 2)
    return FailedOutput(graph, InvalidArgument("signal must have rank of at least 2, got shape {}", shape));
  const Output count = SizeOfAxis(graph, frames, -2), length = SizeOfAxis(graph, frames, -1);
  const Output samples = length + step * (count - 1);
  const Output starts = raw_ops::ExpandDims(graph, raw_ops::Range(graph, 0, count, 1) * step, 1);
  const Output targets = raw_ops::Reshape(graph, starts + raw_ops::Range(graph, 0, length, 1), {-1});
  const Output flat = raw_ops::Reshape(graph, frames, raw_ops::Pack(graph, {Input(-1), count * length}));
  const Output sums = raw_ops::UnsortedSegmentSum(graph, raw_ops::Transpose(graph, flat, {1, 0}), targets, samples);
  const Output outer = raw_ops::StridedSlice(graph, ShapeValue(graph, frames), {0}, {-2}, {1}, {.begin_mask = 1});
  const Output y = raw_ops::Reshape(graph, raw_ops::Transpose(graph, sums, {1, 0}),
                                    raw_ops::ConcatV2(graph, {outer, raw_ops::Reshape(graph, samples, {1})}, 0),
                                    {.name = ExactScopeName(scope)});
  return y;
}

// --- windows ---

namespace {

// f for windows of more than one element; a window of one element is 1.
template <class F>
Output WindowOf(Graph& graph, const NameScope& scope, const Input& length_in, DType dtype, F f) {
  if (!IsFloating(dtype))
    return FailedOutput(graph, InvalidArgument("dtype must be a floating point type, got {}", dtype));
  const Output length = ValueOf(graph, length_in, kInt32, "window_length");
  if (!length.valid()) return length;
  const Output window = f(length);
  if (!window.valid()) return window;
  const Output one = raw_ops::Reshape(graph, raw_ops::Equal(graph, length, 1), {1});
  const Output single = raw_ops::BroadcastTo(graph, one, raw_ops::Reshape(graph, length, {1}));
  return raw_ops::Select(graph, single, raw_ops::OnesLike(graph, window), window, {.name = ExactScopeName(scope)});
}

Output KaiserValues(Graph& graph, Output length, const Input& beta_in, DType dtype) {
  const Output beta = ValueOf(graph, beta_in, dtype, "beta");
  if (!beta.valid()) return beta;
  const Output half = (CastValue(graph, length, dtype) - 1) / 2;
  const Output place =
      FloatRange(graph, length, dtype) / raw_ops::Maximum(graph, half, ConstantOf(graph, 0.5, dtype)) - 1;
  const Output inside = raw_ops::Maximum(graph, 1 - raw_ops::Square(graph, place), ConstantOf(graph, 0, dtype));
  return raw_ops::BesselI0(graph, beta * raw_ops::Sqrt(graph, inside)) / raw_ops::BesselI0(graph, beta);
}

}  // namespace

Output CosineWindow(Graph& graph, double offset, const Input& length_in, const Input& periodic_in, DType dtype,
                    std::string name) {
  NameScope scope(graph, name);
  return WindowOf(graph, scope, length_in, dtype, [&](Output length) {
    const Output periodic = CastValue(
        graph, ValueOf(graph, periodic_in, periodic_in.is_output() ? kInvalidType : kBool, "periodic"), kInt32);
    const Output even = 1 - raw_ops::FloorMod(graph, length, 2);
    const Output n = CastValue(graph, raw_ops::Maximum(graph, length + periodic * even - 1, 1), dtype);
    const Output angle = FloatRange(graph, length, dtype) * (2 * kPiOfSignals) / n;
    return offset - (1 - offset) * raw_ops::Cos(graph, angle);
  });
}

Output KaiserWindow(Graph& graph, const Input& length, const Input& beta, DType dtype, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "kaiser_window"));
  return WindowOf(graph, scope, length, dtype, [&](Output n) { return KaiserValues(graph, n, beta, dtype); });
}

Output KaiserBesselDerivedWindow(Graph& graph, const Input& length_in, const Input& beta, DType dtype,
                                 std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "kaiser_bessel_derived_window"));
  const Output length = ValueOf(graph, length_in, kInt32, "window_length");
  if (!length.valid()) return length;
  const Output half = raw_ops::FloorDiv(graph, length, 2);
  const Output sums = raw_ops::Cumsum(graph, KaiserWindow(graph, half + 1, beta, dtype), 0);
  const Output rising = raw_ops::Sqrt(graph, LastElements(graph, sums, 0, half) / LastElements(graph, sums, half, {}));
  return raw_ops::ConcatV2(graph, {rising, raw_ops::ReverseV2(graph, rising, {0})}, 0, {.name = ExactScopeName(scope)});
}

Output VorbisWindow(Graph& graph, const Input& length_in, DType dtype, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "vorbis_window"));
  const Output length = ValueOf(graph, length_in, kInt32, "window_length");
  if (!length.valid()) return length;
  const Output angle = (FloatRange(graph, length, dtype) + 0.5) * kPiOfSignals / CastValue(graph, length, dtype);
  return raw_ops::Sin(graph, raw_ops::Square(graph, raw_ops::Sin(graph, angle)) * (kPiOfSignals / 2),
                      {.name = ExactScopeName(scope)});
}

// --- short-time transforms ---

namespace {

// The smallest power of two that is at least n.
Output EnclosingPowerOfTwo(Graph& graph, Output n) {
  if (const Tensor value = graph.ConstantValue(n); value.valid() && value.num_elements() == 1) {
    int64_t power = 1;
    while (power < value.Int(0)) power *= 2;
    return Constant(graph, Tensor::Scalar<int32_t>(static_cast<int32_t>(power)));
  }
  const Output log = raw_ops::Log(graph, raw_ops::Cast(graph, n, kDouble)) / std::log(2.0);
  // Rounding errors must not turn a power of two into the next one.
  const Output exponent = raw_ops::Ceil(graph, log - 1e-12);
  return raw_ops::Cast(graph, raw_ops::Rint(graph, raw_ops::Pow(graph, ConstantOf(graph, 2, kDouble), exponent)),
                       kInt32);
}

// The given length as an int32 scalar. By default, the smallest power of two that is at least `default_from`.
Output FftLength(Graph& graph, const Input& given, Output default_from) {
  return given.absent() ? EnclosingPowerOfTwo(graph, default_from) : ValueOf(graph, given, kInt32, "fft_length");
}

}  // namespace

Output ShortTimeFourierTransform(Graph& graph, const Input& signals_in, const Input& length_in, const Input& step,
                                 const Input& fft_length_in, const WindowFunction& window, bool pad_end,
                                 std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "stft"));
  const Output signals = ValueOf(graph, signals_in, kInvalidType, "signals");
  const Output length = ValueOf(graph, length_in, kInt32, "frame_length");
  if (!signals.valid() || !length.valid()) return Output::Failed(graph);
  const Output fft_length = FftLength(graph, fft_length_in, length);
  Output frames = FrameSignal(graph, signals, length, step, pad_end);
  if (!frames.valid() || !fft_length.valid()) return Output::Failed(graph);
  if (window) {
    const Result<Output> values = window(length, signals.base_dtype());
    if (!values.ok()) return FailedOutput(graph, values.status());
    frames = frames * *values;
  }
  return RealFourierTransform(graph, frames, raw_ops::Reshape(graph, fft_length, {1}), 1, false, ExactScopeName(scope));
}

Output InverseShortTimeFourierTransform(Graph& graph, const Input& stfts_in, const Input& length_in, const Input& step,
                                        const Input& fft_length_in, const WindowFunction& window, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "inverse_stft"));
  const Output stfts = ValueOf(graph, stfts_in, kInvalidType, "stfts");
  const Output length = ValueOf(graph, length_in, kInt32, "frame_length");
  if (!stfts.valid() || !length.valid()) return Output::Failed(graph);
  const Output fft_length = FftLength(graph, fft_length_in, length);
  Output frames = RealFourierTransform(graph, stfts, raw_ops::Reshape(graph, fft_length, {1}), 1, true);
  if (!frames.valid()) return frames;
  const Output missing = raw_ops::Maximum(graph, length - fft_length, 0);
  const Tensor known = graph.ConstantValue(missing);
  if (!known.valid() || known.Int(0) != 0) {
    const Output outer = raw_ops::ZerosLike(
        graph, raw_ops::StridedSlice(graph, ShapeValue(graph, frames), {0}, {-1}, {1}, {.begin_mask = 1}));
    const Output after = raw_ops::ConcatV2(graph, {outer, raw_ops::Reshape(graph, missing, {1})}, 0);
    frames = raw_ops::Pad(graph, frames, raw_ops::Pack(graph, {raw_ops::ZerosLike(graph, after), after}, {.axis = 1}));
  }
  frames = LastElements(graph, frames, 0, length);
  if (window) {
    const Result<Output> values = window(length, RealTypeOf(stfts.base_dtype()));
    if (!values.ok()) return FailedOutput(graph, values.status());
    frames = frames * *values;
  }
  return OverlapAndAdd(graph, frames, step, ExactScopeName(scope));
}

Output InverseWindow(Graph& graph, const Input& step_in, const WindowFunction& forward, const Input& length_in,
                     DType dtype, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "inverse_stft_window_fn"));
  const Output step = ValueOf(graph, step_in, kInt32, "frame_step");
  const Output length = ValueOf(graph, length_in, kInt32, "frame_length");
  if (!step.valid() || !length.valid()) return Output::Failed(graph);
  const Result<Output> values = forward(length, dtype);
  if (!values.ok()) return FailedOutput(graph, values.status());
  const Output overlaps = -raw_ops::FloorDiv(graph, -length, step);
  const Output after = raw_ops::Reshape(graph, overlaps * step - length, {1});
  const Output paddings = raw_ops::Pack(graph, {raw_ops::ZerosLike(graph, after), after}, {.axis = 1});
  const Output squares = raw_ops::Pad(graph, raw_ops::Square(graph, *values), paddings);
  const Output sums = ReduceSum(raw_ops::Reshape(graph, squares, raw_ops::Pack(graph, {overlaps, step})), 0, kKeepDims);
  const Output tiled =
      raw_ops::Reshape(graph, raw_ops::Tile(graph, sums, raw_ops::Pack(graph, {overlaps, Input(1)})), {-1});
  return raw_ops::RealDiv(graph, *values, LastElements(graph, tiled, 0, length), {.name = ExactScopeName(scope)});
}

// --- mel scale ---

namespace {

Output HertzToMel(Graph& graph, Output hertz) { return 1127.0 * raw_ops::Log1p(graph, hertz / 700.0); }

}  // namespace

Output LinearToMelWeights(Graph& graph, const MelScale& scale, DType dtype, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "linear_to_mel_weight_matrix"));
  const auto real = [&](const Input& x, const char* what) {
    return CastValue(graph, ValueOf(graph, x, x.is_output() ? kInvalidType : dtype, what), dtype);
  };
  const Output rate = real(scale.sample_rate, "sample_rate");
  const Output low = real(scale.lower_edge_hertz, "lower_edge_hertz"),
               high = real(scale.upper_edge_hertz, "upper_edge_hertz");
  const Output mel_bins = ValueOf(graph, scale.num_mel_bins, kInt32, "num_mel_bins");
  const Output bins = ValueOf(graph, scale.num_spectrogram_bins, kInt32, "num_spectrogram_bins");
  for (const Output& x : {rate, low, high, mel_bins, bins}) {
    if (!x.valid()) return x;
  }
  // The frequencies of the spectrogram without 0, whose weights are 0.
  const Output spectrum =
      LastElements(graph, raw_ops::LinSpace(graph, ConstantOf(graph, 0, dtype), rate / 2, bins), 1, {});
  const Output mel = raw_ops::ExpandDims(graph, HertzToMel(graph, spectrum), 1);
  const Output edges = raw_ops::LinSpace(graph, HertzToMel(graph, low), HertzToMel(graph, high), mel_bins + 2);
  const Output left = LastElements(graph, edges, 0, mel_bins);
  const Output center = LastElements(graph, edges, 1, mel_bins + 1);
  const Output right = LastElements(graph, edges, 2, {});
  const Output slopes = raw_ops::Minimum(graph, (mel - left) / (center - left), (right - mel) / (right - center));
  return raw_ops::Pad(graph, raw_ops::Maximum(graph, slopes, ConstantOf(graph, 0, dtype)),
                      Constant(graph, Tensor::Of<int32_t>(Shape{2, 2}, {1, 0, 0, 0})), {.name = ExactScopeName(scope)});
}

Output MelCepstrum(Graph& graph, const Input& spectrograms, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "mfccs_from_log_mel_spectrograms"));
  const Output x = ValueOf(graph, spectrograms, kInvalidType, "log_mel_spectrograms");
  if (!x.valid()) return x;
  const Output bins = CastValue(graph, SizeOfAxis(graph, x, -1), x.base_dtype());
  const Output y = CosineTransformOf(graph, x, {.type = 2});
  return raw_ops::Mul(graph, y, raw_ops::Rsqrt(graph, bins * 2), {.name = ExactScopeName(scope)});
}

}  // namespace weir
