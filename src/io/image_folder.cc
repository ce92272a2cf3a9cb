#include "io/image_folder.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "io/image.h"

namespace weir::io {
namespace {

constexpr std::array<std::string_view, 5> kEndings = {".png", ".jpg", ".jpeg", ".gif", ".bmp"};

bool LooksLikeImage(std::string_view name) {
  const std::string lower = absl::AsciiStrToLower(std::string(name));
  return !lower.starts_with('.') && std::any_of(kEndings.begin(), kEndings.end(),
                                                [&](std::string_view ending) { return lower.ends_with(ending); });
}

std::string_view FormatName(ImageFormat format) {
  switch (format) {
    case ImageFormat::kPng:
      return "png";
    case ImageFormat::kJpeg:
      return "jpeg";
    case ImageFormat::kGif:
      return "gif";
    case ImageFormat::kBmp:
      return "bmp";
    case ImageFormat::kUnknown:
      break;
  }
  return "";
}

struct Pixels {
  ImageSize size;
  std::string bytes;
};

Status Decode(std::string_view contents, int64_t channels, const PixelsFn& pixels) {
  switch (ImageFormatOf(contents)) {
    case ImageFormat::kPng:
      return DecodePng(contents, {.channels = channels}, pixels);
    case ImageFormat::kJpeg:
      return DecodeJpeg(contents, {.channels = channels}, pixels);
    case ImageFormat::kGif:
      return DecodeGif(contents, pixels);
    case ImageFormat::kBmp:
      return DecodeBmp(contents, channels, pixels);
    case ImageFormat::kUnknown:
      break;
  }
  return InvalidArgument("not a PNG, JPEG, GIF or BMP file");
}

Result<Pixels> DecodeImage(std::string_view contents, int64_t channels) {
  Pixels pixels;
  WEIR_TRY(Decode(contents, channels, [&](const ImageSize& size) -> Result<void*> {
    pixels.size = size;
    pixels.bytes.resize(static_cast<size_t>(size.frames * size.height * size.width * size.channels));
    return pixels.bytes.data();
  }));
  if (pixels.size.frames != 1)
    return InvalidArgument("it has {} frames, but a record holds a single image", pixels.size.frames);
  if (channels != 0 && pixels.size.channels != channels)
    return InvalidArgument("a {} file decodes to {} channels, but {} were requested",
                           FormatName(ImageFormatOf(contents)), pixels.size.channels, channels);
  return pixels;
}

void Set(tensorflow::Example& example, const std::string& name, int64_t value) {
  (*example.mutable_features()->mutable_feature())[name].mutable_int64_list()->add_value(value);
}

void Set(tensorflow::Example& example, const std::string& name, std::string value) {
  (*example.mutable_features()->mutable_feature())[name].mutable_bytes_list()->add_value(std::move(value));
}

}  // namespace

Result<ImageFolder> ListImages(Env& env, const std::string& folder, const std::vector<std::string>& classes) {
  ImageFolder found{.classes = classes, .files = {}};
  WEIR_ASSIGN(const std::vector<std::string> names, env.List(folder));
  for (const std::string& name : names) {
    const std::string path = JoinPath(folder, name);
    WEIR_ASSIGN(const FileInfo info, env.Stat(path));
    if (!info.is_directory) continue;
    WEIR_ASSIGN(const std::vector<std::string> files, env.List(path));
    if (std::none_of(files.begin(), files.end(), LooksLikeImage)) continue;
    auto label = std::find(found.classes.begin(), found.classes.end(), name);
    if (label == found.classes.end() && !classes.empty())
      return InvalidArgument("the folder '{}' has images, but '{}' is none of the {} classes given", path, name,
                             classes.size());
    if (label == found.classes.end()) label = found.classes.insert(label, name);
    for (const std::string& file : files) {
      if (LooksLikeImage(file)) found.files.push_back({JoinPath(path, file), label - found.classes.begin()});
    }
  }
  if (found.files.empty())
    return InvalidArgument(
        "there are no images in '{}': it should have a folder for each class, with .png, .jpg, .gif "
        "or .bmp files in it",
        folder);
  return found;
}

Result<tensorflow::Example> ImageExample(Env& env, const ImageFile& file, const std::string& class_name,
                                         const ImageRecordOptions& options) {
  WEIR_ASSIGN(std::string contents, env.ReadFile(file.path));
  Result<Pixels> pixels = DecodeImage(contents, options.channels);
  if (!pixels.ok()) return WithContext(pixels.status(), fmt::format("image '{}'", file.path));
  const ImageSize& size = pixels->size;
  tensorflow::Example example;
  if (options.raw) {
    Set(example, "image_raw", std::move(pixels->bytes));
    Set(example, "height", size.height);
    Set(example, "width", size.width);
    Set(example, "depth", size.channels);
    Set(example, "label", file.label);
    return example;
  }
  Set(example, "image/format", std::string(FormatName(ImageFormatOf(contents))));
  Set(example, "image/encoded", std::move(contents));
  Set(example, "image/height", size.height);
  Set(example, "image/width", size.width);
  Set(example, "image/channels", size.channels);
  Set(example, "image/class/label", file.label);
  Set(example, "image/class/text", class_name);
  return example;
}

}  // namespace weir::io
