// Event files: records that are Event messages, the first of them with the version of the format. TensorBoard finds
// them by "tfevents" in their names.
#ifndef WEIR_IO_EVENT_FILE_H_
#define WEIR_IO_EVENT_FILE_H_

#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/env.h"
#include "io/record_file.h"
#include "proto/event.pb.h"

namespace weir::io {

// "events.out.tfevents.1700000000.host" below `prefix` ("logs/events").
std::string EventFileName(std::string_view prefix, int64_t seconds, std::string_view host, std::string_view suffix);
// The name of this machine, as event files carry it.
std::string HostName();

// Not thread-safe. The file appears with the first event. After an error, which may have torn a record, later events go
// to a new file: they would be lost to readers behind the torn one.
class EventWriter final {
 public:
  EventWriter(Env& env, Clock& clock, std::string prefix, std::string suffix = "")
      : env_(env), clock_(clock), prefix_(std::move(prefix)), suffix_(std::move(suffix)) {}
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  // Makes the file and writes the version: what the first Write does otherwise.
  Status Init();
  Status Write(const tensorflow::Event& event) { return WriteBytes(event.SerializeAsString()); }
  // A serialized Event.
  Status WriteBytes(std::string_view event);
  // Readers see all events up to here. A file that was deleted under the writer begins anew.
  Status Flush();
  Status Close();
  const std::string& path() const { return path_; }  // empty before the first event

 private:
  // Ends the file when `status` is an error.
  Status EndOnError(Status status);

  Env& env_;
  Clock& clock_;
  const std::string prefix_;
  const std::string suffix_;
  std::string path_;
  std::unique_ptr<RecordWriter> records_;
  int torn_files_ = 0;  // that an error has ended
};

}  // namespace weir::io

#endif  // WEIR_IO_EVENT_FILE_H_
