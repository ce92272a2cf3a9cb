#include "train/file_writer.h"

#include <algorithm>
#include <utility>

#include "base/clock_wait.h"
#include "graph/graph_def.h"
#include "train/log.h"

namespace weir {

FileWriter::FileWriter(std::string logdir, FileWriterOptions options)
    : logdir_(std::move(logdir)),
      options_(std::move(options)),
      events_(std::make_unique<io::EventWriter>(*options_.env, *options_.clock, JoinPath(logdir_, "events"),
                                                options_.filename_suffix)) {}

Result<std::shared_ptr<FileWriter>> FileWriter::Make(std::string logdir, FileWriterOptions options) {
  WEIR_TRY(options.env->MakeDirectories(logdir));
  std::shared_ptr<FileWriter> writer(new FileWriter(std::move(logdir), std::move(options)));
  WEIR_TRY(writer->Open());
  return writer;
}

FileWriter::~FileWriter() {
  if (const Status status = Close(); !status.ok()) TrainWarning("{}: {}", logdir_, std::string(status.message()));
}

Status FileWriter::Open() {
  std::lock_guard<std::mutex> lifetime(lifetime_mu_);
  {
    std::lock_guard<std::mutex> lock(mu_);
    if (!closed_) return OkStatus();
    WEIR_TRY(events_->Init());
    path_ = events_->path();
    error_ = OkStatus();
    closed_ = false;
    told_closed_ = false;
  }
  thread_ = std::thread([this] { Run(); });
  return OkStatus();
}

Status FileWriter::Reopen() { return Open(); }

Status FileWriter::Close() {
  std::lock_guard<std::mutex> lifetime(lifetime_mu_);
  {
    std::lock_guard<std::mutex> lock(mu_);
    if (closed_) return OkStatus();
    closed_ = true;
    changed_.notify_all();
  }
  thread_.join();
  const Status closing = events_->Close();
  std::lock_guard<std::mutex> lock(mu_);
  Status status = error_.ok() ? closing : error_;
  error_ = OkStatus();
  return status;
}

tensorflow::Event FileWriter::EventAt(Step step) const {
  tensorflow::Event event;
  event.set_wall_time(static_cast<double>(options_.clock->NowMicros()) / 1e6);
  if (step.has_value()) event.set_step(*step);
  return event;
}

Status FileWriter::AddSummary(tensorflow::Summary summary, Step step) {
  {
    std::lock_guard<std::mutex> lock(mu_);
    for (tensorflow::Summary::Value& value : *summary.mutable_value())
      if (value.has_metadata() && !seen_tags_.insert(value.tag()).second) value.clear_metadata();
  }
  tensorflow::Event event = EventAt(step);
  event.mutable_summary()->Swap(&summary);
  return AddEvent(std::move(event));
}

Status FileWriter::AddSessionLog(tensorflow::SessionLog log, Step step) {
  tensorflow::Event event = EventAt(step);
  event.mutable_session_log()->Swap(&log);
  return AddEvent(std::move(event));
}

Status FileWriter::AddGraph(const tensorflow::GraphDef& graph, Step step) {
  tensorflow::Event event = EventAt(step);
  event.set_graph_def(graph.SerializeAsString());
  return AddEvent(std::move(event));
}

Status FileWriter::AddMetaGraph(const tensorflow::MetaGraphDef& meta_graph, Step step) {
  tensorflow::Event event = EventAt(step);
  event.set_meta_graph_def(meta_graph.SerializeAsString());
  return AddEvent(std::move(event));
}

Status FileWriter::AddRunMetadata(const tensorflow::RunMetadata& metadata, const std::string& tag, Step step) {
  {
    std::lock_guard<std::mutex> lock(mu_);
    if (!run_tags_.insert(tag).second)
      return InvalidArgument("The provided tag was already used for this event type: {}", tag);
  }
  tensorflow::Event event = EventAt(step);
  event.mutable_tagged_run_metadata()->set_tag(tag);
  event.mutable_tagged_run_metadata()->set_run_metadata(metadata.SerializeAsString());
  return AddEvent(std::move(event));
}

Status FileWriter::AddEvent(tensorflow::Event event) {
  if (event.wall_time() == 0) event.set_wall_time(EventAt({}).wall_time());
  std::string bytes;
  if (!event.SerializeToString(&bytes)) return InvalidArgument("{}: an event is over 2 GB", logdir_);
  std::unique_lock<std::mutex> lock(mu_);
  const auto limit = static_cast<size_t>(std::max(options_.max_queue, 0));
  if (limit > 0) changed_.wait(lock, [&] { return closed_ || waiting_.size() < limit; });
  if (closed_) {
    if (!told_closed_)
      TrainWarning("{}: the FileWriter is closed: events are dropped until reopen() is called", logdir_);
    told_closed_ = true;
    return OkStatus();
  }
  waiting_.push_back(std::move(bytes));
  changed_.notify_all();
  return std::exchange(error_, OkStatus());
}

Status FileWriter::Flush() {
  std::unique_lock<std::mutex> lock(mu_);
  if (closed_) return OkStatus();
  const uint64_t number = ++flushes_requested_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return flushes_done_ >= number; });
  return std::exchange(error_, OkStatus());
}

