#include "runtime/gpu_region.h"

#include <absl/cleanup/cleanup.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

#include "device/gpu_memory.h"
#include "op/gpu_kernel.h"
#include "op/node_error.h"

namespace weir {
namespace {

constexpr size_t kSlotAlignment = 256;
// Graphs that are kept for different input shapes.
constexpr size_t kMostGraphs = 8;
// After this many steps in a row that could not replay a graph, it is recorded again.
constexpr int kMostMisses = 4;
constexpr int64_t kCopyBlock = 256 << 10;

size_t RoundUp(size_t bytes) { return (bytes + kSlotAlignment - 1) / kSlotAlignment * kSlotAlignment; }

// Memory that the host and the device share. Freed when the last reference is dropped.
class PinnedBlock final {
 public:
  static Result<std::unique_ptr<PinnedBlock>> Make(std::shared_ptr<GpuStream> stream, size_t bytes) {
    WEIR_ASSIGN(void* const memory, stream->AllocatePinned(std::max(bytes, kSlotAlignment)));
    return std::unique_ptr<PinnedBlock>(new PinnedBlock(std::move(stream), static_cast<char*>(memory)));
  }
  ~PinnedBlock() { stream_->FreePinned(memory_); }
  PinnedBlock(const PinnedBlock&) = delete;
  PinnedBlock& operator=(const PinnedBlock&) = delete;
  char* at(size_t offset) const { return memory_ + offset; }

 private:
  PinnedBlock(std::shared_ptr<GpuStream> stream, char* memory) : stream_(std::move(stream)), memory_(memory) {}
  const std::shared_ptr<GpuStream> stream_;
  char* const memory_;
};

// A value of the host or the GPU in the blocks of a recorded graph.
struct Slot {
  DType dtype = kInvalidType;
  Shape shape;
  size_t offset = 0;
  size_t bytes = 0;
};

// What a graph assumes about a variable.
struct CapturedVariable {
  const VariableState* variable = nullptr;
  const void* memory = nullptr;
  Shape shape;
};

struct Recorded {
  std::unique_ptr<GpuGraph> graph;
  std::map<int32_t, Slot> fed;               // by input: host values that the graph copies, and GPU values
  std::unique_ptr<PinnedBlock> fed_on_host;  // the inputs of the next replay
  Tensor fed_on_gpu;
  size_t fed_bytes = 0;            // of fed_on_host
  std::map<int32_t, Slot> copied;  // by value: what the graph copies to the host
  std::unique_ptr<PinnedBlock> copied_on_host;
  std::map<int32_t, Tensor> to_upload;            // by value: on the host, computed from shapes
  std::map<int32_t, Tensor> of_shapes;            // by value: the same on the GPU
  std::vector<Tensor> values;                     // by output: the other outputs
  std::map<int32_t, CapturedVariable> variables;  // by input
  int misses = 0;
};

class GpuRegionKernel final {
 public:
  GpuRegionKernel(std::shared_ptr<const GpuRegion> region, std::shared_ptr<GpuStream> stream)
      : region_(std::move(region)), gpu_(*region_->gpu), stream_(std::move(stream)) {}

  Status Run(KernelContext& ctx) {
    DropAliases(ctx);
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return RunMembers(ctx, nullptr);  // another step replays
    Entry& entry = EntryFor(ctx);
    if (entry.steps++ == 0 || entry.fails) return RunMembers(ctx, nullptr);
    if (entry.recorded == nullptr) {
      Result<std::unique_ptr<Recorded>> recorded = Record(ctx);
      if (!recorded.ok()) {
        entry.fails = true;
        return RunMembers(ctx, nullptr);
      }
      entry.recorded = *std::move(recorded);
    }
    Recorded& recorded = *entry.recorded;
    WEIR_ASSIGN(const bool replayed, Replay(ctx, recorded));
    if (replayed) {
      recorded.misses = 0;
      return TakeOutputs(ctx, recorded);
    }
    if (++recorded.misses >= kMostMisses) entry.recorded = nullptr;
    return RunMembers(ctx, nullptr);
  }

 private:
  struct Entry {
    int64_t steps = 0;
    int64_t last_use = 0;
    bool fails = false;  // it cannot be recorded
    std::unique_ptr<Recorded> recorded;
  };

