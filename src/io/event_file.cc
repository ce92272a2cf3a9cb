#include "io/event_file.h"

#include <unistd.h>

#include <array>

namespace weir::io {
namespace {

constexpr char kVersion[] = "brain.Event:2";

}  // namespace

std::string EventFileName(std::string_view prefix, int64_t seconds, std::string_view host, std::string_view suffix) {
  return fmt::format("{}.out.tfevents.{:010}.{}{}", prefix, seconds, host, suffix);
}

std::string HostName() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

Status EventWriter::Init() {
  if (records_ != nullptr) return OkStatus();
  const int64_t now = clock_.NowMicros();
  path_ = EventFileName(prefix_, now / 1'000'000, HostName(), suffix_);
  if (torn_files_ > 0) path_ += fmt::format(".{}", torn_files_);  // else the name may equal that of the previous file
  const bool is_new = env_.Stat(path_).status().code() == StatusCode::kNotFound;
  WEIR_ASSIGN(std::unique_ptr<WritableFile> file, env_.OpenAppend(path_));
  records_ = std::make_unique<RecordWriter>(std::move(file));
  tensorflow::Event version;
  version.set_wall_time(static_cast<double>(now) / 1e6);
  version.set_file_version(kVersion);
  Status status = records_->Write(version.SerializeAsString());
  if (status.ok()) status = records_->Flush();
  if (!status.ok() && is_new) {  // do not fill a full disk with empty files
    records_.reset();
    if (env_.DeleteFile(path_).ok()) return status;
  }
  return EndOnError(std::move(status));
}

Status EventWriter::EndOnError(Status status) {
  if (status.ok()) return status;
  records_.reset();
  ++torn_files_;
  return status;
}

Status EventWriter::WriteBytes(std::string_view event) {
  WEIR_TRY(Init());
  return EndOnError(records_->Write(event));
}

Status EventWriter::Flush() {
  if (records_ == nullptr) return OkStatus();
  WEIR_TRY(EndOnError(records_->Flush()));
  if (env_.Stat(path_).status().code() != StatusCode::kNotFound) return OkStatus();
  records_.reset();
  return Init();
}

Status EventWriter::Close() {
  if (records_ == nullptr) return OkStatus();
  const std::unique_ptr<RecordWriter> records = std::move(records_);
  return EndOnError(records->Close());
}

}  // namespace weir::io
