// FileWriter: events (summaries, graphs, what happens to a session) to an event file that TensorBoard reads. Adding
// costs a step next to nothing: a thread of the writer's own does the writing. Thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/env.h"
#include "io/event_file.h"
#include "proto/config.pb.h"
#include "proto/event.pb.h"
#include "proto/meta_graph.pb.h"
#include "proto/summary.pb.h"
#include "train/meta_graph.h"

namespace weir {

// Where hooks and supervisors put what they have to tell. The step is that of training, as far as there is one.
class SummaryWriter {
 public:
  virtual ~SummaryWriter() = default;
  using Step = std::optional<int64_t>;
  virtual Status AddSummary(tensorflow::Summary summary, Step step = {}) = 0;
  virtual Status AddSessionLog(tensorflow::SessionLog log, Step step = {}) = 0;
  virtual Status AddGraph(const tensorflow::GraphDef& graph, Step step = {}) = 0;
  virtual Status AddMetaGraph(const tensorflow::MetaGraphDef& meta_graph, Step step = {}) = 0;
  // InvalidArgument for a tag that was used before.
  virtual Status AddRunMetadata(const tensorflow::RunMetadata& metadata, const std::string& tag, Step step = {}) = 0;
  // All that was added is in the file, or an error says why not.
  virtual Status Flush() = 0;
  // Flushes, and takes nothing more until Reopen.
  virtual Status Close() = 0;
  virtual Status Reopen() = 0;
};
using SummaryWriterPtr = std::shared_ptr<SummaryWriter>;

struct FileWriterOptions {
  int max_queue = 10;       // so many events may wait for the thread before adding one waits too; 0 or less: any number
  double flush_secs = 120;  // a reader sees an event after so long at the latest
  std::string filename_suffix = "";
  Env* env = &RealEnv();
  Clock* clock = &RealClock();
};

class FileWriter final : public SummaryWriter {
 public:
  // Makes the directory and the file. `logdir` may not be a file.
  static Result<std::shared_ptr<FileWriter>> Make(std::string logdir, FileWriterOptions options = {});
  ~FileWriter() override;  // as Close
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  // A value's metadata is written with the first value of its tag only.
  Status AddSummary(tensorflow::Summary summary, Step step = {}) override;
  Status AddSessionLog(tensorflow::SessionLog log, Step step = {}) override;
  Status AddGraph(const tensorflow::GraphDef& graph, Step step = {}) override;
  Status AddMetaGraph(const tensorflow::MetaGraphDef& meta_graph, Step step = {}) override;
  Status AddRunMetadata(const tensorflow::RunMetadata& metadata, const std::string& tag, Step step = {}) override;
  // Any event; one without a time gets that of now. A closed writer takes none and says so in the log, once. What the
  // thread could not write is told by whoever calls next.
  Status AddEvent(tensorflow::Event event);
  Status Flush() override;
  // Flushes, closes the file and ends the thread. Again: nothing happens.
  Status Close() override;
  // After Close: further events go to a new file (the same one within a second).
  Status Reopen() override;

  const std::string& logdir() const { return logdir_; }
  std::string path() const;  // of the file that is being written
  bool closed() const;

 private:
  FileWriter(std::string logdir, FileWriterOptions options);
  Status Open();
  void Run();  // the thread
  void WriteWaiting(std::unique_lock<std::mutex>& lock);
  tensorflow::Event EventAt(Step step) const;

  const std::string logdir_;
  const FileWriterOptions options_;
  io::EventWriter events_;  // of the thread alone while there is one

  mutable std::mutex mu_;
  std::condition_variable changed_;
  std::deque<std::string> waiting_;  // serialized
  uint64_t flushes_asked_ = 0;
  uint64_t flushes_done_ = 0;
  bool closed_ = true;
  bool told_closed_ = false;
  std::string path_;
  Status error_;  // what the thread met last
  std::set<std::string> seen_tags_;
  std::set<std::string> run_tags_;
  std::mutex lifetime_mu_;  // held while opening and closing
  std::thread thread_;
};

// A graph as TensorBoard shows it, with shapes, and with its collections as a meta graph: what a new file begins with.
Status AddGraphEvents(SummaryWriter& writer, const Graph& graph, const CollectionCodec& codec = {});

// One writer per directory, for those who write to the same place without knowing of each other. Thread-safe.
class FileWriterCache final {
 public:
  // `made` tells whether the writer is new: then its graph is still to be added.
  struct Found {
    std::shared_ptr<FileWriter> writer;
    bool made = false;
  };
  Result<Found> Get(const std::string& logdir);
  // Closes all and forgets them.
  Status Clear();

 private:
  std::mutex mu_;
  std::map<std::string, std::shared_ptr<FileWriter>> writers_;
};

}  // namespace weir
