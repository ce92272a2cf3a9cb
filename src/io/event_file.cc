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
  WEIR_ASSIGN(std::unique_ptr<WritableFile> file, env_.OpenAppend(path_));
  records_ = std::make_unique<RecordWriter>(std::move(file));
  tensorflow::Event version;
  version.set_wall_time(static_cast<double>(now) / 1e6);
  version.set_file_version(kVersion);
  WEIR_TRY(records_->Write(version.SerializeAsString()));
  return records_->Flush();
}

Status EventWriter::WriteBytes(std::string_view event) {
  WEIR_TRY(Init());
  return records_->Write(event);
}

Status EventWriter::Flush() {
  if (records_ == nullptr) return OkStatus();
  WEIR_TRY(records_->Flush());
  if (env_.Exists(path_)) return OkStatus();
  records_.reset();
  return Init();
}

Status EventWriter::Close() {
  if (records_ == nullptr) return OkStatus();
  const std::unique_ptr<RecordWriter> records = std::move(records_);
  return records->Close();
}

}  // namespace weir::io
