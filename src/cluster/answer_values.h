// Values between tasks that need no call of their own. A part that only reads variables ends as soon as it has read
// them: what the master's own task receives from it comes with the answer to RunGraph, as what a client fetches does,
// instead of being asked for. On the wire nothing is new.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "graph/graph.h"
#include "runtime/partition.h"
#include "runtime/rendezvous.h"

namespace weir {

// What a call or an answer takes along: more is worth calls of its own, which other values need not wait for.
inline constexpr size_t kMaxBytesAlong = size_t{128} << 10;
inline constexpr size_t kUnknownBytes = std::numeric_limits<size_t>::max();
// The size of a value; kUnknownBytes where nobody knows it, and where it is too large to be taken along anyway.
size_t BytesAlong(DType type, const PartialShape& shape);

// Lets small values that `part` sends to `task` come with its answer: their sends become client_terminated. Gives the
// keys that RunGraph has to name then; none where the part may wait for something, or takes its time. Sizes are known
// by the session's `graph`.
std::vector<std::string> TakeIntoAnswer(const std::string& task, const Graph& graph, Partition* part);

// Where such values of one step meet the nodes that wait for them. Thread-safe; after Abort nobody waits.
class AnswerValues final {
 public:
  using Keys = absl::flat_hash_set<std::string>;
  explicit AnswerValues(std::shared_ptr<const Keys> keys) : keys_(std::move(keys)) {}

  bool Has(const std::string& key) const { return keys_->contains(key); }
  // REQUIRES: Has(key), for both, and each once.
  void Bring(const std::string& key, Tensor value) {
    values_->Send(key, {std::move(value), false}).IgnoreError();  // nobody waits for it any more
  }
  void RecvAsync(const std::string& key, Rendezvous::Done done) { values_->RecvAsync(key, std::move(done)); }
  void Abort(const Status& reason) { values_->Abort(reason); }

 private:
  const std::shared_ptr<const Keys> keys_;
  const IntrusivePtr<LocalRendezvous> values_ = MakeIntrusive<LocalRendezvous>();
};

}  // namespace weir
