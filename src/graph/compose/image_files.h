// Image files in a graph: what kind of file a string is, and pixels as values of another type.
#pragma once

#include "graph/graph.h"
#include "graph/input.h"

namespace weir {

// Pixels as values of another type, scaled: integers run from 0 to the highest of their type, others from 0 to 1.
Output ConvertImageType(Graph& graph, const Input& image, DType dtype, bool saturate = false, std::string name = "");

// Whether contents are a JPEG image.
Output IsJpeg(Graph& graph, const Input& contents, std::string name = "");

struct DecodeImageOptions {
  int64_t channels = 0;  // 0: as in the file
  DType dtype = kUint8;
  bool expand_animations = true;  // GIF images are [frames, height, width, 3]; else the first frame alone
  std::string name = "";
};
// A JPEG, PNG, GIF or BMP image, by its first bytes.
Result<Output> DecodeAnyImage(Graph& graph, const Input& contents, const DecodeImageOptions& options = {});

}  // namespace weir
