// Reader: a resource that turns work units (mostly names of files), which it takes out of a queue of strings, into
// records. Who reads takes turns; waiting for the turn and for work ends when the step is cancelled. A work unit whose
// source fails while it is read stays: the next read meets the same error, or what has become of it.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/env.h"
#include "op/cancel.h"
#include "op/resource.h"
#include "ops/queue/queue.h"

namespace weir::ops {

struct Record {
  std::string key;
  std::string value;
};

// The records of one work unit.
class RecordSource {
 public:
  virtual ~RecordSource() = default;
  // False: there is none any more. `last`, if it becomes true, says that this one was the last.
  virtual Result<bool> Next(Record* record, bool* last) = 0;
};
// `env` has the file and outlives the source.
using OpenSource = std::function<Result<std::unique_ptr<RecordSource>>(Env& env, const std::string& work)>;

// Thread-safe.
class Reader final : public Resource {
 public:
  // `keeps_state`: every work unit is one record, so that its state between two reads is a few numbers.
  Reader(std::string title, OpenSource open, bool keeps_state)
      : title_(std::move(title)), open_(std::move(open)), keeps_state_(keeps_state) {}

  Result<Record> Read(Env& env, Queue& queue, CancelToken& cancel);
  // At least one, at most `count`, and all of one work unit.
  Result<std::vector<Record>> ReadUpTo(int64_t count, Env& env, Queue& queue, CancelToken& cancel);

  int64_t records_produced() const;
  int64_t work_units_completed() const;
  // As if nothing had been read.
  Status Reset(CancelToken& cancel);
  // A serialized ReaderBaseState. Unimplemented for kinds that keep none.
  Result<std::string> SerializeState(CancelToken& cancel);
  Status RestoreState(const std::string& state, CancelToken& cancel);
  std::string DebugString() const override { return "reader " + title_; }

 private:
  class Turn;
  // Opens the next work unit where none is open. REQUIRES: the turn.
  Status NeedSource(Env& env, Queue& queue, CancelToken& cancel);
  void EndWork();
  Status CheckKeepsState() const;

  const std::string title_;
  const OpenSource open_;
  const bool keeps_state_;

  mutable std::mutex mu_;
  std::condition_variable turn_ends_;
  bool taken_ = false;
  int64_t work_started_ = 0;
  int64_t work_finished_ = 0;
  int64_t produced_ = 0;
  std::string work_;  // who has the turn may look at it, and at the source, without the lock
  std::unique_ptr<RecordSource> source_;
};

// The kinds of sources. InvalidArgument for sizes that make no sense.
OpenSource RecordFileSource(const std::string& compression);
OpenSource TextLineSource(int64_t skip_header_lines, const std::string& compression = "");
struct FixedLengthOptions {
  int64_t header_bytes = 0;
  int64_t record_bytes = 0;
  int64_t footer_bytes = 0;
  int64_t hop_bytes = 0;  // between the beginnings of records; 0: the length of a record
  std::string encoding = "";
};
OpenSource FixedLengthSource(const FixedLengthOptions& options);
OpenSource WholeFileSource();
OpenSource IdentitySource();

}  // namespace weir::ops