  // The references that the executor has resolved must not count as readers of the variables.
  static void DropAliases(KernelContext& ctx) {
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      if (ctx.raw_input(i).is_ref()) ctx.raw_input(i).tensor = Tensor();
    }
  }

  static bool IsVariable(KernelContext& ctx, int i) {
    return ctx.raw_input(i).is_ref() || ctx.raw_input(i).tensor.dtype() == kResource;
  }

  Entry& EntryFor(KernelContext& ctx) {
    std::vector<int64_t> key;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      if (IsVariable(ctx, i) || !ctx.input(i).valid()) continue;
      const Shape& shape = ctx.input(i).shape();
      key.push_back(shape.rank());
      key.insert(key.end(), shape.begin(), shape.end());
    }
    ++clock_;
    if (auto found = entries_.find(key); found != entries_.end()) {
      found->second.last_use = clock_;
      return found->second;
    }
    if (entries_.size() >= kMostGraphs) {
      const auto older = [](const auto& a, const auto& b) { return a.second.last_use < b.second.last_use; };
      entries_.erase(std::min_element(entries_.begin(), entries_.end(), older));
    }
    Entry& entry = entries_[std::move(key)];
    entry.last_use = clock_;
    return entry;
  }

  // ---- one by one ----

  static Status OfMember(const Status& status, const GpuRegion::Member& member) {
    return WithNode(status, member.kernel->info.name, member.kernel->info.op->name);
  }

  Status ResolveRefs(const GpuRegion::Member& member, absl::Span<EdgeValue> inputs) const {
    for (size_t i = 0; i < inputs.size(); ++i) {
      EdgeValue& input = inputs[i];
      if (!input.ref) continue;
      input.tensor = input.ref->Read();
      if (!input.tensor.valid() && !member.allows_uninitialized)
        // Only inputs of the region are references.
        return FailedPrecondition("Attempting to use uninitialized value {}",
                                  region_->input_names[member.inputs[i].number]);
      if (!IsRef(member.kernel->info.input_types[i])) input.ref = nullptr;
    }
    return OkStatus();
  }

  // Runs the members in order. `recorded`: records their work instead; copies between host and GPU then use its blocks.
  Status RunMembers(KernelContext& ctx, Recorded* recorded) {
    std::vector<EdgeValue> values(static_cast<size_t>(region_->num_values));
    std::vector<EdgeValue> inputs;
    for (const GpuRegion::Member& member : region_->members) {
      inputs.clear();
      inputs.resize(member.inputs.size());
      for (size_t i = 0; i < inputs.size(); ++i) {
        const GpuRegion::Source& source = member.inputs[i];
        if (source.kind == GpuRegion::Source::kConstant) {
          inputs[i].tensor = region_->constants[source.number];
        } else if (source.kind == GpuRegion::Source::kInput) {
          inputs[i] = InputOf(ctx, source.number, recorded);
        } else if (source.last) {
          inputs[i] = std::move(values[source.number]);
        } else {
          inputs[i] = values[source.number];
        }
      }
      const absl::Span<EdgeValue> outputs = absl::MakeSpan(values).subspan(static_cast<size_t>(member.first_value),
                                                                           static_cast<size_t>(member.num_outputs));
      Status status = ResolveRefs(member, absl::MakeSpan(inputs));
      if (!status.ok()) return OfMember(status, member);
      if (recorded != nullptr && member.role == GpuRegion::Member::kCopyToGpu) {
        WEIR_ASSIGN(outputs[0].tensor, RecordedOnGpu(member, inputs[0].tensor, *recorded));
      } else if (recorded != nullptr && member.role == GpuRegion::Member::kCopyToHost) {
        status = RecordCopyToHost(inputs[0].tensor, member.first_value, *recorded);
      } else {
        KernelContext inner(member.kernel->info, ctx.step(), absl::MakeSpan(inputs), outputs);
        status = member.kernel->kernel.Run(inner);
      }
      if (!status.ok()) return OfMember(status, member);
    }
    for (size_t k = 0; k < region_->outputs.size(); ++k) {
      const GpuRegion::Output& output = region_->outputs[k];
      if (recorded == nullptr) {
        ctx.set_output(static_cast<int>(k), values[output.value].tensor);
      } else if (!output.copied) {
        recorded->values[k] = std::move(values[output.value].tensor);
      }
    }
    return OkStatus();
  }

