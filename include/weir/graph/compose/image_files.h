// Decoding of image files, and conversion of pixel types.
#pragma once

#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

// Converts and scales pixels: integer types range from 0 to their maximum, floating types from 0 to 1.
Output ConvertImageType(Graph& graph, const Input& image, DType dtype, bool saturate = false, std::string name = "");

// Whether `contents` is a JPEG image.
Output IsJpeg(Graph& graph, const Input& contents, std::string name = "");

struct DecodeImageOptions {
  int64_t channels = 0;  // 0: as in the file
  DType dtype = kUint8;
  bool expand_animations = true;  // GIF gives [frames, height, width, 3]; false: only the first frame
  std::string name = "";
};
// Decodes a JPEG, PNG, GIF or BMP image; the first bytes determine the format.
Result<Output> DecodeAnyImage(Graph& graph, const Input& contents, const DecodeImageOptions& options = {});

}  // namespace weir
