#include "io/idx.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "base/file_scheme.h"
#include "tensor/tensor.h"

namespace weir::io {
namespace {

constexpr size_t kPiece = size_t{1} << 20;
constexpr int kMaxRank = 32;

struct IdxType {
  uint8_t code;
  DType dtype;
};
constexpr IdxType kTypes[] = {{0x08, kUint8}, {0x09, kInt8},  {0x0B, kInt16},
                              {0x0C, kInt32}, {0x0D, kFloat}, {0x0E, kDouble}};

uint32_t BigEndian32(const char* bytes) {
  const auto* b = reinterpret_cast<const uint8_t*>(bytes);
  return uint32_t{b[0]} << 24 | uint32_t{b[1]} << 16 | uint32_t{b[2]} << 8 | uint32_t{b[3]};
}

// Converts elements between the big-endian order of the file and the little-endian order of the machine.
void SwapBytes(char* data, size_t count, size_t element) {
  if (element == 1) return;
  for (size_t i = 0; i < count; ++i) std::reverse(data + i * element, data + (i + 1) * element);
}

// Sequential access to the (decompressed) bytes of a file.
class Source {
 public:
  virtual ~Source() = default;
  // Appends `size` bytes to `out`; fewer only at the end of the file.
  virtual Status Append(size_t size, std::string& out) = 0;
};

class PlainSource final : public Source {
 public:
  explicit PlainSource(const ReadableFile& file) : file_(file) {}
  Status Append(size_t size, std::string& out) override {
    const size_t have = out.size();
    out.resize(have + size);
    WEIR_ASSIGN(const size_t got, file_.Read(position_, size, out.data() + have));
    out.resize(have + got);
    position_ += got;
    return OkStatus();
  }

 private:
  const ReadableFile& file_;
  uint64_t position_ = 0;
};

class GzipSource final : public Source {
 public:
  GzipSource(const ReadableFile& file, const std::string& path) : file_(file), path_(path) {
    ready_ = inflateInit2(&stream_, MAX_WBITS + 16) == Z_OK;
  }
  ~GzipSource() override {
    if (ready_) inflateEnd(&stream_);
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  Status Append(size_t size, std::string& out) override {
    if (!ready_) return Internal("cannot initialize zlib");
    const size_t end = out.size() + size;
    while (out.size() < end && !ended_) {
      if (stream_.avail_in == 0) {
        in_.resize(kPiece);
        WEIR_ASSIGN(const size_t got, file_.Read(position_, in_.size(), in_.data()));
        if (got == 0) return DataLoss("{}: the compressed file ends early, after {} bytes", path_, position_);
        position_ += got;
        stream_.next_in = reinterpret_cast<Bytef*>(in_.data());
        stream_.avail_in = static_cast<uInt>(got);
      }
      const size_t have = out.size();
      out.resize(end);
      stream_.next_out = reinterpret_cast<Bytef*>(out.data() + have);
      stream_.avail_out = static_cast<uInt>(end - have);
      const int code = inflate(&stream_, Z_NO_FLUSH);
      out.resize(end - stream_.avail_out);
      ended_ = code == Z_STREAM_END;
      if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
        return DataLoss("{}: damaged compressed data before offset {}", path_, position_);
    }
    return OkStatus();
  }

 private:
  const ReadableFile& file_;
  const std::string& path_;
  z_stream stream_{};
  bool ready_ = false;
  bool ended_ = false;
  std::string in_;
  uint64_t position_ = 0;
};

class BytesFile final : public ReadableFile {
 public:
  explicit BytesFile(std::string_view bytes) : bytes_(bytes) {}
  Result<size_t> Read(uint64_t offset, size_t size, char* to) const override {
    const std::string_view part = bytes_.substr(std::min<uint64_t>(offset, bytes_.size()), size);
    std::copy(part.begin(), part.end(), to);
    return part.size();
  }
  Result<uint64_t> Size() const override { return bytes_.size(); }

