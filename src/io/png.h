// PNG: images without loss, the form in which summaries hold them.
#pragma once

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "base/status.h"

namespace weir::io {

// Rows from the top, each pixel `channels` bytes: gray (1), gray and alpha (2), red, green and blue (3), and alpha (4).
struct ImageView {
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;
  absl::Span<const uint8_t> pixels;  // height * width * channels
};

// InvalidArgument for what PNG cannot be: no pixels, other numbers of channels.
Result<std::string> EncodePng(const ImageView& image);

}  // namespace weir::io
