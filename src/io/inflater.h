// The decompressed bytes of a zlib or gzip file, from its beginning on.
#pragma once

#include <zlib.h>

#include <memory>
#include <string>

#include "base/env.h"
#include "io/compression.h"

namespace weir::io {

// What zlib calls the format.
inline int ZlibWindowBits(Compression compression) {
  return compression == Compression::kGzip ? MAX_WBITS + 16 : MAX_WBITS;
}

// Not thread-safe.
class Inflater final {
 public:
  // REQUIRES: a compression. `path` is for messages.
  static Result<std::unique_ptr<Inflater>> Make(std::string path, Compression compression);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Appends decompressed bytes until `out` has `size` of them or the file ends. A `size` out of a file is believed only
  // as far as bytes come: memory grows in pieces. DataLoss where the data are damaged.
  Status Fill(const ReadableFile& file, uint64_t size, std::string& out);

 private:
  explicit Inflater(std::string path) : path_(std::move(path)) {}
  const std::string path_;
  z_stream stream_{};
  bool ready_ = false;
  std::string in_;
  uint64_t position_ = 0;
};

}  // namespace weir::io
