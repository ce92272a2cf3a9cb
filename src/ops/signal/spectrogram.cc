// AudioSpectrogram: the energy of frequencies over time. Mfcc: the cepstrum on the mel scale, from a spectrogram.
#include <numbers>

#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/signal/fft_plan.h"

namespace weir::ops {
namespace {

struct SpectrogramSpec {
  int64_t window = 0, stride = 0;
  bool squared = false;
  // The length of the transform.
  int64_t length() const {
    int64_t length = 1;
    while (length < window) length *= 2;
    return length;
  }
  int64_t bins() const { return length() / 2 + 1; }
  int64_t Frames(int64_t samples) const { return samples < window ? 0 : 1 + (samples - window) / stride; }
};
template <class Context>
Result<SpectrogramSpec> SpectrogramOf(const Context& from) {
  constexpr int64_t kLongestWindow = int64_t{1} << 30;
  SpectrogramSpec spec;
  WEIR_ASSIGN(spec.window, from.template Attr<int64_t>("window_size"));
  WEIR_ASSIGN(spec.stride, from.template Attr<int64_t>("stride"));
  WEIR_ASSIGN(spec.squared, from.template Attr<bool>("magnitude_squared"));
  if (spec.window < 2 || spec.window > kLongestWindow)
    return InvalidArgument("window_size must be at least 2 and at most 2^30, got {}", spec.window);
  if (spec.stride < 1) return InvalidArgument("stride must be strictly positive, got {}", spec.stride);
  return spec;
}

Result<Kernel> MakeSpectrogram(KernelSetup& setup) {
  WEIR_ASSIGN(const SpectrogramSpec spec, SpectrogramOf(setup));
  auto plans = std::make_shared<FftPlans>();
  return Kernel::Sync([spec, plans](KernelContext& ctx) -> Status {
    const Tensor in = ctx.input(0);
    if (in.rank() != 2) return InvalidArgument("input must be 2-dimensional, got shape {}", in.shape());
    const int64_t channels = in.dim(1), frames = spec.Frames(in.dim(0)), bins = spec.bins();
    WEIR_ASSIGN(const Shape shape, Shape::Make({channels, frames, bins}));
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, shape));
    if (out.num_elements() == 0) return OkStatus();
    std::vector<double> window(static_cast<size_t>(spec.window));  // the Hann window
    for (size_t i = 0; i < window.size(); ++i) {
      window[i] =
          0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(spec.window));
    }
    const std::shared_ptr<const FftPlan> plan = plans->Get(spec.length());
    return ctx.ParallelFor(channels * frames, spec.length() * 20, [&](int64_t begin, int64_t end) {
      std::vector<FftPlan::Complex> line, scratch;
      for (int64_t at = begin; at < end; ++at) {
        const float* from = in.data<float>() + at % frames * spec.stride * channels + at / frames;
        line.assign(static_cast<size_t>(spec.length()), {});
        for (size_t i = 0; i < window.size(); ++i) line[i] = window[i] * from[static_cast<int64_t>(i) * channels];
        plan->Run(line.data(), /*inverse=*/false, scratch);
        float* to = out.data<float>() + at * bins;
        for (int64_t k = 0; k < bins; ++k) {
          const double energy = std::norm(line[static_cast<size_t>(k)]);
          to[k] = static_cast<float>(spec.squared ? energy : std::sqrt(energy));
        }
      }
    });
  });
}

Status SpectrogramShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape in, ctx.WithRank(0, 2));
  WEIR_ASSIGN(const SpectrogramSpec spec, SpectrogramOf(ctx));
  ctx.set_output(0, PartialShape{in.dim(1), in.dim(0) < 0 ? kUnknownDim : spec.Frames(in.dim(0)), spec.bins()});
  return OkStatus();
}

struct MfccSpec {
  float high = 4000, low = 20;
  int64_t filters = 40, coefficients = 13;
};
Result<MfccSpec> MfccOf(const KernelSetup& from) {
  MfccSpec spec;
  WEIR_ASSIGN(spec.high, from.Attr<float>("upper_frequency_limit"));
  WEIR_ASSIGN(spec.low, from.Attr<float>("lower_frequency_limit"));
  WEIR_ASSIGN(spec.filters, from.Attr<int64_t>("filterbank_channel_count"));
  WEIR_ASSIGN(spec.coefficients, from.Attr<int64_t>("dct_coefficient_count"));
  return spec;
}

// Like TensorFlow's, the kernel checks the attributes when it runs.
Status CheckMfcc(const MfccSpec& spec, int64_t bins, int32_t rate) {
  constexpr int64_t kMost = 1 << 20;
  const bool limits = spec.low >= 0 && spec.high > spec.low;
  if (spec.filters >= 1 && spec.filters <= kMost && spec.coefficients >= 1 && spec.coefficients <= spec.filters &&
      limits && rate >= 1 && bins >= 2)
    return OkStatus();
  return InvalidArgument(
      "Mfcc initialization failed for channel count {}, sample rate {} and filterbank_channel_count {}: the rate and "
      "the counts must be positive, dct_coefficient_count ({}) at most filterbank_channel_count, and the frequency "
      "limits ({} and {}) ascending",
      bins, rate, spec.filters, spec.coefficients, spec.low, spec.high);
}