  // ---- recording ----

  EdgeValue InputOf(KernelContext& ctx, int32_t number, Recorded* recorded) const {
    const EdgeValue& input = ctx.raw_input(number);
    if (recorded == nullptr) return input;
    const auto slot = recorded->fed.find(number);
    const bool on_gpu = slot != recorded->fed.end() && GpuOf(input.tensor) != nullptr;
    return on_gpu ? EdgeValue{SlotOnGpu(*recorded, slot->second), nullptr} : input;
  }

  // What a copy to the GPU gives: an input, which each replay feeds, or a value computed from shapes, which is the same
  // in all replays. The latter is uploaded between two recordings, and the first one only needs its size.
  Result<Tensor> RecordedOnGpu(const GpuRegion::Member& member, const Tensor& value, Recorded& recorded) const {
    if (member.inputs[0].kind == GpuRegion::Source::kInput)
      return SlotOnGpu(recorded, recorded.fed.at(member.inputs[0].number));
    if (const auto uploaded = recorded.of_shapes.find(member.first_value); uploaded != recorded.of_shapes.end())
      return uploaded->second;
    recorded.to_upload.emplace(member.first_value, value);
    return gpu_.AllocateTemp(value.dtype(), value.shape());
  }

  Tensor SlotOnGpu(const Recorded& recorded, const Slot& slot) const {
    char* const memory = static_cast<char*>(recorded.fed_on_gpu.raw()) + slot.offset;
    BufferPtr part = MakeIntrusive<GpuBuffer>(memory, slot.bytes, stream_, recorded.fed_on_gpu.buffer());
    return Tensor::FromBuffer(slot.dtype, slot.shape, std::move(part), memory);
  }

  Status RecordCopyToHost(const Tensor& value, int32_t number, Recorded& recorded) {
    const Slot slot{value.dtype(), value.shape(), copied_bytes_, value.num_bytes()};
    copied_bytes_ += RoundUp(slot.bytes);
    recorded.copied.emplace(number, slot);
    if (copied_bytes_ > most_copied_bytes_) return OkStatus();  // no room yet: this pass only adds up the sizes
    return stream_->CopyToHost(recorded.copied_on_host->at(slot.offset), value.raw(), slot.bytes);
  }

  Result<std::unique_ptr<Recorded>> Record(KernelContext& ctx) {
    auto recorded = std::make_unique<Recorded>();
    WEIR_TRY(FindVariables(ctx, *recorded));
    // Host values come first, so that one copy moves all of them.
    size_t bytes = 0;
    for (const bool on_gpu : {false, true}) {
      for (int i = 0; i < ctx.num_inputs(); ++i) {
        const Tensor& value = ctx.input(i);
        if (IsVariable(ctx, i) || !value.valid() || !IsPlain(value.dtype()) || (GpuOf(value) != nullptr) != on_gpu)
          continue;
        recorded->fed[i] = {value.dtype(), value.shape(), bytes, value.num_bytes()};
        bytes += RoundUp(value.num_bytes());
      }
      if (!on_gpu) recorded->fed_bytes = bytes;
    }
    WEIR_ASSIGN(recorded->fed_on_host, PinnedBlock::Make(stream_, recorded->fed_bytes));
    WEIR_ASSIGN(recorded->fed_on_gpu,
                gpu_.AllocateTemp(kUint8, Shape{static_cast<int64_t>(std::max(bytes, kSlotAlignment))}));
    // The first recording finds the size of the copies to the host and the values computed from shapes; the second one
    // has memory for the copies and these values on the GPU.
    for (most_copied_bytes_ = 0;; most_copied_bytes_ = copied_bytes_) {
      copied_bytes_ = sizeof(GpuFault) <= kSlotAlignment ? kSlotAlignment : RoundUp(sizeof(GpuFault));
      recorded->copied.clear();
      recorded->values.assign(region_->outputs.size(), Tensor());
      WEIR_ASSIGN(recorded->copied_on_host, PinnedBlock::Make(stream_, most_copied_bytes_));
      WEIR_TRY(stream_->BeginCapture());
      absl::Cleanup abandon = [this] { stream_->EndCapture().status().IgnoreError(); };
      WEIR_TRY(RecordWork(ctx, *recorded));
      std::move(abandon).Cancel();
      WEIR_ASSIGN(recorded->graph, stream_->EndCapture());
      const bool measured = copied_bytes_ <= std::max(most_copied_bytes_, kSlotAlignment);
      if (measured && recorded->to_upload.empty()) return recorded;
      recorded->values.clear();
      for (const auto& [number, value] : std::exchange(recorded->to_upload, {})) {
        WEIR_ASSIGN(recorded->of_shapes[number], CopyToGpu(stream_, value));
      }
    }
  }

