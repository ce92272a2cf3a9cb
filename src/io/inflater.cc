#include "io/inflater.h"

#include <algorithm>

namespace weir::io {
namespace {

constexpr size_t kInflaterInput = size_t{64} << 10;
constexpr size_t kInflaterOutput = size_t{256} << 10;

}  // namespace

Result<Compression> ParseCompression(std::string_view name) {
  if (name.empty()) return Compression::kNone;
  if (name == "ZLIB") return Compression::kZlib;
  if (name == "GZIP") return Compression::kGzip;
  return InvalidArgument("unknown compression '{}': use '', 'ZLIB' or 'GZIP'", name);
}

Result<std::string> Decompress(std::string_view bytes, Compression compression) {
  if (compression == Compression::kNone) return std::string(bytes);
  z_stream stream{};
  if (inflateInit2(&stream, ZlibWindowBits(compression)) != Z_OK) return Internal("cannot initialize zlib");
  std::string out;
  int code = Z_OK;
  while (code != Z_STREAM_END) {
    if (stream.avail_in == 0) {
      const size_t part = std::min<size_t>(bytes.size(), size_t{1} << 30);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream.avail_in = static_cast<uInt>(part);
      bytes.remove_prefix(part);
    }
    const size_t have = out.size();
    out.resize(have + kInflaterOutput);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + have);
    stream.avail_out = static_cast<uInt>(kInflaterOutput);
    code = inflate(&stream, Z_NO_FLUSH);
    out.resize(have + kInflaterOutput - stream.avail_out);
    const bool stuck = stream.avail_out != 0 && stream.avail_in == 0 && bytes.empty();
    if ((code != Z_OK && code != Z_STREAM_END) || (code == Z_OK && stuck)) {
      inflateEnd(&stream);
      return DataLoss("damaged or truncated compressed data, after {} decompressed bytes", out.size());
    }
  }
  inflateEnd(&stream);
  return out;
}

Result<std::unique_ptr<Inflater>> Inflater::Make(std::string path, Compression compression) {
  std::unique_ptr<Inflater> made(new Inflater(std::move(path)));
  if (inflateInit2(&made->stream_, ZlibWindowBits(compression)) != Z_OK) return Internal("cannot initialize zlib");
  made->ready_ = true;
  return made;
}

Inflater::~Inflater() {
  if (ready_) inflateEnd(&stream_);
}

Status Inflater::Fill(const ReadableFile& file, uint64_t size, std::string& out) {
  while (out.size() < size) {
    if (stream_.avail_in == 0) {
      in_.resize(kInflaterInput);
      WEIR_ASSIGN(const size_t got, file.Read(position_, in_.size(), in_.data()));
      if (got == 0) return OkStatus();
      position_ += got;
      stream_.next_in = reinterpret_cast<Bytef*>(in_.data());
      stream_.avail_in = static_cast<uInt>(got);
    }
    const size_t have = out.size();
    const size_t room = std::min<uint64_t>(size - have, kInflaterOutput);
    out.resize(have + room);
    stream_.next_out = reinterpret_cast<Bytef*>(out.data() + have);
    stream_.avail_out = static_cast<uInt>(room);
    const int code = inflate(&stream_, Z_NO_FLUSH);
    out.resize(have + room - stream_.avail_out);
    if (code == Z_STREAM_END) {
      if (inflateReset(&stream_) != Z_OK) return Internal("cannot reset zlib");  // another stream may follow
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      return DataLoss("{}: damaged compressed data before offset {}{}", path_, position_ - stream_.avail_in,
                      stream_.total_out == 0 ? " (is the file really compressed with the given format?)" : "");
    }
  }
  return OkStatus();
}

}  // namespace weir::io
