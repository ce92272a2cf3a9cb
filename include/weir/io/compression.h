// Compression of whole files.
#pragma once

#include <string_view>

#include "weir/base/status.h"

namespace weir::io {

enum class Compression { kNone, kZlib, kGzip };

// TensorFlow's names: "", "ZLIB" and "GZIP". InvalidArgument for others.
Result<Compression> ParseCompression(std::string_view name);
// Decompresses a whole string. DataLoss if it is damaged or truncated.
Result<std::string> Decompress(std::string_view bytes, Compression compression);

}  // namespace weir::io
