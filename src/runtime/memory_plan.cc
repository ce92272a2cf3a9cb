#include "runtime/memory_plan.h"

#include <algorithm>
#include <array>
#include <bit>

#include "op/memory_slot.h"
#include "runtime/plan.h"

namespace weir {
namespace {

constexpr int64_t kMostStepBytes = int64_t{16} << 20;
// Small blocks from the thread's heap cache cost less than slots that have dropped out of the CPU cache. So a slot of
// at most kCheapBytes is used only if at least kMinSharers values share it.
constexpr int64_t kCheapBytes = 900;
constexpr int32_t kMinSharers = 4;

// The ancestors of each node, as bit sets in a ring buffer. Covers only the last kMostWords * kBits nodes, to bound the
// memory in large graphs; ancestors further back count as not ordered.
class Ancestors final {
 public:
  explicit Ancestors(size_t num_nodes) {
    const size_t words = std::bit_ceil(num_nodes / kBits + 1);
    words_ = static_cast<int32_t>(std::min<size_t>(words, kMostWords));
    bits_.resize(static_cast<size_t>(words_) * words_ * kBits);
  }

  // REQUIRES: called for every node, in order.
  void Add(int32_t node, absl::Span<const int32_t> waits_for) {
    last_ = node;
    const int32_t first = FirstWord(node);
    uint64_t* own = Row(node);
    std::fill_n(own, words_, 0);
    for (const int32_t before : waits_for) {
      const int32_t end = before / kBits;
      if (end < first) continue;
      const uint64_t* theirs = Row(before);
      for (int32_t w = first; w <= end; ++w) own[w & (words_ - 1)] |= theirs[w & (words_ - 1)];
      own[end & (words_ - 1)] |= uint64_t{1} << (before % kBits);
    }
  }

  // Whether `node` is an ancestor of the node that was added last.
  bool Has(int32_t node) {
    const int32_t word = node / kBits;
    return word >= FirstWord(last_) && ((Row(last_)[word & (words_ - 1)] >> (node % kBits)) & 1) != 0;
  }

 private:
  static constexpr int32_t kBits = 64;
  static constexpr size_t kMostWords = 32;

  int32_t FirstWord(int32_t node) const { return std::max(node / kBits - words_ + 1, 0); }
  uint64_t* Row(int32_t node) { return bits_.data() + static_cast<size_t>(node & (words_ * kBits - 1)) * words_; }

  int32_t words_ = 0;  // per row; a power of two, as is the number of rows
  int32_t last_ = 0;
  std::vector<uint64_t> bits_;
};

class SlotAssigner final {
 public:
  SlotAssigner(absl::Span<const int32_t> begin, absl::Span<const int32_t> waits_for,
               absl::Span<const BufferLifetime> lives, int64_t max_bytes)
      : begin_(begin), waits_for_(waits_for), lives_(lives), left_(max_bytes), ancestors_(begin.size() - 1) {}

  std::vector<int32_t> Run() {
    const auto num_nodes = static_cast<int32_t>(begin_.size()) - 1;
    FindEnds(num_nodes);
    slot_of_.assign(lives_.size(), -1);
    size_t life = 0;
    for (int32_t n = 0; n < num_nodes; ++n) {
      ancestors_.Add(n, waits_for_.subspan(begin_[n], begin_[n + 1] - begin_[n]));
      for (; life < lives_.size() && lives_[life].producer == n; ++life) slot_of_[life] = Assign(life);
      for (int32_t e = end_begin_[n]; e < end_begin_[n + 1]; ++e) {
        const int32_t ended = ends_[e];
        if (slot_of_[ended] < 0 || lives_[ended].users.size() > kMostTakers) continue;
        idle_[SizeClass(lives_[ended].bytes)].push_back(slot_of_[ended]);
      }
    }
    return std::move(slot_of_);
  }

 private:
  // Keep the planning time linear in the size of the graph.
  static constexpr int kMostTried = 16;
  static constexpr size_t kMostTakers = 256;

  struct Slot {
    size_t life = 0;  // the last life in this slot
    int64_t bytes = 0;
  };

  static int SizeClass(int64_t bytes) { return std::bit_width(static_cast<uint64_t>(bytes - 1) | 63); }

  // Groups lives by the last node that uses them.
  void FindEnds(int32_t num_nodes) {
    end_begin_.assign(num_nodes + 2, 0);
    auto end_of = [&](const BufferLifetime& life) {
      int32_t end = life.producer;
      for (const int32_t node : life.users) end = std::max(end, node);
      return end;
    };
    for (const BufferLifetime& life : lives_) ++end_begin_[end_of(life) + 2];
    for (int32_t n = 0; n <= num_nodes; ++n) end_begin_[n + 1] += end_begin_[n];
    ends_.resize(lives_.size());
    for (size_t l = 0; l < lives_.size(); ++l) ends_[end_begin_[end_of(lives_[l]) + 1]++] = static_cast<int32_t>(l);
  }

