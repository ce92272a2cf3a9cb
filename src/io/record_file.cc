#include "io/record_file.h"

#include <zlib.h>

#include <algorithm>

#include "base/crc32c.h"
#include "io/coding.h"
#include "io/inflater.h"

namespace weir::io {
namespace {

constexpr size_t kHeader = 12;  // length and its checksum
constexpr size_t kFooter = 4;
constexpr size_t kReadAhead = size_t{256} << 10;
constexpr size_t kChunk = size_t{64} << 10;

}  // namespace

class RecordWriter::Deflater {
 public:
  static Result<std::unique_ptr<Deflater>> Make(Compression compression, int level) {
    std::unique_ptr<Deflater> made(new Deflater);
    const int code = deflateInit2(&made->stream_, level, Z_DEFLATED, ZlibWindowBits(compression), /*memLevel=*/9,
                                  Z_DEFAULT_STRATEGY);
    if (code != Z_OK) return InvalidArgument("cannot compress records with level {}", level);
    made->ready_ = true;
    return made;
  }
  ~Deflater() {
    if (ready_) deflateEnd(&stream_);
  }
  Status Write(WritableFile& file, std::string_view bytes, int flush) {
    std::string out(kChunk, '\0');
    do {
      const size_t part = std::min<size_t>(bytes.size(), size_t{1} << 30);
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream_.avail_in = static_cast<uInt>(part);
      bytes.remove_prefix(part);
      do {
        stream_.next_out = reinterpret_cast<Bytef*>(out.data());
        stream_.avail_out = static_cast<uInt>(out.size());
        const int code = deflate(&stream_, bytes.empty() ? flush : Z_NO_FLUSH);
        if (code != Z_OK && code != Z_BUF_ERROR && code != Z_STREAM_END)
          return Internal("compressing failed: zlib says {}", code);
        WEIR_TRY(file.Append(std::string_view(out.data(), out.size() - stream_.avail_out)));
      } while (stream_.avail_out == 0);
    } while (!bytes.empty());
    return OkStatus();
  }