double ToMel(double hertz) { return 1127.0 * std::log1p(hertz / 700.0); }

// Triangular filters that overlap by half, equally wide on the mel scale.
class MelFilters final {
 public:
  MelFilters(const MfccSpec& spec, int64_t bins, double sample_rate) : filters_(spec.filters) {
    const double low = ToMel(spec.low), spacing = (ToMel(spec.high) - low) / static_cast<double>(spec.filters + 1);
    const auto center = [&](int64_t i) { return low + spacing * static_cast<double>(i + 1); };
    const double width = 0.5 * sample_rate / static_cast<double>(bins - 1);
    const auto limit = static_cast<double>(bins - 1);
    first_ = static_cast<int64_t>(std::min(1.5 + spec.low / width, limit + 1));
    last_ = static_cast<int64_t>(std::min(spec.high / width, limit));
    int64_t filter = 0;
    for (int64_t i = first_; i <= last_; ++i) {
      const double mel = ToMel(static_cast<double>(i) * width);
      while (filter < filters_ && center(filter) < mel) ++filter;
      // The bin lies between the centers of filters `filter - 1` and `filter`.
      const double below = filter == 0 ? low : center(filter - 1);
      bins_.push_back({filter - 1, (center(filter) - mel) / (center(filter) - below)});
    }
  }

  void Apply(const float* energies, std::vector<double>& sums) const {
    sums.assign(static_cast<size_t>(filters_), 0);
    for (int64_t i = first_; i <= last_; ++i) {
      const Bin& bin = bins_[static_cast<size_t>(i - first_)];
      const double value = std::sqrt(static_cast<double>(energies[i])), part = value * bin.weight;
      if (bin.filter >= 0) sums[static_cast<size_t>(bin.filter)] += part;
      if (bin.filter + 1 < filters_) sums[static_cast<size_t>(bin.filter + 1)] += value - part;
    }
  }

 private:
  struct Bin {
    int64_t filter;  // the lower of the two filters; -1 if there is none
    double weight;   // its share of the energy; the upper filter gets the rest
  };
  int64_t filters_, first_ = 0, last_ = -1;
  std::vector<Bin> bins_;
};

Result<Kernel> MakeMfcc(KernelSetup& setup) {
  WEIR_ASSIGN(const MfccSpec spec, MfccOf(setup));
  return Kernel::Sync([spec](KernelContext& ctx) -> Status {
    const Tensor in = ctx.input(0);
    if (in.rank() != 3) return InvalidArgument("spectrogram must be 3-dimensional, got shape {}", in.shape());
    if (ctx.input(1).rank() != 0)
      return InvalidArgument("Input sample_rate should be a scalar tensor, got {} instead.", ctx.input(1).shape());
    const int32_t rate = *ctx.input(1).data<int32_t>();
    const int64_t bins = in.dim(2), lines = in.dim(0) * in.dim(1);
    WEIR_TRY(CheckMfcc(spec, bins, rate));
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, Shape{in.dim(0), in.dim(1), spec.coefficients}));
    if (lines == 0) return OkStatus();
    const MelFilters filters(spec, bins, rate);
    const auto count = static_cast<double>(spec.filters);
    return ctx.ParallelFor(lines, bins * 10 + spec.filters * spec.coefficients * 20, [&](int64_t begin, int64_t end) {
      std::vector<double> sums;
      for (int64_t line = begin; line < end; ++line) {
        filters.Apply(in.data<float>() + line * bins, sums);
        constexpr double kFloor = 1e-12;
        for (double& x : sums) x = std::log(std::max(x, kFloor));
        for (int64_t k = 0; k < spec.coefficients; ++k) {
          double sum = 0;
          for (size_t j = 0; j < sums.size(); ++j) {
            sum +=
                sums[j] * std::cos(std::numbers::pi / count * static_cast<double>(k) * (static_cast<double>(j) + 0.5));
          }
          out.data<float>()[line * spec.coefficients + k] = static_cast<float>(sum * std::sqrt(2 / count));
        }
      }
    });
  });
}

Status MfccShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape in, ctx.WithRank(0, 3));
  WEIR_TRY(ctx.WithRank(1, 0).status());
  WEIR_ASSIGN(const int64_t coefficients, ctx.Attr<int64_t>("dct_coefficient_count"));
  ctx.set_output(0, PartialShape{in.dim(0), in.dim(1), std::max(coefficients, kUnknownDim)});
  return OkStatus();
}

}  // namespace

void RegisterSpectrogram(OpRegistry& registry) {
  registry.Add({
      .name = "AudioSpectrogram",
      .signature = "input: float -> spectrogram: float",
      .attrs = {"window_size: int", "stride: int", "magnitude_squared: bool = false"},
      .shape = SpectrogramShape,
      .kernels = CpuKernel(MakeSpectrogram),
  });
  registry.Add({
      .name = "Mfcc",
      .signature = "spectrogram: float, sample_rate: int32 -> output: float",
      .attrs = {"upper_frequency_limit: float = 4000.0", "lower_frequency_limit: float = 20.0",
                "filterbank_channel_count: int = 40", "dct_coefficient_count: int = 13"},
      .shape = MfccShape,
      .kernels = CpuKernel(MakeMfcc),
  });
}

}  // namespace weir::ops
