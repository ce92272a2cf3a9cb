// Record files (TFRecord): a sequence of byte strings. Each record is
//   length: fixed64, masked crc32c of the length: fixed32, data, masked crc32c of the data: fixed32
// The whole file may be compressed with zlib or gzip. Damage is DataLoss with file and offset.
#ifndef WEIR_IO_RECORD_FILE_H_
#define WEIR_IO_RECORD_FILE_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "weir/base/env.h"
#include "weir/io/compression.h"

namespace weir::io {

class Inflater;

// Not thread-safe. Records may be lost unless Close succeeds. After an error the file may end with a partial record, so
// nothing more is written: all later calls return the first error.
class RecordWriter final {
 public:
  static Result<std::unique_ptr<RecordWriter>> Open(Env& env, const std::string& path,
                                                    Compression compression = Compression::kNone, int level = -1);
  // Writes uncompressed records to an open file.
  explicit RecordWriter(std::unique_ptr<WritableFile> file);
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  Status Write(std::string_view record);
  // Makes all records so far visible to other processes.
  Status Flush();
  Status Sync();
  Status Close();

 private:
  class Deflater;
  Status Append(std::string_view bytes);
  // Returns `status`, and stores it in error_ if it is the first error.
  Status StoreError(Status status);
  std::unique_ptr<WritableFile> file_;
  Status error_;
  std::unique_ptr<Deflater> deflater_;  // null: not compressed
};

// Not thread-safe.
class RecordReader final {
 public:
  static Result<std::unique_ptr<RecordReader>> Open(Env& env, const std::string& path,
                                                    Compression compression = Compression::kNone);
  ~RecordReader();
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  // Returns the next record, or nothing at the end of the file. DataLoss for a damaged or truncated record. The next
  // call then tries the same record again, so that a reader can follow a file that is still being written.
  Result<std::optional<std::string>> Next();
  // Offset of the next record, in decompressed bytes.
  uint64_t offset() const { return offset_; }

 private:
  RecordReader(std::string path, std::unique_ptr<ReadableFile> file);
  // Returns the bytes [offset, offset + size), or fewer at the end of the file.
  Result<std::string_view> Bytes(uint64_t offset, uint64_t size);
  const std::string path_;
  std::unique_ptr<ReadableFile> file_;
  std::unique_ptr<Inflater> inflater_;
  uint64_t offset_ = 0;
  uint64_t number_ = 0;  // of the next record
  std::string buffer_;   // bytes of the file from buffer_start_ on
  uint64_t buffer_start_ = 0;
};

}  // namespace weir::io

#endif  // WEIR_IO_RECORD_FILE_H_