std::string FileWriter::path() const {
  std::lock_guard<std::mutex> lock(mu_);
  return path_;
}

bool FileWriter::closed() const {
  std::lock_guard<std::mutex> lock(mu_);
  return closed_;
}

void FileWriter::WriteWaiting(std::unique_lock<std::mutex>& lock) {
  while (!waiting_.empty()) {
    const std::string event = std::move(waiting_.front());
    waiting_.pop_front();
    changed_.notify_all();
    lock.unlock();
    const Status status = events_->WriteBytes(event);
    lock.lock();
    if (!status.ok()) error_ = status;
  }
}

void FileWriter::Run() {
  Clock& clock = *options_.clock;
  constexpr double kLongestSeconds = 3e9;  // does not overflow any clock
  const double seconds = options_.flush_secs > 0 ? std::min(options_.flush_secs, kLongestSeconds) : 0;  // NaN: 0
  const auto interval = static_cast<int64_t>(seconds * 1e9);
  int64_t next_flush = clock.MonotonicNanos() + interval;
  bool unflushed = false;
  std::unique_lock<std::mutex> lock(mu_);
  while (true) {
    const auto something = [&] { return !waiting_.empty() || flushes_requested_ > flushes_done_ || closed_; };
    if (unflushed)
      WaitOn(clock, lock, changed_, next_flush, something);
    else
      changed_.wait(lock, something);
    const uint64_t asked = flushes_requested_;
    const bool ending = closed_;
    unflushed |= !waiting_.empty();
    WriteWaiting(lock);
    if (asked > flushes_done_ || ending || clock.MonotonicNanos() >= next_flush) {
      lock.unlock();
      const Status status = events_->Flush();
      lock.lock();
      if (!status.ok()) error_ = status;
      path_ = events_->path();
      next_flush = clock.MonotonicNanos() + interval;
      unflushed = false;
      flushes_done_ = asked;
      changed_.notify_all();
    }
    if (ending) break;
  }
  flushes_done_ = flushes_requested_;  // release flushes requested in the meantime
  changed_.notify_all();
}

Status AddGraphEvents(SummaryWriter& writer, const Graph& graph, const CollectionCodec& codec) {
  WEIR_ASSIGN(tensorflow::GraphDef def, ExportGraphDef(graph, {.add_shapes = true}));
  WEIR_TRY(writer.AddGraph(def));
  MetaGraphOptions options;
  options.graph_def = std::move(def);
  options.codec = codec;
  WEIR_ASSIGN(const tensorflow::MetaGraphDef meta_graph, ExportMetaGraph(graph, options));
  return writer.AddMetaGraph(meta_graph);
}

Result<FileWriterCache::Found> FileWriterCache::Get(const std::string& logdir) {
  std::lock_guard<std::mutex> lock(mu_);
  if (const auto found = writers_.find(logdir); found != writers_.end()) return Found{found->second, false};
  WEIR_ASSIGN(std::shared_ptr<FileWriter> writer, FileWriter::Make(logdir, {.env = &env_}));
  writers_[logdir] = writer;
  return Found{std::move(writer), true};
}

Status FileWriterCache::Clear() {
  std::map<std::string, std::shared_ptr<FileWriter>> writers;
  {
    std::lock_guard<std::mutex> lock(mu_);
    writers.swap(writers_);
  }
  Status first;
  for (const auto& [logdir, writer] : writers)
    if (const Status status = writer->Close(); !status.ok() && first.ok()) first = status;
  return first;
}

}  // namespace weir
