// Sequential decompression of a zlib or gzip file.
#pragma once

#include <zlib.h>

#include <memory>
#include <string>

#include "base/env.h"
#include "io/compression.h"

namespace weir::io {

// The windowBits argument of zlib for the format.
inline int ZlibWindowBits(Compression compression) {
  return compression == Compression::kGzip ? MAX_WBITS + 16 : MAX_WBITS;
}

// Not thread-safe.
class Inflater final {
 public:
  // `path` is for error messages. REQUIRES: compression is not kNone.
  static Result<std::unique_ptr<Inflater>> Make(std::string path, Compression compression);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Appends decompressed bytes until `out` has `size` bytes or the file ends. `size` may be an untrusted number from a
  // file, so memory is allocated piece by piece as data is read. DataLoss if the data is damaged.
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
