#include "graph/compose/image_files.h"

#include <limits>

#include "base/attribute_error.h"
#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/build/image_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/string_ops.h"
#include "graph/compose/dims.h"
#include "graph/compose/flow.h"
#include "graph/compose/math.h"
#include "graph/compose/names.h"
#include "tensor/for_type.h"

namespace weir {
namespace {

int64_t HighestOf(DType dtype) {
  int64_t highest = std::numeric_limits<int64_t>::max();
  ForType(dtype, TypeList<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t>(),
          [&]<class T>(TypeTag<T>) { highest = std::numeric_limits<T>::max(); });
  return highest;
}

// (high + 1) / (low + 1): the ratio of the ranges of two types with these maximum values. Always an integer.
int64_t RangeRatio(int64_t high, int64_t low) {
  return static_cast<int64_t>((static_cast<uint64_t>(high) + 1) / (static_cast<uint64_t>(low) + 1));
}

Output Narrowed(Graph& graph, Output x, DType dtype, bool saturate, const std::string& name) {
  return saturate ? SaturateCastValue(graph, x, dtype, name) : Cast(graph, x, dtype, {.name = name});
}

Output BytesAt(Graph& graph, const Input& contents, int count, std::string name = "") {
  return Substr(graph, contents, 0, count, {.name = std::move(name)});
}

}  // namespace

Output ConvertImageType(Graph& graph, const Input& image_in, DType dtype, bool saturate, std::string name) {
  Output image = ValueOf(graph, image_in, kInvalidType, "image");
  if (!image.valid()) return image;
  const DType from = image.base_dtype();
  if (dtype == kInvalidType) return FailedOutput(graph, MarkTypeError(InvalidArgument("the image needs a dtype")));
  for (const auto& [type, what] : {std::pair(dtype, "dtype"), {from, "image dtype"}})
    if (!IsInteger(type) && !IsFloating(type))
      return FailedOutput(graph, MarkAttributeError(InvalidArgument(
                                     "{} must be either floating point or integer, not {}", what, type)));
  if (from == dtype) return Identity(graph, image, {.name = std::move(name)});
  NameScope scope(graph, NameOrDefault(name, "convert_image"));
  const std::string own = ExactScopeName(scope);
  if (IsFloating(from) && IsFloating(dtype)) return Cast(graph, image, dtype, {.name = own});
  if (IsInteger(from) && IsInteger(dtype)) {
    const int64_t high = HighestOf(from), to = HighestOf(dtype);
    if (high > to)
      return Narrowed(graph, FloorDiv(graph, image, RangeRatio(high, to), {.name = "floordiv"}), dtype, saturate, own);
    Output wide = Narrowed(graph, image, dtype, saturate, "");
    return Mul(graph, wide, RangeRatio(to, high), {.name = own});
  }
  if (IsInteger(from)) {
    Output wide = Cast(graph, image, dtype);
    return Mul(graph, wide, 1.0 / static_cast<double>(HighestOf(from)), {.name = own});
  }
  // Add 0.5 so that the truncating cast rounds.
  Output scaled = Mul(graph, image, static_cast<double>(HighestOf(dtype)) + 0.5);
  return Narrowed(graph, scaled, dtype, saturate, own);
}

Output IsJpeg(Graph& graph, const Input& contents, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "is_jpeg"));
  return Equal(graph, BytesAt(graph, contents, 3), Tensor::Scalar("\xff\xd8\xff"));
}

Result<Output> DecodeAnyImage(Graph& graph, const Input& contents_in, const DecodeImageOptions& options) {
  const int64_t channels = options.channels;
  if (channels != 0 && channels != 1 && channels != 3 && channels != 4)
    return InvalidArgument("channels must be in (None, 0, 1, 3, 4), not {}", channels);
  NameScope scope(graph, NameOrDefault(options.name, "decode_image"));
  const Output contents = ValueOrLiteralOf(graph, contents_in, kString, "contents");
  WEIR_TRY(graph.TakeError());
  // Fails the step if the format does not support the requested number of channels.
  const auto check_channels = [&](bool good, const char* name, const char* message) {
    return Assert(graph, Constant(graph, Tensor::Scalar(good), name), {Tensor::Scalar(message)});
  };
  const auto converted = [&](Output image) -> Result<OutputList> {
    return OutputList{ConvertImageType(graph, image, options.dtype)};
  };
  const BranchFn bmp = [&]() -> Result<OutputList> {
    Output is_bmp = Equal(graph, BytesAt(graph, contents, 2), Tensor::Scalar("BM"), {.name = "is_bmp"});
    Node* kind = Assert(graph, is_bmp, {Tensor::Scalar("Unable to decode bytes as JPEG, PNG, GIF, or BMP")});
    Node* check =
        check_channels(channels != 1, "check_channels", "Channels must be in (None, 0, 3, 4) when decoding BMP images");
    if (kind == nullptr || check == nullptr) return graph.TakeError();
    ControlDependencies after(graph, {kind, check});
    return converted(DecodeBmp(graph, contents, {.channels = channels}));
  };
  const BranchFn gif = [&]() -> Result<OutputList> {
    Node* check = check_channels(channels == 0 || channels == 3, "check_gif_channels",
                                 "Channels must be in (None, 0, 3) when decoding GIF images");
    if (check == nullptr) return graph.TakeError();
    ControlDependencies after(graph, {check});
    WEIR_ASSIGN(OutputList frames, converted(DecodeGif(graph, contents)));
    if (options.expand_animations) return frames;
    return OutputList{GatherV2(graph, frames[0], 0, 0)};
  };
  const BranchFn gif_or_bmp = [&]() -> Result<OutputList> {
    Output is_gif = Equal(graph, BytesAt(graph, contents, 3), Tensor::Scalar("GIF"), {.name = "is_gif"});
    return Cond(graph, is_gif, gif, bmp, "cond_gif");
  };
  const BranchFn png = [&] {
    return converted(
        DecodePng(graph, contents, {.channels = channels, .dtype = options.dtype == kUint8 ? kUint8 : kUint16}));
  };
  const BranchFn png_or_other = [&]() -> Result<OutputList> {
    Output is_png = Equal(graph, BytesAt(graph, contents, 3), Tensor::Scalar("\x89PN"), {.name = "is_png"});
    return Cond(graph, is_png, png, gif_or_bmp, "cond_png");
  };
  const BranchFn jpeg = [&]() -> Result<OutputList> {
    Node* check = check_channels(channels != 4, "check_jpeg_channels",
                                 "Channels must be in (None, 0, 1, 3) when decoding JPEG images");
    if (check == nullptr) return graph.TakeError();
    ControlDependencies after(graph, {check});
    return converted(DecodeJpeg(graph, contents, {.channels = channels}));
  };
  WEIR_ASSIGN(const OutputList image, Cond(graph, IsJpeg(graph, contents), jpeg, png_or_other, "cond_jpeg"));
  return image[0];
}

}  // namespace weir
