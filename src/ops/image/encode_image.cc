// EncodePng, EncodeJpeg, EncodeJpegVariableQuality. EncodePng accepts any number of images.
#include "io/image.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

io::ImageView ViewOf(const Tensor& image, int64_t number = 0) {
  const int rank = image.rank();
  io::ImageView view;
  view.height = image.dim(rank - 3);
  view.width = image.dim(rank - 2);
  view.channels = image.dim(rank - 1);
  view.wide = image.dtype() == kUint16;
  const size_t bytes = static_cast<size_t>(view.height * view.width * view.channels) * ElementSize(image.dtype());
  view.pixels = {static_cast<const uint8_t*>(image.raw()) + static_cast<size_t>(number) * bytes, bytes};
  return view;
}

Result<Kernel> MakeEncodePng(KernelSetup& setup) {
  WEIR_ASSIGN(const int64_t compression, setup.Attr<int64_t>("compression"));
  return Kernel::Sync([compression](KernelContext& ctx) -> Status {
    const Tensor& image = ctx.input(0);
    if (image.rank() < 3)
      return InvalidArgument("image must have at least 3 dimensions [..., height, width, channels], got {}",
                             image.shape());
    Shape outer = image.shape();
    outer.RemoveLastDims(3);
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, outer));
    for (int64_t i = 0; i < out.num_elements(); ++i) {
      WEIR_ASSIGN(out.data<std::string>()[i], io::EncodePng(ViewOf(image, i), compression));
    }
    return OkStatus();
  });
}

Status WriteJpeg(KernelContext& ctx, const std::string& format, const io::JpegEncodeOptions& options) {
  const Tensor& image = ctx.input(0);
  if (image.rank() != 3)
    return InvalidArgument("image must be 3-dimensional [height, width, channels], got {}", image.shape());
  const int64_t wanted = format == "grayscale" ? 1 : format == "rgb" ? 3 : 0;
  if (wanted != 0 && image.dim(2) != wanted)
    return InvalidArgument("format '{}' expects {} channels, got {}", format, wanted, image.shape());
  WEIR_ASSIGN(std::string contents, io::EncodeJpeg(ViewOf(image), options));
  WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, Shape{}));
  out.scalar<std::string>() = std::move(contents);
  return OkStatus();
}

Result<Kernel> MakeEncodeJpeg(KernelSetup& setup) {
  io::JpegEncodeOptions options;
  WEIR_ASSIGN(const std::string format, setup.Attr<std::string>("format"));
  WEIR_ASSIGN(options.quality, setup.Attr<int64_t>("quality"));
  WEIR_ASSIGN(options.progressive, setup.Attr<bool>("progressive"));
  WEIR_ASSIGN(options.optimize_size, setup.Attr<bool>("optimize_size"));
  WEIR_ASSIGN(options.chroma_downsampling, setup.Attr<bool>("chroma_downsampling"));
  WEIR_ASSIGN(const std::string unit, setup.Attr<std::string>("density_unit"));
  options.per_centimeter = unit == "cm";
  WEIR_ASSIGN(options.x_density, setup.Attr<int64_t>("x_density"));
  WEIR_ASSIGN(options.y_density, setup.Attr<int64_t>("y_density"));
  WEIR_ASSIGN(options.xmp_metadata, setup.Attr<std::string>("xmp_metadata"));
  if (options.quality < 0 || options.quality > 100)
    return InvalidArgument("quality must be in [0,100], got {}", options.quality);
  return Kernel::Sync([format, options](KernelContext& ctx) { return WriteJpeg(ctx, format, options); });
}

Result<Kernel> MakeEncodeJpegVariableQuality(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    const Tensor& quality = ctx.input(1);
    if (quality.rank() != 0) return InvalidArgument("quality must be scalar, got shape {}", quality.shape());
    io::JpegEncodeOptions options;
    options.quality = quality.Int(0);
    return WriteJpeg(ctx, "", options);
  });
}

Status JpegShape(ShapeContext& ctx) {
  WEIR_TRY(ctx.WithRank(0, 3).status());
  ctx.set_output(0, PartialShape::Scalar());
  return OkStatus();
}

}  // namespace

void RegisterEncodeImage(OpRegistry& registry) {
  registry.Add({
      .name = "EncodePng",
      .signature = "image: T -> contents: string",
      .attrs = {"compression: int = -1", "T: {uint8, uint16} = DT_UINT8"},
      .shape = [](ShapeContext& ctx) -> Status {
        WEIR_ASSIGN(const PartialShape image, ctx.WithRankAtLeast(0, 3));
        WEIR_ASSIGN(PartialShape outer, image.Sub(0, -3));
        ctx.set_output(0, std::move(outer));
        return OkStatus();
      },
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeEncodePng),
  });
  registry.Add({
      .name = "EncodeJpeg",
      .signature = "image: uint8 -> contents: string",
      .attrs = {"format: {'', 'grayscale', 'rgb'} = ''", "quality: int = 95", "progressive: bool = false",
                "optimize_size: bool = false", "chroma_downsampling: bool = true", "density_unit: {'in', 'cm'} = 'in'",
                "x_density: int = 300", "y_density: int = 300", "xmp_metadata: string = ''"},
      .shape = JpegShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeEncodeJpeg),
  });
  registry.Add({
      .name = "EncodeJpegVariableQuality",
      .signature = "images: uint8, quality: int32 -> contents: string",
      .shape = JpegShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeEncodeJpegVariableQuality),
  });
}

}  // namespace weir::ops
