// DecodeWav and EncodeWav: sounds as [samples, channels] with values from -1 to 1.
#include "io/wav.h"

#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

struct WavSize {
  int64_t channels = -1, samples = -1;
};
template <class Context>
Result<WavSize> WavSizeOf(const Context& from) {
  WavSize size;
  WEIR_ASSIGN(size.channels, from.template Attr<int64_t>("desired_channels"));
  WEIR_ASSIGN(size.samples, from.template Attr<int64_t>("desired_samples"));
  return size;
}

Result<Kernel> MakeDecodeWav(KernelSetup& setup) {
  WEIR_ASSIGN(const WavSize wanted, WavSizeOf(setup));
  return Kernel::Sync([wanted](KernelContext& ctx) -> Status {
    const Tensor& contents = ctx.input(0);
    if (contents.rank() != 0) return InvalidArgument("contents must be scalar, got shape {}", contents.shape());
    WEIR_ASSIGN(const io::Wav wav, io::DecodeWav(*contents.data<std::string>()));
    const int64_t channels = wanted.channels == -1 ? wav.channels : wanted.channels;
    const int64_t found = static_cast<int64_t>(wav.samples.size()) / wav.channels;
    const int64_t samples = wanted.samples == -1 ? found : wanted.samples;
    WEIR_ASSIGN(const Shape shape, Shape::Make({samples, channels}));
    WEIR_ASSIGN(const Tensor audio, ctx.Allocate(0, shape));
    WEIR_ASSIGN(const Tensor rate, ctx.Allocate(1, Shape{}));
    *rate.data<int32_t>() = static_cast<int32_t>(wav.samples_per_second);
    float* out = audio.data<float>();
    // Additional channels repeat the last one; additional samples are silent.
    for (int64_t i = 0; i < samples; ++i) {
      for (int64_t c = 0; c < channels; ++c) {
        const int64_t from = std::min(c, wav.channels - 1);
        *out++ = i < found ? wav.samples[static_cast<size_t>(i * wav.channels + from)] : 0.0f;
      }
    }
    return OkStatus();
  });
}

Status DecodeWavShape(ShapeContext& ctx) {
  WEIR_TRY(ctx.WithRank(0, 0).status());
  WEIR_ASSIGN(const WavSize wanted, WavSizeOf(ctx));
  for (const int64_t size : {wanted.channels, wanted.samples}) {
    if (size < -1) return InvalidArgument("channels and samples must be non-negative, got {}", size);
  }
  ctx.set_output(0, PartialShape{wanted.samples, wanted.channels});
  ctx.set_output(1, PartialShape::Scalar());
  return OkStatus();
}

Result<Kernel> MakeEncodeWav(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    const Tensor& audio = ctx.input(0);
    if (audio.rank() != 2) return InvalidArgument("audio must be 2-dimensional, got shape {}", audio.shape());
    if (ctx.input(1).rank() != 0)
      return InvalidArgument("Input sample_rate should be a scalar tensor, got {} instead.", ctx.input(1).shape());
    WEIR_ASSIGN(std::string wav, io::EncodeWav(audio.flat<float>(), audio.dim(1), *ctx.input(1).data<int32_t>()));
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, Shape{}));
    *out.data<std::string>() = std::move(wav);
    return OkStatus();
  });
}

}  // namespace

void RegisterWav(OpRegistry& registry) {
  registry.Add({
      .name = "DecodeWav",
      .signature = "contents: string -> audio: float, sample_rate: int32",
      .attrs = {"desired_channels: int = -1", "desired_samples: int = -1"},
      .shape = DecodeWavShape,
      .kernels = CpuKernel(MakeDecodeWav),
  });
  registry.Add({
      .name = "EncodeWav",
      .signature = "audio: float, sample_rate: int32 -> contents: string",
      .shape = [](ShapeContext& ctx) -> Status {
        WEIR_TRY(ctx.WithRank(0, 2).status());
        WEIR_TRY(ctx.WithRank(1, 0).status());
        ctx.set_output(0, PartialShape::Scalar());
        return OkStatus();
      },
      .kernels = CpuKernel(MakeEncodeWav),
  });
}

}  // namespace weir::ops
