// DecodePng, DecodeJpeg, DecodeAndCropJpeg, DecodeGif, DecodeBmp, ExtractJpegShape. All but the last two detect the
// format from the contents: DecodePng also decodes a JPEG image.
#include "io/image.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

using io::ImageFormat;
using io::ImageSize;

struct DecodeOptions {
  std::string op;
  int64_t channels = 0;
  bool wide = false;
  io::JpegDecodeOptions jpeg;
  bool frames() const { return op == "DecodeGif"; }  // output has a frame dimension
};

Result<const std::string*> ContentsOf(const KernelContext& ctx) {
  const Tensor& contents = ctx.input(0);
  if (contents.rank() != 0) return InvalidArgument("contents must be scalar, got shape {}", contents.shape());
  const std::string& text = contents.scalar<std::string>();
  if (text.empty()) return InvalidArgument("Input is empty: there is no image in it");
  return &text;
}

// Allocates the output of the op when the image size is known.
io::PixelsFn IntoOutput(KernelContext& ctx, bool frames) {
  return [&ctx, frames](const ImageSize& size) -> Result<void*> {
    if (!frames && size.frames != 1)
      return InvalidArgument("Got {} frames, but animated GIF images can only be decoded by decode_gif or decode_image",
                             size.frames);
    Shape shape = frames ? Shape{size.frames, size.height, size.width, size.channels}
                         : Shape{size.height, size.width, size.channels};
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, shape));
    return out.raw();
  };
}

// Runs an 8-bit decoder. For a 16-bit output, each value becomes the high byte.
template <class Decode>
Status Decoded(KernelContext& ctx, const DecodeOptions& options, Decode&& decode) {
  if (!options.wide) return decode(IntoOutput(ctx, options.frames()));
  std::vector<uint8_t> narrow;
  WEIR_TRY(decode([&](const ImageSize& size) -> Result<void*> {
    WEIR_ASSIGN(void* unused, IntoOutput(ctx, options.frames())(size));
    (void)unused;
    narrow.resize(static_cast<size_t>(ctx.output(0).num_elements()));
    return static_cast<void*>(narrow.data());
  }));
  auto* to = ctx.output(0).data<uint16_t>();
  for (size_t i = 0; i < narrow.size(); ++i) to[i] = static_cast<uint16_t>(narrow[i] * 256);
  return OkStatus();
}

Status DecodeContents(KernelContext& ctx, DecodeOptions options, std::string_view contents) {
  if (options.frames()) options.channels = 3;
  switch (io::ImageFormatOf(contents)) {
    case ImageFormat::kPng:
      return io::DecodePng(contents, {options.channels, options.wide}, IntoOutput(ctx, options.frames()));
    case ImageFormat::kJpeg:
      if (options.channels == 4) return InvalidArgument("JPEG does not support 4 channels");
      options.jpeg.channels = options.channels;
      return Decoded(ctx, options,
                     [&](const io::PixelsFn& pixels) { return io::DecodeJpeg(contents, options.jpeg, pixels); });
    case ImageFormat::kGif:
      if (options.channels != 0 && options.channels != 3)
        return InvalidArgument("channels must be 0 or 3 for GIF, got {}", options.channels);
      return Decoded(ctx, options, [&](const io::PixelsFn& pixels) { return io::DecodeGif(contents, pixels); });
    case ImageFormat::kBmp:
      return InvalidArgument("Trying to decode BMP format using {}. Use decode_bmp or decode_image instead",
                             options.op);
    case ImageFormat::kUnknown:
      break;
  }
  return InvalidArgument("Unknown image file format. One of JPEG, PNG, GIF, BMP required");
}

Status ReadJpegAttrs(KernelSetup& setup, io::JpegDecodeOptions* jpeg) {
  WEIR_ASSIGN(jpeg->ratio, setup.Attr<int64_t>("ratio"));
  WEIR_ASSIGN(jpeg->fancy_upscaling, setup.Attr<bool>("fancy_upscaling"));
  WEIR_ASSIGN(jpeg->try_recover_truncated, setup.Attr<bool>("try_recover_truncated"));
  WEIR_ASSIGN(const std::string method, setup.Attr<std::string>("dct_method"));
  if (!method.empty() && method != "INTEGER_FAST" && method != "INTEGER_ACCURATE")
    return InvalidArgument("dct_method must be one of '', 'INTEGER_FAST', 'INTEGER_ACCURATE', not '{}'", method);
  jpeg->accurate = method == "INTEGER_ACCURATE";
  if (jpeg->ratio != 1 && jpeg->ratio != 2 && jpeg->ratio != 4 && jpeg->ratio != 8)
    return InvalidArgument("ratio must be 1, 2, 4, or 8, got {}", jpeg->ratio);
  return OkStatus();
}

Result<int64_t> ChannelsOf(KernelSetup& setup) {
  WEIR_ASSIGN(const int64_t channels, setup.Attr<int64_t>("channels"));
  if (channels != 0 && channels != 1 && channels != 3 && channels != 4)
    return InvalidArgument("channels must be 0, 1, 3 or 4, got {}", channels);
  return channels;
}

Result<Kernel> MakeDecode(KernelSetup& setup) {
  DecodeOptions options;
  options.op = setup.node().op->name;
  if (setup.HasAttr("channels")) {
    WEIR_ASSIGN(options.channels, ChannelsOf(setup));
  }
  options.wide = setup.output_type(0) == kUint16;
  if (setup.HasAttr("ratio")) WEIR_TRY(ReadJpegAttrs(setup, &options.jpeg));
  return Kernel::Sync([options](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const std::string* contents, ContentsOf(ctx));
    return DecodeContents(ctx, options, *contents);
  });
}

