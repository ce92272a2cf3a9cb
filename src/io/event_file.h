// Event files: record files of Event messages. The first event has the version of the format. TensorBoard recognizes
// the files by "tfevents" in their names.
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

// "logs/events.out.tfevents.1700000000.host" for the prefix "logs/events".
std::string EventFileName(std::string_view prefix, int64_t seconds, std::string_view host, std::string_view suffix);
// The name of this machine, for the names of event files.
std::string HostName();

// Not thread-safe. The first event creates the file. An error may leave a torn record, and readers do not see events
// after one, so later events go to a new file.
class EventWriter final {
 public:
  EventWriter(Env& env, Clock& clock, std::string prefix, std::string suffix = "")
      : env_(env), clock_(clock), prefix_(std::move(prefix)), suffix_(std::move(suffix)) {}
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  // Creates the file and writes the version. Optional: the first Write calls it. No-op if the file is open.
  Status Init();
  Status Write(const tensorflow::Event& event) { return WriteBytes(event.SerializeAsString()); }
  // `event` is a serialized Event.
  Status WriteBytes(std::string_view event);
  // Makes all events so far visible to readers. If the file was deleted meanwhile, starts a new one.
  Status Flush();
  Status Close();
  const std::string& path() const { return path_; }  // empty before the first event

 private:
  // Closes the file if `status` is an error.
  Status EndOnError(Status status);

  Env& env_;
  Clock& clock_;
  const std::string prefix_;
  const std::string suffix_;
  std::string path_;
  std::unique_ptr<RecordWriter> records_;
  int torn_files_ = 0;  // number of files that were closed after an error
};

}  // namespace weir::io

#endif  // WEIR_IO_EVENT_FILE_H_
