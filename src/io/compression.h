// How files are compressed as a whole.
#pragma once

#include <string_view>

#include "base/status.h"

namespace weir::io {

enum class Compression { kNone, kZlib, kGzip };

// TensorFlow's names: "", "ZLIB" and "GZIP". InvalidArgument for others.
Result<Compression> ParseCompression(std::string_view name);
// The whole of a compressed string. DataLoss where it is damaged or ends early.
Result<std::string> Decompress(std::string_view bytes, Compression compression);

}  // namespace weir::io