  Status RecordWork(KernelContext& ctx, Recorded& recorded) {
    if (recorded.fed_bytes > 0)
      WEIR_TRY(stream_->CopyToDevice(recorded.fed_on_gpu.raw(), recorded.fed_on_host->at(0), recorded.fed_bytes));
    WEIR_TRY(RunMembers(ctx, &recorded));
    takes_fault_ = gpu_.MayFault() && stream_->fault_address() != nullptr;
    if (!takes_fault_) return OkStatus();
    return stream_->CopyToHost(recorded.copied_on_host->at(0), stream_->fault_address(), sizeof(GpuFault));
  }

  Status FindVariables(KernelContext& ctx, Recorded& recorded) const {
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      if (!IsVariable(ctx, i)) continue;
      WEIR_ASSIGN(const ResourcePtr<VariableState> variable, VariableOf(ctx, i));
      std::shared_lock lock(variable->mu());
      const Tensor& value = variable->value_locked();
      if (!value.valid()) return FailedPrecondition("a variable has no value");
      recorded.variables[i] = {variable.get(), value.raw(), value.shape()};
    }
    return OkStatus();
  }

  static Result<ResourcePtr<VariableState>> VariableOf(KernelContext& ctx, int i) {
    if (ctx.raw_input(i).is_ref()) return ctx.raw_input(i).ref;
    return ctx.LookupResource<VariableState>(i);
  }

  // ---- replay ----

  // Returns false if the variables are not as recorded, or are in use.
  Result<bool> Replay(KernelContext& ctx, Recorded& recorded) {
    std::vector<ResourcePtr<VariableState>> variables;
    std::vector<VariableState*> order;
    for (const auto& [i, captured] : recorded.variables) {
      Result<ResourcePtr<VariableState>> variable = VariableOf(ctx, i);
      if (!variable.ok() || variable->get() != captured.variable) return false;
      order.push_back(variable->get());
      variables.push_back(*std::move(variable));
    }
    std::sort(order.begin(), order.end());
    order.erase(std::unique(order.begin(), order.end()), order.end());
    std::vector<std::unique_lock<std::shared_mutex>> locks;
    locks.reserve(order.size());
    for (VariableState* variable : order) locks.emplace_back(variable->mu());
    size_t at = 0;
    for (const auto& [i, captured] : recorded.variables) {
      VariableState& variable = *variables[at++];
      const Tensor& value = variable.value_locked();
      if (!value.valid() || value.raw() != captured.memory || !(value.shape() == captured.shape)) return false;
      if (!region_->updated_inputs[i]) continue;
      if (ctx.raw_input(i).is_ref() ? value.HasReaders() : !value.OwnsMemoryAlone()) return false;
    }
    WEIR_TRY(Feed(ctx, recorded));
    WEIR_TRY(stream_->Replay(*recorded.graph));
    return true;
  }

  Status Feed(KernelContext& ctx, Recorded& recorded) {
    for (const auto& [i, slot] : recorded.fed) {
      const Tensor& value = ctx.input(i);
      if (GpuOf(value) != nullptr) {
        char* const to = static_cast<char*>(recorded.fed_on_gpu.raw()) + slot.offset;
        WEIR_TRY(stream_->CopyOnDevice(to, value.raw(), slot.bytes));
        continue;
      }
      char* const to = recorded.fed_on_host->at(slot.offset);
      const char* const from = static_cast<const char*>(value.raw());
      const auto bytes = static_cast<int64_t>(slot.bytes);
      ctx.ParallelForAll(
          (bytes + kCopyBlock - 1) / kCopyBlock, /*cost_per_unit=*/kCopyBlock / 10, [&](int64_t begin, int64_t end) {
            const int64_t first = begin * kCopyBlock;
            std::memcpy(to + first, from + first, static_cast<size_t>(std::min(end * kCopyBlock, bytes) - first));
          });
    }
    return OkStatus();
  }

  Status TakeOutputs(KernelContext& ctx, Recorded& recorded) {
    for (size_t k = 0; k < region_->outputs.size(); ++k) {
      const GpuRegion::Output& output = region_->outputs[k];
      if (output.copied) continue;
      Tensor value = recorded.values[k];
      if (output.on_gpu) {
        // The graph overwrites its memory in the next replay.
        WEIR_ASSIGN(Tensor copy, gpu_.AllocateTemp(value.dtype(), value.shape()));
        WEIR_TRY(stream_->CopyOnDevice(copy.raw(), value.raw(), value.num_bytes()));
        value = std::move(copy);
      }
      ctx.set_output(static_cast<int>(k), std::move(value));
    }
    // The next replay writes into the same blocks.
    WEIR_TRY(stream_->Synchronize());
    if (takes_fault_) {
      GpuFault fault;
      std::memcpy(&fault, recorded.copied_on_host->at(0), sizeof(fault));
      if (fault.kind != GpuFault::kNone) WEIR_TRY(gpu_.TakeFault(*stream_));
    }
    for (size_t k = 0; k < region_->outputs.size(); ++k) {
      const GpuRegion::Output& output = region_->outputs[k];
      if (!output.copied) continue;
      const Slot& slot = recorded.copied.at(output.value);
      WEIR_ASSIGN(Tensor value, Tensor::Allocate(slot.dtype, slot.shape));
      if (slot.bytes > 0) std::memcpy(value.raw(), recorded.copied_on_host->at(slot.offset), slot.bytes);
      ctx.set_output(static_cast<int>(k), std::move(value));
    }
    return OkStatus();
  }

  const std::shared_ptr<const GpuRegion> region_;
  GpuDevice& gpu_;
  const std::shared_ptr<GpuStream> stream_;
  std::mutex mutex_;  // held by the step that records or replays. Guards:
  std::map<std::vector<int64_t>, Entry> entries_;
  int64_t clock_ = 0;
  size_t copied_bytes_ = 0;
  size_t most_copied_bytes_ = 0;
  bool takes_fault_ = false;
};