  bool EndedBefore(const BufferLifetime& life) {
    if (!ancestors_.Has(life.producer)) return false;
    return std::all_of(life.users.begin(), life.users.end(), [&](int32_t n) { return ancestors_.Has(n); });
  }

  // Prefers the slot that became idle last, because it is in the CPU cache, and among those one of the same size.
  int32_t Assign(size_t life) {
    const int64_t bytes = lives_[life].bytes;
    std::vector<int32_t>& idle = idle_[SizeClass(bytes)];
    int found = -1;
    for (int i = static_cast<int>(idle.size()), tried = 0; i-- > 0 && tried < kMostTried; ++tried) {
      const Slot& slot = slots_[idle[i]];
      const bool same_size = slot.bytes == bytes;
      if ((found >= 0 && !same_size) || !EndedBefore(lives_[slot.life])) continue;
      found = i;
      if (same_size) break;
    }
    if (found < 0) {
      if (bytes > left_) return -1;
      left_ -= bytes;
      slots_.push_back({life, bytes});
      return static_cast<int32_t>(slots_.size()) - 1;
    }
    const int32_t slot = idle[found];
    idle.erase(idle.begin() + found);
    const int64_t grows = std::max<int64_t>(bytes - slots_[slot].bytes, 0);
    left_ -= grows;  // at most doubles the slot: both sizes are in the same size class
    slots_[slot] = {life, slots_[slot].bytes + grows};
    return slot;
  }

  const absl::Span<const int32_t> begin_;
  const absl::Span<const int32_t> waits_for_;
  const absl::Span<const BufferLifetime> lives_;
  int64_t left_;
  Ancestors ancestors_;
  std::vector<int32_t> end_begin_;
  std::vector<int32_t> ends_;
  std::vector<Slot> slots_;
  std::array<std::vector<int32_t>, 65> idle_;  // by size class
  std::vector<int32_t> slot_of_;
};

class MemoryPlanner final {
 public:
  MemoryPlanner(const Plan& plan, const RecordedMemory& use) : plan_(plan), use_(use) {}

  std::unique_ptr<const MemoryPlan> Run() {
    Order();
    FindLives();
    std::vector<int32_t> slots = AssignSlots(begin_, waits_for_, lives_, kMostStepBytes);
    DropSmallSlots(slots);
    Write(slots);
    return std::move(memory_);
  }

 private:
  int32_t size() const { return static_cast<int32_t>(plan_.nodes.size()); }
  int32_t NumberOf(PlanValue v) const { return v.fed() ? -1 : first_value_[v.node] + v.output; }

  // A topological order in which a node follows soon after its inputs, similar to a real step.
  void Order() {
    first_value_ = FirstValues(plan_);
    std::vector<int32_t> pending(plan_.nodes.size());
    std::vector<int32_t> order;
    order.reserve(plan_.nodes.size());
    auto for_each_before = [&](int32_t n, auto visit) {
      for (const PlanValue input : plan_.inputs_of(n)) {
        if (!input.fed()) visit(input.node);
      }
      for (const PlanValue control : plan_.control_inputs_of(n)) visit(control.node);
    };
    std::vector<int32_t> ready;
    for (int32_t n = 0; n < size(); ++n) {
      for_each_before(n, [&](int32_t) { ++pending[n]; });
      if (pending[n] == 0) ready.push_back(n);
    }
    auto reach = [&](int32_t n) {
      if (n != kFetchEdge && --pending[n] == 0) ready.push_back(n);
    };
    while (!ready.empty()) {
      order.push_back(ready.back());
      ready.pop_back();
      const PlanNode& node = plan_.nodes[order.back()];
      for (int32_t e = node.edges.begin; e < node.edges.end; ++e) reach(plan_.edges[e].node);
      for (int32_t e = node.control_edges.begin; e < node.control_edges.end; ++e) reach(plan_.control_edges[e]);
    }
    position_.assign(plan_.nodes.size(), -1);
    for (size_t i = 0; i < order.size(); ++i) position_[order[i]] = static_cast<int32_t>(i);
    begin_.push_back(0);
    for (const int32_t n : order) {
      for_each_before(n, [&](int32_t before) { waits_for_.push_back(position_[before]); });
      begin_.push_back(static_cast<int32_t>(waits_for_.size()));
    }
    order_ = std::move(order);
  }

