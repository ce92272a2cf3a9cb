#include "ops/io/reader.h"

#include <algorithm>
#include <optional>

#include "op/cancel_watch.h"
#include "proto/example.pb.h"

namespace weir::ops {

// Exclusive use of the reader during one operation.
class Reader::ExclusiveUse final {
 public:
  ExclusiveUse(Reader& reader, CancelToken& cancel) : reader_(reader) {
    {
      const std::lock_guard lock(reader.mu_);  // the common case: nothing to wait for
      if (!reader.taken_) {
        has_ = reader.taken_ = true;
        return;
      }
    }
    CancelWatch watch(reader.mu_, reader.turn_ends_, &cancel);
    std::unique_lock lock(reader.mu_);
    if (watch.Wait(lock, [&] { return !reader.taken_; }).ok()) has_ = reader.taken_ = true;
  }
  ~ExclusiveUse() {
    if (!has_) return;
    std::lock_guard lock(reader_.mu_);
    reader_.taken_ = false;
    reader_.turn_ends_.notify_all();  // notify_one could choose a waiter that was cancelled
  }
  ExclusiveUse(const ExclusiveUse&) = delete;
  ExclusiveUse& operator=(const ExclusiveUse&) = delete;
  Status status() const { return has_ ? OkStatus() : Cancelled("Read operation was cancelled"); }

 private:
  Reader& reader_;
  bool has_ = false;
};

namespace {

Result<std::string> NextWork(const std::string& title, QueueResource& queue, CancelToken& cancel) {
  if (queue.spec().types != std::vector<DType>{kString})
    return InvalidArgument(
        "reader '{}' needs a queue with one component of type string, but queue '{}' has {}", title, queue.spec().name,
        queue.spec().types.size() == 1 ? fmt::format("one of type {}", OpDefTypeName(queue.spec().types[0]))
                                       : fmt::format("{} components", queue.spec().types.size()));
  std::mutex mu;
  std::condition_variable changed;
  std::optional<Result<std::vector<QueueElement>>> got;
  queue.Dequeue(1, false, cancel, [&](Result<std::vector<QueueElement>> elements) {
    std::lock_guard lock(mu);
    got = std::move(elements);
    changed.notify_one();  // with the lock held: the waiter destroys `changed` right after
  });
  std::unique_lock lock(mu);
  changed.wait(lock, [&] { return got.has_value(); });
  WEIR_TRY(got->status());
  const Tensor& work = (*got)->at(0).components[0];
  if (work.num_elements() != 1)
    return InvalidArgument("reader '{}' expects a single string per queue element, but queue '{}' returned shape {}",
                           title, queue.spec().name, work.shape());
  return *work.data<std::string>();
}

}  // namespace

Status Reader::OpenNextSource(Env& env, QueueResource& queue, CancelToken& cancel) {
  if (source_ != nullptr) return OkStatus();
  WEIR_ASSIGN(work_, NextWork(title_, queue, cancel));
  WEIR_ASSIGN(source_, open_(env, work_));
  std::lock_guard lock(mu_);
  ++work_started_;
  return OkStatus();
}

void Reader::EndWork() {
  source_.reset();
  std::lock_guard lock(mu_);
  ++work_finished_;
}

Result<Record> Reader::Read(Env& env, QueueResource& queue, CancelToken& cancel) {
  WEIR_ASSIGN(std::vector<Record> records, ReadUpTo(1, env, queue, cancel));
  return std::move(records[0]);
}

Result<std::vector<Record>> Reader::ReadUpTo(int64_t count, Env& env, QueueResource& queue, CancelToken& cancel) {
  if (count < 1)
    return InvalidArgument("num_records must be positive, but reader '{}' was asked for {}", title_, count);
  ExclusiveUse turn(*this, cancel);
  WEIR_TRY(turn.status());
  std::vector<Record> records;
  while (records.empty()) {
    if (cancel.cancelled()) return Cancelled("Read operation was cancelled");
    WEIR_TRY(OpenNextSource(env, queue, cancel));
    bool last = false;
    while (!last && static_cast<int64_t>(records.size()) < count) {
      Record record;
      Result<bool> found = source_->Next(&record, &last);
      if (!found.ok()) {
        if (records.empty()) return found.status();
        break;  // return these records first; the next read hits the error again
      }
      if (*found)
        records.push_back(std::move(record));
      else
        last = true;
    }
    if (last) EndWork();
  }
  std::lock_guard lock(mu_);
  produced_ += static_cast<int64_t>(records.size());
  return records;
}

int64_t Reader::records_produced() const {
  std::lock_guard lock(mu_);
  return produced_;
}
int64_t Reader::work_units_completed() const {
  std::lock_guard lock(mu_);
  return work_finished_;
}

Status Reader::Reset(CancelToken& cancel) {
  ExclusiveUse turn(*this, cancel);
  WEIR_TRY(turn.status());
  source_.reset();
  std::lock_guard lock(mu_);
  work_started_ = work_finished_ = produced_ = 0;
  work_.clear();
  return OkStatus();
}

Status Reader::CheckKeepsState() const {
  return keeps_state_ ? OkStatus()
                      : Unimplemented("reader '{}' does not support saving and restoring its state", title_);
}

Result<std::string> Reader::SerializeState(CancelToken& cancel) {
  WEIR_TRY(CheckKeepsState());
  ExclusiveUse turn(*this, cancel);
  WEIR_TRY(turn.status());
  tensorflow::ReaderBaseState state;
  std::lock_guard lock(mu_);
  state.set_work_started(work_started_);
  state.set_work_finished(work_finished_);
  state.set_num_records_produced(produced_);
  state.set_current_work(work_);
  return state.SerializeAsString();
}

Status Reader::RestoreState(const std::string& bytes, CancelToken& cancel) {
  WEIR_TRY(CheckKeepsState());
  tensorflow::ReaderBaseState state;
  if (!state.ParseFromString(bytes))
    return InvalidArgument(
        "could not parse the state of reader '{}': the {} bytes are not a serialized ReaderBaseState", title_,
        bytes.size());
  if (state.work_started() < 0 || state.num_records_produced() < 0 || state.work_finished() != state.work_started())
    return InvalidArgument(
        "the state of reader '{}' is inconsistent: {} work units started, {} finished, {} records produced", title_,
        state.work_started(), state.work_finished(), state.num_records_produced());
  ExclusiveUse turn(*this, cancel);
  WEIR_TRY(turn.status());
  source_.reset();
  std::lock_guard lock(mu_);
  work_started_ = state.work_started();
  work_finished_ = state.work_finished();
  produced_ = state.num_records_produced();
  work_ = state.current_work();
  return OkStatus();
}

}  // namespace weir::ops