struct RegionOp : OpDef {
  std::shared_ptr<const GpuRegion> region;
};
struct RegionNode {
  RegionOp op;
  NodeProps props;
};

Result<Kernel> MakeRegionKernel(KernelSetup& setup, GpuDevice& gpu) {
  const auto& op = static_cast<const RegionOp&>(*setup.node().op);
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  auto kernel = std::make_shared<GpuRegionKernel>(op.region, std::move(stream));
  return Kernel::Sync([kernel](KernelContext& ctx) { return kernel->Run(ctx); });
}

}  // namespace

bool IsGpuRegion(const OpDef& op) { return op.is_gpu_region; }

std::shared_ptr<const NodeProps> MakeGpuRegion(GpuRegionNode described, GpuRegion region) {
  auto node = std::make_shared<RegionNode>();
  node->props.name = std::move(described.name);
  node->props.op = &node->op;
  node->props.attrs = std::make_shared<AttrMap>();
  node->props.input_types = std::move(described.input_types);
  node->props.output_types = std::move(described.output_types);
  node->op.name = kGpuRegionOp;
  node->op.is_gpu_region = true;
  node->op.allows_uninitialized_input = true;  // the members check
  node->op.region = std::make_shared<const GpuRegion>(std::move(region));
  node->op.kernels = WithGpu({}, {.make = MakeRegionKernel, .attrs = "", .runs = GpuKernel::Runs::kCopies});
  return std::shared_ptr<const NodeProps>(node, &node->props);
}

}  // namespace weir
