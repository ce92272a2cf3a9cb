// FileWriter: writes events (summaries, graphs, session logs) to an event file for TensorBoard. Adding an event is
// cheap: a separate thread writes the file. Thread-safe.
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

#include "weir/base/clock.h"
#include "weir/base/env.h"
#include "weir/proto/messages.h"
#include "weir/train/meta_graph.h"

namespace weir {

namespace io {
class EventWriter;
}  // namespace io

// Where hooks and supervisors write events. The step is the training step, if there is one.
class SummaryWriter {
 public:
  virtual ~SummaryWriter() = default;
  using Step = std::optional<int64_t>;
  virtual Status AddSummary(tensorflow::Summary summary, Step step = {}) = 0;
  virtual Status AddSessionLog(tensorflow::SessionLog log, Step step = {}) = 0;
  virtual Status AddGraph(const tensorflow::GraphDef& graph, Step step = {}) = 0;
  virtual Status AddMetaGraph(const tensorflow::MetaGraphDef& meta_graph, Step step = {}) = 0;
  // InvalidArgument if the tag was already used.
  virtual Status AddRunMetadata(const tensorflow::RunMetadata& metadata, const std::string& tag, Step step = {}) = 0;
  // Blocks until everything added is in the file, or returns the error.
  virtual Status Flush() = 0;
  // Flushes, and accepts no events until Reopen.
  virtual Status Close() = 0;
  virtual Status Reopen() = 0;
};
using SummaryWriterPtr = std::shared_ptr<SummaryWriter>;

struct FileWriterOptions {
  int max_queue = 10;       // events that may be queued before Add* blocks; 0 or less: unlimited
  double flush_secs = 120;  // longest time until an event is in the file
  std::string filename_suffix = "";
  Env* env = &RealEnv();
  Clock* clock = &RealClock();
};

class FileWriter final : public SummaryWriter {
 public:
  // Creates the directory and the file. `logdir` must not be a file.
  static Result<std::shared_ptr<FileWriter>> Make(std::string logdir, FileWriterOptions options = {});
  ~FileWriter() override;  // like Close
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  // The metadata of a tag is written only with its first value.
  Status AddSummary(tensorflow::Summary summary, Step step = {}) override;
  Status AddSessionLog(tensorflow::SessionLog log, Step step = {}) override;
  Status AddGraph(const tensorflow::GraphDef& graph, Step step = {}) override;
  Status AddMetaGraph(const tensorflow::MetaGraphDef& meta_graph, Step step = {}) override;
  Status AddRunMetadata(const tensorflow::RunMetadata& metadata, const std::string& tag, Step step = {}) override;
  // Adds any event; a missing time is set to now. A closed writer drops events and logs a warning once. Write errors of
  // the thread are returned by the next call.
  Status AddEvent(tensorflow::Event event);
  Status Flush() override;
  // Flushes, closes the file and ends the thread. No-op if already closed.
  Status Close() override;
  // After Close: further events go to a new file (or the same one within the same second).
  Status Reopen() override;

  const std::string& logdir() const { return logdir_; }
  std::string path() const;  // path of the current file
  bool closed() const;

 private:
  FileWriter(std::string logdir, FileWriterOptions options);
  Status Open();
  void Run();  // the thread
  void WriteWaiting(std::unique_lock<std::mutex>& lock);
  tensorflow::Event EventAt(Step step) const;

  const std::string logdir_;
  const FileWriterOptions options_;
  const std::unique_ptr<io::EventWriter> events_;  // used only by the thread while it runs

  mutable std::mutex mu_;
  std::condition_variable changed_;
  std::deque<std::string> waiting_;  // serialized
  uint64_t flushes_requested_ = 0;
  uint64_t flushes_done_ = 0;
  bool closed_ = true;
  bool told_closed_ = false;
  std::string path_;
  Status error_;  // last error of the thread
  std::set<std::string> seen_tags_;
  std::set<std::string> run_tags_;
  std::mutex lifetime_mu_;  // held while opening and closing
  std::thread thread_;
};

// Adds the graph with shapes, and its meta graph with collections: the first events of a new file.
Status AddGraphEvents(SummaryWriter& writer, const Graph& graph, const CollectionCodec& codec = {});

// One writer per directory, shared by independent users. Thread-safe.
class FileWriterCache final {
 public:
  // `made`: the writer is new, so the caller should add the graph.
  struct Found {
    std::shared_ptr<FileWriter> writer;
    bool made = false;
  };
  explicit FileWriterCache(Env& env = RealEnv()) : env_(env) {}
  Result<Found> Get(const std::string& logdir);
  // Closes all writers and removes them from the cache.
  Status Clear();
  Env& env() const { return env_; }

 private:
  Env& env_;
  std::mutex mu_;
  std::map<std::string, std::shared_ptr<FileWriter>> writers_;
};

}  // namespace weir
