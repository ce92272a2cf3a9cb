// Buffers planned ahead: which outputs of a plan have the same memory, one after the other, step after step. Planned
// from what one step showed, since only kernels know how large outputs are and which inputs they overwrite. Values may
// share a slot where the graph itself orders them: whoever took the one has ended before the other is made, whatever
// threads do. So no step locks a slot, and what differs from the lesson costs an allocation, never a value.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"

namespace weir {

struct Plan;

// What is in memory from when a node makes it until the last of others has ended.
struct MemoryLife {
  int32_t made_by = 0;
  std::vector<int32_t> taken_by;
  int64_t bytes = 0;
};

// A slot for each life, -1 for none: no two lives of a slot overlap in any order that the graph allows. Nodes come
// after those they wait for; node n waits for waits_for[begin[n]] .. waits_for[begin[n + 1]]. Lives are in the order
// of their makers. At most `most_bytes` together.
std::vector<int32_t> AssignSlots(absl::Span<const int32_t> begin, absl::Span<const int32_t> waits_for,
                                 absl::Span<const MemoryLife> lives, int64_t most_bytes);

// What a step showed of each value, outputs of all nodes in their order.
struct MemoryUse {
  struct Value {
    int64_t bytes = 0;     // that its kernel asked for; 0: its memory comes from elsewhere
    int32_t same_as = -1;  // the value whose memory it has
    bool died = false;     // nobody else had its memory when one who took it ended
  };
  std::vector<Value> values;
};

struct MemoryPlan {
  std::vector<int32_t> first_slot;  // by node: where its outputs are in `slots`, or -1
  std::vector<int32_t> slots;       // by output of such nodes: where it is made, or -1
  std::vector<int32_t> kept_in;     // by entry: where its memory goes, or -1
  std::vector<int64_t> slot_bytes;  // by slot: its largest value
  int64_t num_outputs = 0;          // that have a slot
  int64_t bytes_apart = 0;          // what they would take without sharing

  // "3 outputs in 2 slots of 64 bytes, 96 without sharing"
  std::string ToString() const;
};

std::vector<int32_t> FirstValues(const Plan& plan);
// REQUIRES: a plan without control flow.
std::unique_ptr<const MemoryPlan> PlanMemory(const Plan& plan, const MemoryUse& use);

}  // namespace weir