  // Values that share memory form one life, which begins with the value that allocated it.
  void FindLives() {
    const std::vector<RecordedMemory::Value>& values = use_.values;
    life_of_.assign(values.size(), -1);
    std::vector<int32_t> root(values.size());
    std::vector<uint8_t> dies(values.size(), 0);
    for (const int32_t n : order_) {
      for (int32_t v = first_value_[n]; v < first_value_[n + 1]; ++v) {
        root[v] = values[v].same_as < 0 ? v : root[values[v].same_as];
        if (values[v].died) dies[root[v]] = 1;
      }
    }
    auto has_slot = [&](int32_t r) {
      return dies[r] != 0 && values[r].bytes > 0 && values[r].bytes <= static_cast<int64_t>(kMaxSlotBytes);
    };
    for (const int32_t n : order_) {
      for (int32_t v = first_value_[n]; v < first_value_[n + 1]; ++v) {
        if (root[v] != v || !has_slot(v)) continue;
        life_of_[v] = static_cast<int32_t>(lives_.size());
        lives_.push_back({position_[n], {}, values[v].bytes});
      }
    }
    for (const int32_t n : order_) {
      for (int32_t v = first_value_[n]; v < first_value_[n + 1]; ++v) {
        life_of_[v] = life_of_[root[v]];
        // The value may use the memory from the start of this node, even if the kernel does not reuse it every time.
        if (life_of_[v] >= 0 && root[v] != v) lives_[life_of_[v]].users.push_back(position_[n]);
      }
      for (const PlanValue input : plan_.inputs_of(n)) {
        const int32_t v = NumberOf(input);
        if (v >= 0 && life_of_[v] >= 0) lives_[life_of_[v]].users.push_back(position_[n]);
      }
    }
  }

  void DropSmallSlots(std::vector<int32_t>& slots) const {
    std::vector<int32_t> sharers(lives_.size(), 0);
    std::vector<int64_t> bytes(lives_.size(), 0);
    for (size_t l = 0; l < lives_.size(); ++l) {
      if (slots[l] < 0) continue;
      ++sharers[slots[l]];
      bytes[slots[l]] = std::max(bytes[slots[l]], lives_[l].bytes);
    }
    std::vector<int32_t> renamed(lives_.size(), -1);
    int32_t num_left = 0;
    for (size_t s = 0; s < lives_.size(); ++s) {
      if (bytes[s] > kCheapBytes || sharers[s] >= kMinSharers) renamed[s] = num_left++;
    }
    for (int32_t& slot : slots) {
      if (slot >= 0) slot = renamed[slot];
    }
  }

  void Write(const std::vector<int32_t>& slots) {
    memory_->first_slot.assign(plan_.nodes.size(), -1);
    memory_->return_slot.assign(plan_.frames[0].num_entries, -1);
    for (int32_t n = 0; n < size(); ++n) {
      const int32_t first = first_value_[n], end = first_value_[n + 1];
      auto slot_of = [&](int32_t v) {
        return life_of_[v] < 0 || use_.values[v].same_as >= 0 ? -1 : slots[life_of_[v]];
      };
      for (int32_t v = first; v < end; ++v) {
        const int32_t slot = slot_of(v);
        if (slot < 0) continue;
        memory_->first_slot[n] = static_cast<int32_t>(memory_->slots.size());
        if (memory_->slot_bytes.size() <= static_cast<size_t>(slot)) memory_->slot_bytes.resize(slot + 1);
        memory_->slot_bytes[slot] = std::max(memory_->slot_bytes[slot], use_.values[v].bytes);
        memory_->bytes_unshared += use_.values[v].bytes;
        ++memory_->num_outputs;
      }
      if (memory_->first_slot[n] >= 0) {
        for (int32_t v = first; v < end; ++v) memory_->slots.push_back(slot_of(v));
      }
      for (int32_t i = 0; i < plan_.nodes[n].num_inputs; ++i) {
        const int32_t v = NumberOf(plan_.inputs_of(n)[i]);
        if (v >= 0 && life_of_[v] >= 0) memory_->return_slot[plan_.nodes[n].first_entry + i] = slots[life_of_[v]];
      }
    }
  }

  const Plan& plan_;
  const RecordedMemory& use_;
  std::unique_ptr<MemoryPlan> memory_ = std::make_unique<MemoryPlan>();
  std::vector<int32_t> first_value_;
  std::vector<int32_t> order_;
  std::vector<int32_t> position_;  // indexed by node: its index in order_
  std::vector<int32_t> begin_;
  std::vector<int32_t> waits_for_;
  std::vector<BufferLifetime> lives_;
  std::vector<int32_t> life_of_;  // by value
};

}  // namespace

std::vector<int32_t> AssignSlots(absl::Span<const int32_t> begin, absl::Span<const int32_t> waits_for,
                                 absl::Span<const BufferLifetime> lives, int64_t max_bytes) {
  return SlotAssigner(begin, waits_for, lives, max_bytes).Run();
}

std::vector<int32_t> FirstValues(const Plan& plan) {
  std::vector<int32_t> first(plan.nodes.size() + 1, 0);
  for (size_t n = 0; n < plan.nodes.size(); ++n) first[n + 1] = first[n] + plan.nodes[n].num_outputs;
  return first;
}

std::unique_ptr<const MemoryPlan> PlanMemory(const Plan& plan, const RecordedMemory& use) {
  return MemoryPlanner(plan, use).Run();
}

std::string MemoryPlan::ToString() const {
  int64_t bytes = 0;
  for (const int64_t slot : slot_bytes) bytes += slot;
  return fmt::format("{} outputs in {} slots of {} bytes, {} without sharing", num_outputs, slot_bytes.size(), bytes,
                     bytes_unshared);
}

}  // namespace weir
