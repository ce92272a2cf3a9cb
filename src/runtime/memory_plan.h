// MemoryPlan: assigns the outputs of a plan to slots of memory that are reused within a step and from step to step.
// Derived from a recording of one step, because only kernels know the sizes of outputs and which inputs they overwrite.
// Two values may share a slot only if the graph orders them: all consumers of the first end before the second is
// produced, on any number of threads. So slots need no locks. If a later step differs from the recording, it allocates.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"

namespace weir {

struct Plan;

// The lifetime of a block of memory: from its producer until the last of its users has ended.
struct BufferLifetime {
  int32_t producer = 0;
  std::vector<int32_t> users;
  int64_t bytes = 0;
};

// Returns a slot for each life, or -1. The lives of a slot do not overlap in any execution order that the graph allows.
// Node n waits for waits_for[begin[n]] .. waits_for[begin[n + 1]]. REQUIRES: nodes are in topological order; `lives` is
// sorted by producer. The slots take at most `max_bytes` together.
std::vector<int32_t> AssignSlots(absl::Span<const int32_t> begin, absl::Span<const int32_t> waits_for,
                                 absl::Span<const BufferLifetime> lives, int64_t max_bytes);

// The recorded memory use of each value of a step. Values are numbered by node and output (FirstValues).
struct RecordedMemory {
  struct Value {
    int64_t bytes = 0;     // allocated by its kernel; 0 if the memory comes from elsewhere
    int32_t same_as = -1;  // the value that it shares memory with, or -1
    bool died = false;     // a consumer held the only reference to the memory when it ended
  };
  std::vector<Value> values;
};

struct MemoryPlan {
  std::vector<int32_t> first_slot;   // indexed by node: index of its first output in `slots`, or -1
  std::vector<int32_t> slots;        // indexed by first_slot + output: the slot to allocate the output in, or -1
  std::vector<int32_t> return_slot;  // indexed by entry: the slot that its memory returns to, or -1
  std::vector<int64_t> slot_bytes;   // indexed by slot: the size of its largest value
  int64_t num_outputs = 0;           // outputs with a slot
  int64_t bytes_unshared = 0;        // bytes they would take without sharing

  // "3 outputs in 2 slots of 64 bytes, 96 without sharing"
  std::string ToString() const;
};

// Returns the number of the first output of each node. The last entry is the number of all outputs.
std::vector<int32_t> FirstValues(const Plan& plan);
// REQUIRES: a plan without control flow.
std::unique_ptr<const MemoryPlan> PlanMemory(const Plan& plan, const RecordedMemory& use);

}  // namespace weir
