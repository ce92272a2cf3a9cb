// Reader: a resource that takes work units (usually file names) from a queue of strings and returns their records.
// Reads are serialized; waiting for another read or for work ends when the step is cancelled. If the source of a work
// unit fails, the work unit stays current: the next read tries it again.
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
  // Returns false if there are no more records. May set `last` to true if this record is the last one.
  virtual Result<bool> Next(Record* record, bool* last) = 0;
};
// `env` has the file and outlives the source.
using OpenSource = std::function<Result<std::unique_ptr<RecordSource>>(Env& env, const std::string& work)>;

// Thread-safe.
class Reader final : public Resource {
 public:
  // `keeps_state`: every work unit is one record, so that the state between two reads can be serialized.
  Reader(std::string title, OpenSource open, bool keeps_state)
      : title_(std::move(title)), open_(std::move(open)), keeps_state_(keeps_state) {}

  Result<Record> Read(Env& env, QueueResource& queue, CancelToken& cancel);
  // Returns between 1 and `count` records, all of one work unit.
  Result<std::vector<Record>> ReadUpTo(int64_t count, Env& env, QueueResource& queue, CancelToken& cancel);

  int64_t records_produced() const;
  int64_t work_units_completed() const;
  // Resets the reader to its initial state.
  Status Reset(CancelToken& cancel);
  // A serialized ReaderBaseState. Unimplemented if the reader does not keep state.
  Result<std::string> SerializeState(CancelToken& cancel);
  Status RestoreState(const std::string& state, CancelToken& cancel);
  std::string DebugString() const override { return "reader " + title_; }

 private:
  class ExclusiveUse;
  // Opens the next work unit if none is open. REQUIRES: the caller has ExclusiveUse.
  Status OpenNextSource(Env& env, QueueResource& queue, CancelToken& cancel);
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
  std::string work_;  // work_ and source_: accessed with ExclusiveUse, without the lock
  std::unique_ptr<RecordSource> source_;
};

// The kinds of sources. They return InvalidArgument for invalid sizes.
OpenSource RecordFileSource(const std::string& compression);
OpenSource TextLineSource(int64_t skip_header_lines, const std::string& compression = "");
struct FixedLengthOptions {
  int64_t header_bytes = 0;
  int64_t record_bytes = 0;
  int64_t footer_bytes = 0;
  int64_t hop_bytes = 0;  // distance between the starts of records; 0: record_bytes
  std::string encoding = "";
};
OpenSource FixedLengthSource(const FixedLengthOptions& options);
OpenSource WholeFileSource();
OpenSource IdentitySource();

}  // namespace weir::ops
