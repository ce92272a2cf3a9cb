// Record sources for the supported kinds of files. Memory use is bounded by the content of a file, not by the sizes
// that an attribute or a file claims.
#include <algorithm>
#include <cstring>

#include "io/inflater.h"
#include "io/record_file.h"
#include "ops/io/reader.h"

namespace weir::ops {
namespace {

constexpr size_t kReadAhead = size_t{256} << 10;

class RecordFile final : public RecordSource {
 public:
  RecordFile(std::string path, std::unique_ptr<io::RecordReader> reader)
      : path_(std::move(path)), reader_(std::move(reader)) {}
  Result<bool> Next(Record* record, bool*) override {
    const uint64_t offset = reader_->offset();
    WEIR_ASSIGN(std::optional<std::string> next, reader_->Next());
    if (!next.has_value()) return false;
    record->key = fmt::format("{}:{}", path_, offset);
    record->value = *std::move(next);
    return true;
  }

 private:
  const std::string path_;
  const std::unique_ptr<io::RecordReader> reader_;
};

// The bytes of a file in order, decompressed if needed.
class ByteStream final {
 public:
  static Result<std::unique_ptr<ByteStream>> Open(Env& env, const std::string& path, io::Compression compression) {
    std::unique_ptr<ByteStream> stream(new ByteStream);
    WEIR_ASSIGN(stream->file_, env.OpenRead(path));
    if (compression != io::Compression::kNone) {
      WEIR_ASSIGN(stream->inflater_, io::Inflater::Make(path, compression));
    }
    return stream;
  }
  // Returns at least the next `size` bytes, or all that are left. They stay valid until the next call of Peek.
  Result<std::string_view> Peek(uint64_t size) {
    if (buffer_.size() - used_ < size) {
      buffer_.erase(0, used_);
      used_ = 0;
      if (inflater_ != nullptr) {
        WEIR_TRY(inflater_->Fill(*file_, std::max<uint64_t>(size, kReadAhead), buffer_));
      } else {
        WEIR_TRY(Fill(size));
      }
    }
    return std::string_view(buffer_).substr(used_);
  }
  // REQUIRES: size is at most that of the last Peek's result.
  void Skip(size_t size) { used_ += size; }

 private:
  ByteStream() = default;
  Status Fill(uint64_t size) {
    while (buffer_.size() < size) {
      const size_t have = buffer_.size();
      const size_t piece =
          std::max<size_t>(kReadAhead, std::min<uint64_t>(size - have, std::max<size_t>(have, size_t{1} << 20)));
      buffer_.resize(have + piece);
      const Result<size_t> got = file_->Read(position_, piece, buffer_.data() + have);
      buffer_.resize(have + got.value_or(0));
      WEIR_TRY(got.status());
      position_ += *got;
      if (*got < piece) break;
    }
    return OkStatus();
  }
  std::unique_ptr<ReadableFile> file_;
  std::unique_ptr<io::Inflater> inflater_;
  std::string buffer_;
  size_t used_ = 0;
  uint64_t position_ = 0;
};

class TextLines final : public RecordSource {
 public:
  TextLines(std::string path, std::unique_ptr<ByteStream> bytes, int64_t skip)
      : path_(std::move(path)), bytes_(std::move(bytes)), skip_(skip) {}
  Result<bool> Next(Record* record, bool*) override {
    for (; number_ < skip_;) {
      WEIR_ASSIGN(const bool found, Line(&record->value));
      if (!found) return false;
    }
    WEIR_ASSIGN(const bool found, Line(&record->value));
    if (found) record->key = fmt::format("{}:{}", path_, number_);
    return found;
  }