Result<Kernel> MakeDecodeAndCrop(KernelSetup& setup) {
  io::JpegDecodeOptions jpeg;
  WEIR_ASSIGN(jpeg.channels, ChannelsOf(setup));
  WEIR_TRY(ReadJpegAttrs(setup, &jpeg));
  return Kernel::Sync([jpeg](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const std::string* contents, ContentsOf(ctx));
    const Tensor& window = ctx.input(1);
    if (window.rank() != 1 || window.num_elements() != 4)
      return InvalidArgument("crop_window must be a vector of 4 elements, got shape {}", window.shape());
    io::JpegDecodeOptions options = jpeg;
    options.crop = io::CropWindow{window.Int(0), window.Int(1), window.Int(2), window.Int(3)};
    return io::DecodeJpeg(*contents, options, IntoOutput(ctx, false));
  });
}

const char* NameOf(ImageFormat format) {
  switch (format) {
    case ImageFormat::kPng:
      return "PNG";
    case ImageFormat::kJpeg:
      return "JPEG";
    case ImageFormat::kGif:
      return "GIF";
    case ImageFormat::kBmp:
      return "BMP";
    case ImageFormat::kUnknown:
      break;
  }
  return "Unknown image file";
}

Result<Kernel> MakeDecodeBmp(KernelSetup& setup) {
  WEIR_ASSIGN(const int64_t channels, ChannelsOf(setup));
  return Kernel::Sync([channels](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const std::string* contents, ContentsOf(ctx));
    if (const ImageFormat format = io::ImageFormatOf(*contents); format != ImageFormat::kBmp)
      return InvalidArgument("the image has the format {}, but DecodeBmp supports only BMP", NameOf(format));
    return io::DecodeBmp(*contents, channels, IntoOutput(ctx, false));
  });
}

template <class T>
Result<Kernel> MakeExtractJpegShape(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const std::string* contents, ContentsOf(ctx));
    WEIR_ASSIGN(const ImageSize size, io::ReadJpegSize(*contents));
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, Shape{3}));
    out.data<T>()[0] = static_cast<T>(size.height);
    out.data<T>()[1] = static_cast<T>(size.width);
    out.data<T>()[2] = static_cast<T>(size.channels);
    return OkStatus();
  });
}

Status ImageShape(ShapeContext& ctx) {
  WEIR_TRY(ctx.WithRank(0, 0).status());
  int64_t channels = kUnknownDim;
  if (const Result<int64_t> attr = ctx.Attr<int64_t>("channels"); attr.ok() && *attr != 0) {
    if (*attr < 0) return InvalidArgument("channels must be non-negative, got {}", *attr);
    channels = *attr;
  }
  DimVector dims(2, kUnknownDim);
  if (ctx.num_inputs() == 2) {
    WEIR_TRY(ctx.WithRank(1, 1).status());
    if (const Tensor* window = ctx.constant(1); window != nullptr && window->num_elements() == 4)
      dims = {window->Int(2), window->Int(3)};
  }
  for (int64_t& dim : dims) dim = std::max(dim, kUnknownDim);
  ctx.set_output(0, PartialShape{dims[0], dims[1], channels});
  return OkStatus();
}

Status FixedShape(ShapeContext& ctx, PartialShape shape) {
  WEIR_TRY(ctx.WithRank(0, 0).status());
  ctx.set_output(0, std::move(shape));
  return OkStatus();
}

Status CroppedShape(ShapeContext& ctx) {
  WEIR_TRY(ImageShape(ctx));
  WEIR_ASSIGN(const PartialShape window, ctx.WithRank(1, 1));
  if (window[0] >= 0 && window[0] != 4) return InvalidArgument("Dimension must be 4 but is {}", window[0]);
  return OkStatus();
}

std::vector<std::string> JpegAttrs() {
  return {"channels: int = 0",
          "ratio: int = 1",
          "fancy_upscaling: bool = true",
          "try_recover_truncated: bool = false",
          "acceptable_fraction: float = 1.0",
          "dct_method: string = ''"};
}

}  // namespace

void RegisterDecodeImage(OpRegistry& registry) {
  registry.Add({
      .name = "DecodePng",
      .signature = "contents: string -> image: dtype",
      .attrs = {"channels: int = 0", "dtype: {uint8, uint16} = DT_UINT8"},
      .shape = ImageShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeDecode),
  });
  registry.Add({
      .name = "DecodeJpeg",
      .signature = "contents: string -> image: uint8",
      .attrs = JpegAttrs(),
      .shape = ImageShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeDecode),
  });
  registry.Add({
      .name = "DecodeAndCropJpeg",
      .signature = "contents: string, crop_window: int32 -> image: uint8",
      .attrs = JpegAttrs(),
      .shape = CroppedShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeDecodeAndCrop),
  });
  registry.Add({
      .name = "DecodeGif",
      .signature = "contents: string -> image: uint8",
      .shape =
          [](ShapeContext& ctx) {
            return FixedShape(ctx, {kUnknownDim, kUnknownDim, kUnknownDim, 3});
          },
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeDecode),
  });
  registry.Add({
      .name = "DecodeBmp",
      .signature = "contents: string -> image: uint8",
      .attrs = {"channels: int = 0"},
      .shape = ImageShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeDecodeBmp),
  });
  registry.Add({
      .name = "ExtractJpegShape",
      .signature = "contents: string -> image_shape: output_type",
      .attrs = {"output_type: {int32, int64} = DT_INT32"},
      .shape = [](ShapeContext& ctx) { return FixedShape(ctx, {3}); },
      .no_gradient = kNoGradient,
      .kernels = CpuKernelsFor<int32_t, int64_t>("output_type", WEIR_FOR_TYPE(MakeExtractJpegShape)),
  });
}

}  // namespace weir::ops