 private:
  Deflater() = default;
  z_stream stream_{};
  bool ready_ = false;
};

RecordWriter::RecordWriter(std::unique_ptr<WritableFile> file) : file_(std::move(file)) {}
RecordWriter::~RecordWriter() { Close().IgnoreError(); }

Result<std::unique_ptr<RecordWriter>> RecordWriter::Open(Env& env, const std::string& path, Compression compression,
                                                         int level) {
  WEIR_ASSIGN(std::unique_ptr<WritableFile> file, env.OpenWrite(path));
  auto writer = std::make_unique<RecordWriter>(std::move(file));
  if (compression != Compression::kNone) {
    WEIR_ASSIGN(writer->deflater_, Deflater::Make(compression, level));
  }
  return writer;
}

Status RecordWriter::Append(std::string_view bytes) {
  return deflater_ == nullptr ? file_->Append(bytes) : deflater_->Write(*file_, bytes, Z_NO_FLUSH);
}

Status RecordWriter::Write(std::string_view record) {
  if (file_ == nullptr) return FailedPrecondition("cannot write a record: the file is closed");
  std::string header;
  PutFixed64(header, record.size());
  PutFixed32(header, crc32c::Mask(crc32c::Value(header)));
  std::string footer;
  PutFixed32(footer, crc32c::Mask(crc32c::Value(record)));
  WEIR_TRY(error_);
  WEIR_TRY(StoreError(Append(header)));
  WEIR_TRY(StoreError(Append(record)));
  return StoreError(Append(footer));
}

Status RecordWriter::StoreError(Status status) {
  if (error_.ok()) error_ = status;
  return status;
}

Status RecordWriter::Flush() {
  if (file_ == nullptr) return FailedPrecondition("cannot flush records: the file is closed");
  WEIR_TRY(error_);
  if (deflater_ != nullptr) WEIR_TRY(StoreError(deflater_->Write(*file_, "", Z_SYNC_FLUSH)));
  return StoreError(file_->Flush());
}

Status RecordWriter::Sync() {
  WEIR_TRY(Flush());
  return StoreError(file_->Sync());
}

Status RecordWriter::Close() {
  if (file_ == nullptr) return OkStatus();
  const std::unique_ptr<WritableFile> file = std::move(file_);
  if (deflater_ != nullptr && error_.ok()) StoreError(deflater_->Write(*file, "", Z_FINISH)).IgnoreError();
  StoreError(file->Close()).IgnoreError();
  return error_;
}

RecordReader::RecordReader(std::string path, std::unique_ptr<ReadableFile> file)
    : path_(std::move(path)), file_(std::move(file)) {}
RecordReader::~RecordReader() = default;

Result<std::unique_ptr<RecordReader>> RecordReader::Open(Env& env, const std::string& path, Compression compression) {
  WEIR_ASSIGN(std::unique_ptr<ReadableFile> file, env.OpenRead(path));
  std::unique_ptr<RecordReader> reader(new RecordReader(path, std::move(file)));
  if (compression != Compression::kNone) {
    WEIR_ASSIGN(reader->inflater_, Inflater::Make(path, compression));
  }
  return reader;
}

Result<std::string_view> RecordReader::Bytes(uint64_t offset, uint64_t size) {
  const uint64_t before = offset - buffer_start_;
  // The length in the file may be wrong. Read in pieces, so that memory is allocated only for data that the file
  // contains.
  if (inflater_ != nullptr) {
    if (before > kReadAhead) {
      buffer_.erase(0, before);
      buffer_start_ = offset;
    }
    const uint64_t end = offset - buffer_start_ + size;
    WEIR_TRY(inflater_->Fill(*file_, end, buffer_));
  } else if (before + size > buffer_.size() || before > buffer_.size()) {
    buffer_.erase(0, std::min<uint64_t>(before, buffer_.size()));
    buffer_start_ = offset;
    while (buffer_.size() < size) {
      const size_t have = buffer_.size();
      const size_t piece = std::max(kReadAhead, std::min<size_t>(size - have, std::max(have, size_t{1} << 20)));
      buffer_.resize(have + piece);
      const Result<size_t> got = file_->Read(offset + have, piece, buffer_.data() + have);
      buffer_.resize(have + got.value_or(0));
      WEIR_TRY(got.status());
      if (*got < piece) break;
    }
  }
  const std::string_view rest =
      std::string_view(buffer_).substr(std::min<uint64_t>(offset - buffer_start_, buffer_.size()));
  return rest.substr(0, size);
}

Result<std::optional<std::string>> RecordReader::Next() {
  WEIR_ASSIGN(std::string_view header, Bytes(offset_, kHeader));
  if (header.empty()) return std::nullopt;
  if (header.size() < kHeader) return DataLoss("{}: truncated record {} at offset {}", path_, number_, offset_);
  const uint64_t length = Fixed64(header.data());
  if (crc32c::Unmask(Fixed32(header.data() + 8)) != crc32c::Value(header.data(), 8))
    return DataLoss("{}: corrupted record {} at offset {}: wrong checksum of its length{}", path_, number_, offset_,
                    number_ == 0 ? " (is it a TFRecord file, and is the compression type right?)" : "");
  if (length > uint64_t{INT64_MAX} / 2)
    return DataLoss("{}: corrupted record {} at offset {}", path_, number_, offset_);
  WEIR_ASSIGN(const std::string_view data, Bytes(offset_ + kHeader, length + kFooter));
  if (data.size() < length + kFooter)
    return DataLoss("{}: truncated record {} at offset {}: it has {} of {} bytes", path_, number_, offset_,
                    std::min<uint64_t>(data.size(), length), length);
  const std::string_view record = data.substr(0, length);
  if (crc32c::Unmask(Fixed32(data.data() + length)) != crc32c::Value(record))
    return DataLoss("{}: corrupted record {} at offset {}: wrong checksum of its data", path_, number_, offset_);
  offset_ += kHeader + length + kFooter;
  ++number_;
  return std::optional<std::string>(record);
}

}  // namespace weir::io