 private:
  const std::string_view bytes_;
};

struct Header {
  DType dtype;
  Shape shape;
  size_t bytes;  // of the elements
};

Result<Header> ReadHeader(Source& source, const std::string& name) {
  std::string start;
  WEIR_TRY(source.Append(4, start));
  if (start.size() < 4) return InvalidArgument("{}: not an IDX file: it has only {} bytes", name, start.size());
  const uint32_t magic = BigEndian32(start.data());
  const int rank = static_cast<int>(magic & 0xff);
  const auto* type =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const IdxType& t) { return t.code == (magic >> 8); });
  if (type == std::end(kTypes) || rank > kMaxRank)
    return InvalidArgument("{}: not an IDX file: invalid magic number {}", name, magic);
  std::string sizes;
  WEIR_TRY(source.Append(size_t{4} * rank, sizes));
  if (sizes.size() < size_t{4} * rank) return DataLoss("{}: truncated: it ends within its header", name);
  std::vector<int64_t> dims;
  uint64_t bytes = ElementSize(type->dtype);
  bool empty = false;
  for (int i = 0; i < rank; ++i) {
    const uint32_t size = BigEndian32(sizes.data() + size_t{4} * i);
    dims.push_back(size);
    empty = empty || size == 0;
    if (size != 0 && bytes > (uint64_t{1} << 46) / size)
      return InvalidArgument("{}: its sizes are impossible: rank {}, size {} at position {}", name, rank, size, i);
    bytes *= std::max<uint32_t>(size, 1);
  }
  WEIR_ASSIGN(const Shape shape, Shape::Make(dims));
  return Header{type->dtype, shape, empty ? 0 : bytes};
}

Result<Tensor> ReadFrom(Source& source, const std::string& name) {
  WEIR_ASSIGN(const Header header, ReadHeader(source, name));
  // The size in the header may be wrong. Read in pieces, so that memory is allocated only for data that the file
  // contains.
  std::string data;
  while (data.size() <= header.bytes) {
    const size_t before = data.size();
    WEIR_TRY(source.Append(std::min(kPiece, header.bytes + 1 - before), data));
    if (data.size() == before) break;
  }
  if (data.size() < header.bytes)
    return DataLoss("{}: truncated: the header declares {} {}, which is {} bytes, but the file has {}", name,
                    header.dtype, header.shape, header.bytes, data.size());
  if (data.size() > header.bytes)
    return InvalidArgument("{}: the file has more than the {} bytes of {} {} that its header declares", name,
                           header.bytes, header.dtype, header.shape);
  WEIR_ASSIGN(Tensor values, Tensor::Allocate(header.dtype, header.shape));
  const size_t element = ElementSize(header.dtype);
  SwapBytes(data.data(), header.bytes / element, element);
  if (!data.empty()) std::memcpy(values.raw(), data.data(), data.size());
  return values;
}

Result<Tensor> ReadFile(const ReadableFile& file, const std::string& name) {
  char start[2] = {0, 0};
  WEIR_ASSIGN(const size_t got, file.Read(0, sizeof(start), start));
  if (got == 2 && start[0] == '\x1f' && start[1] == '\x8b') {
    GzipSource source(file, name);
    return ReadFrom(source, name);
  }
  PlainSource source(file);
  return ReadFrom(source, name);
}

Result<Tensor> ReadIdxOfRank(Env& env, const std::string& path, int rank, const char* what) {
  WEIR_ASSIGN(const std::string found, FindIdxFile(env, path));
  WEIR_ASSIGN(Tensor values, ReadIdx(env, found));
  if (values.dtype() != kUint8 || values.rank() != rank)
    return InvalidArgument("{}: {} are expected, uint8 of rank {}, not {} {}", found, what, rank, values.dtype(),
                           values.shape());
  return values;
}

}  // namespace

Result<Tensor> ReadIdx(Env& env, const std::string& path) {
  WEIR_ASSIGN(const std::unique_ptr<ReadableFile> file, env.OpenRead(path));
  return ReadFile(*file, path);
}

Result<Tensor> ParseIdx(std::string_view bytes, const std::string& name) { return ReadFile(BytesFile(bytes), name); }

Result<std::string> IdxBytes(const Tensor& values) {
  const auto* type =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const IdxType& t) { return t.dtype == values.dtype(); });
  if (type == std::end(kTypes)) return InvalidArgument("an IDX file cannot hold {}", values.dtype());
  std::string bytes = {0, 0, static_cast<char>(type->code), static_cast<char>(values.rank())};
  for (int i = 0; i < values.rank(); ++i) {
    const int64_t size = values.dim(i);
    if (size > int64_t{UINT32_MAX}) return InvalidArgument("an IDX file cannot hold the shape {}", values.shape());
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(size >> shift));
  }
  const size_t header = bytes.size();
  bytes.append(static_cast<const char*>(values.raw()), values.num_bytes());
  const size_t element = ElementSize(values.dtype());
  SwapBytes(bytes.data() + header, values.num_bytes() / element, element);
  return bytes;
}

Result<std::string> FindIdxFile(Env& env, const std::string& path) {
  WEIR_TRY(CheckFileScheme(path));
  if (env.Exists(path)) return path;
  const bool zipped = path.ends_with(".gz");
  const std::string other = zipped ? path.substr(0, path.size() - 3) : path + ".gz";
  if (env.Exists(other)) return other;
  const std::string plain(FileNameOf(zipped ? other : path));
  return NotFound("{}: there is no such file. Nothing is downloaded: put {} or {}.gz, as MNIST has them, into '{}'",
                  path, plain, plain, std::string(DirectoryOf(path)));
}

Result<Tensor> ReadIdxImages(Env& env, const std::string& path) { return ReadIdxOfRank(env, path, 3, "images"); }
Result<Tensor> ReadIdxLabels(Env& env, const std::string& path) { return ReadIdxOfRank(env, path, 1, "labels"); }

}  // namespace weir::io