 private:
  // Reads the next line without its end.
  Result<bool> Line(std::string* line) {
    size_t searched = 0;
    for (uint64_t wanted = 1;; wanted = searched + 1) {
      WEIR_ASSIGN(const std::string_view rest, bytes_->Peek(wanted));
      const size_t end = rest.find('\n', searched);
      if (end == std::string_view::npos && rest.size() >= wanted) {
        searched = rest.size();
        continue;
      }
      if (rest.empty()) return false;
      const std::string_view text = rest.substr(0, end);
      // TensorFlow drops every '\r', not only those of "\r\n".
      line->clear();
      std::copy_if(text.begin(), text.end(), std::back_inserter(*line), [](char c) { return c != '\r'; });
      bytes_->Skip(std::min(text.size() + 1, rest.size()));
      ++number_;
      return true;
    }
  }
  const std::string path_;
  const std::unique_ptr<ByteStream> bytes_;
  const int64_t skip_;
  int64_t number_ = 0;
};

class FixedLengthRecords final : public RecordSource {
 public:
  FixedLengthRecords(std::string path, std::unique_ptr<ByteStream> bytes, const FixedLengthOptions& options)
      : path_(std::move(path)), bytes_(std::move(bytes)), options_(options) {}
  Result<bool> Next(Record* record, bool*) override {
    const auto length = static_cast<uint64_t>(options_.record_bytes);
    const auto footer = static_cast<uint64_t>(options_.footer_bytes);
    const auto hop = static_cast<uint64_t>(options_.hop_bytes);
    WEIR_ASSIGN(bool skipped, SkipBytes(number_ == 0 ? static_cast<uint64_t>(options_.header_bytes) : hop));
    if (!skipped) return false;
    WEIR_ASSIGN(const std::string_view rest, bytes_->Peek(length + footer));
    if (rest.size() < length + footer) return false;
    record->key = fmt::format("{}:{}", path_, number_++);
    record->value.assign(rest.substr(0, length));
    return true;
  }

 private:
  Result<bool> SkipBytes(uint64_t count) {
    while (count > 0) {
      const uint64_t part = std::min<uint64_t>(count, kReadAhead);
      WEIR_ASSIGN(const std::string_view rest, bytes_->Peek(part));
      if (rest.size() < part) return false;
      bytes_->Skip(part);
      count -= part;
    }
    return true;
  }
  const std::string path_;
  const std::unique_ptr<ByteStream> bytes_;
  const FixedLengthOptions options_;
  int64_t number_ = 0;
};

class OneRecord final : public RecordSource {
 public:
  explicit OneRecord(Record record) : record_(std::move(record)) {}
  Result<bool> Next(Record* record, bool* last) override {
    *record = std::move(record_);
    *last = true;
    return true;
  }

 private:
  Record record_;
};

}  // namespace

OpenSource RecordFileSource(const std::string& compression) {
  return [compression](Env& env, const std::string& path) -> Result<std::unique_ptr<RecordSource>> {
    WEIR_ASSIGN(const io::Compression kind, io::ParseCompression(compression));
    WEIR_ASSIGN(std::unique_ptr<io::RecordReader> reader, io::RecordReader::Open(env, path, kind));
    return std::make_unique<RecordFile>(path, std::move(reader));
  };
}

OpenSource TextLineSource(int64_t skip_header_lines, const std::string& compression) {
  return [skip_header_lines, compression](Env& env, const std::string& path) -> Result<std::unique_ptr<RecordSource>> {
    WEIR_ASSIGN(const io::Compression kind, io::ParseCompression(compression));
    WEIR_ASSIGN(std::unique_ptr<ByteStream> bytes, ByteStream::Open(env, path, kind));
    return std::make_unique<TextLines>(path, std::move(bytes), skip_header_lines);
  };
}

OpenSource FixedLengthSource(const FixedLengthOptions& given) {
  FixedLengthOptions options = given;
  if (options.hop_bytes == 0) options.hop_bytes = options.record_bytes;
  return [options](Env& env, const std::string& path) -> Result<std::unique_ptr<RecordSource>> {
    WEIR_ASSIGN(const io::Compression kind, io::ParseCompression(options.encoding));
    WEIR_ASSIGN(std::unique_ptr<ByteStream> bytes, ByteStream::Open(env, path, kind));
    return std::make_unique<FixedLengthRecords>(path, std::move(bytes), options);
  };
}

OpenSource WholeFileSource() {
  return [](Env& env, const std::string& path) -> Result<std::unique_ptr<RecordSource>> {
    WEIR_ASSIGN(std::string text, env.ReadFile(path));
    return std::make_unique<OneRecord>(Record{path, std::move(text)});
  };
}

OpenSource IdentitySource() {
  return [](Env&, const std::string& work) -> Result<std::unique_ptr<RecordSource>> {
    return std::make_unique<OneRecord>(Record{work, work});
  };
}

}  // namespace weir::ops
