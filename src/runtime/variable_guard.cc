#include "runtime/variable_guard.h"

#include "device/gpu_device.h"
#include "device/gpu_memory.h"

namespace weir {
namespace {

bool UsesValue(ValueUse use) { return use != ValueUse::kShape && use != ValueUse::kExistence; }

// The value in the memory of the GPU; null: in host memory.
Result<Tensor> MoveTo(GpuDevice* gpu, const Tensor& value) {
  WEIR_ASSIGN(Tensor on_host, CopyToHost(value));
  if (gpu == nullptr) return on_host;
  WEIR_ASSIGN(const std::shared_ptr<GpuStream> stream, gpu->stream());
  return CopyToGpu(stream, on_host);
}

}  // namespace

bool NeedsVariableGuard(const PlanGraph& graph, int32_t n) {
  const PlanGraph::Node& node = graph.nodes[n];
  const StateRole role = node.op().traits.state;
  if ((role != StateRole::kReads && role != StateRole::kUpdates) || !UsesValue(node.op().traits.value_use))
    return false;
  for (PlanValue input : node.inputs) {
    if (graph.type_of(input) != kResource) continue;
    if (input.fed() || graph.nodes[input.node].op().traits.state != StateRole::kVariableHandle) return true;
  }
  return false;
}

Kernel GuardVariables(const Kernel& kernel, const PlanGraph::Node& node) {
  if (kernel.is_async()) return kernel;
  GpuDevice* const gpu = node.placed->gpu();
  return Kernel::Sync([kernel, gpu](KernelContext& ctx) -> Status {
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      if (ctx.input(i).dtype() != kResource) continue;
      const Result<ResourcePtr<VariableState>> variable = ctx.LookupResource<VariableState>(i);
      if (!variable.ok()) continue;  // not a variable, or none yet: the kernel decides
      const Tensor value = (*variable)->Read();
      if (!value.valid() || value.num_elements() == 0 || !IsPlain(value.dtype())) continue;
      GpuStream* wanted = nullptr;
      if (gpu != nullptr) {
        WEIR_ASSIGN(const std::shared_ptr<GpuStream> stream, gpu->stream());
        wanted = stream.get();
      }
      if (GpuOf(value) == wanted) continue;
      const OpDef& op = *ctx.node().op;
      if (op.traits.value_use == ValueUse::kGives) {
        WEIR_ASSIGN(Tensor moved, MoveTo(gpu, value));
        ctx.set_output(0, std::move(moved));
        return OkStatus();
      }
      return Unimplemented(
          "node '{}' ({}) on {} uses a variable in the memory of another device. Place the variable, or the function "
          "that uses it, with tf.device",
          ctx.name(), op.name, ctx.node().device);
    }
    return kernel.Run(ctx);
  });
}

}  // namespace weir
