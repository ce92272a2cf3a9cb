// The memory of a step: recording how values use memory, and the slots of planned memory.
#include "runtime/step.h"

namespace weir {

void Step::PrepareMemory() {
  if (owner_->BeginMemoryRecording()) {
    keeps_memory_ = true;
    memory_ = nullptr;
    slots_ = nullptr;
    recording_ = std::make_unique<MemoryRecording>();
    recording_->first_value = FirstValues(plan_);
    const auto num_values = static_cast<size_t>(recording_->first_value.back());
    recording_->recorded = std::make_unique<MemorySlot[]>(num_values);
    for (size_t v = 0; v < num_values; ++v) recording_->recorded[v].max_bytes = kMaxSlotBytes;
    recording_->use.values.resize(num_values);
    return;
  }
  const MemoryPlan* const planned = owner_->memory_plan();
  if (planned == memory_) return;
  memory_ = planned;
  keeps_memory_ = planned != nullptr;
  slots_ = nullptr;
  if (planned == nullptr) return;
  slots_ = std::make_unique<MemorySlot[]>(planned->slot_bytes.size());
  for (size_t s = 0; s < planned->slot_bytes.size(); ++s) {
    slots_[s].max_bytes = std::min<size_t>(2 * planned->slot_bytes[s] + 4096, kMaxSlotBytes);
    slots_[s].outgrown = &outgrown_;
  }
}

bool Step::OfferRecordingSlots(int32_t node, EdgeValue* outputs) {
  MemorySlot* const recorded = recording_->recorded.get() + recording_->first_value[node];
  for (int32_t i = 0; i < plan_.nodes[node].num_outputs; ++i) OfferSlot(recorded[i], outputs[i]);
  return true;
}

// Lock-free: concurrent nodes write disjoint entries; only the last owner of a shared input writes the input's entry.
void Step::RecordMemoryUse(int32_t node, EdgeValue* inputs, const EdgeValue* outputs) {
  const int32_t first = recording_->first_value[node];
  const absl::Span<const PlanValue> sources = plan_.inputs_of(node);
  auto number_of = [&](PlanValue v) { return v.fed() ? -1 : recording_->first_value[v.node] + v.output; };
  for (int32_t o = 0; o < plan_.nodes[node].num_outputs; ++o) {
    const Tensor& value = outputs[o].tensor;
    RecordedMemory::Value& seen = recording_->use.values[first + o];
    if (!value.valid() || !value.buffer()) continue;
    for (size_t i = 0; i < sources.size() && seen.same_as < 0; ++i) {
      if (value.SharesMemoryWith(inputs[i].tensor)) seen.same_as = number_of(sources[i]);
    }
    for (int32_t before = 0; before < o && seen.same_as < 0; ++before) {
      if (value.SharesMemoryWith(outputs[before].tensor)) seen.same_as = first + before;
    }
    if (value.buffer().get() == recording_->recorded[first + o].in_use)
      seen.bytes = static_cast<int64_t>(value.num_bytes());
  }
  for (size_t i = 0; i < sources.size(); ++i) {
    const int32_t value = number_of(sources[i]);
    if (value >= 0 && inputs[i].tensor.OwnsMemoryAlone()) recording_->use.values[value].died = true;
    Release(inputs[i]);
  }
}

// REQUIRES: no thread works for the step.
void Step::EndMemory() {
  if (recording_ != nullptr) {
    if (aborted_.load(std::memory_order_relaxed)) {
      owner_->RequestMemoryRecording();
    } else {
      owner_->PlanMemory(recording_->use);
    }
    recording_ = nullptr;
    keeps_memory_ = false;
  } else if (outgrown_.load(std::memory_order_relaxed)) {
    outgrown_.store(false, std::memory_order_relaxed);
    owner_->RequestMemoryRecording();
  }
}

}  // namespace weir
