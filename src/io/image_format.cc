#include "io/image.h"

namespace weir::io {

ImageFormat ImageFormatOf(std::string_view contents) {
  if (contents.starts_with("\211PNG\r\n\032\n")) return ImageFormat::kPng;
  if (contents.starts_with("\377\330\377")) return ImageFormat::kJpeg;
  if (contents.starts_with("GIF8")) return ImageFormat::kGif;
  if (contents.starts_with("BM")) return ImageFormat::kBmp;
  return ImageFormat::kUnknown;
}

}  // namespace weir::io
