#include "op/gpu_kernel.h"

#include <algorithm>

namespace weir {
namespace {

constexpr char kGpu[] = "GPU";

// Whether all types of the attribute are in `types`; an attribute may be a list of types.
bool IsIn(TypeSet types, const AttrMap& attrs, std::string_view attr) {
  auto it = attrs.find(attr);
  if (it == attrs.end()) return false;
  if (const DType* type = it->second.As<DType>()) return types.contains(BaseType(*type));
  const auto* list = it->second.As<std::vector<DType>>();
  return list != nullptr &&
         std::all_of(list->begin(), list->end(), [&](DType type) { return types.contains(BaseType(type)); });
}

// The same for several attributes: "SrcT,DstT".
bool AllIn(TypeSet types, const AttrMap& attrs, std::string_view names) {
  if (types.empty() || names.empty()) return true;
  for (;;) {
    const size_t comma = names.find(',');
    if (!IsIn(types, attrs, names.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    names.remove_prefix(comma + 1);
  }
}

}  // namespace

Result<Kernel> GpuKernel::operator()(KernelSetup& setup) const {
  return Internal("node '{}': a GPU kernel is made by its device", setup.node().name);
}

KernelList WithGpu(KernelList kernels, GpuKernel gpu, std::vector<std::string> host_memory) {
  kernels.push_back({.device = kGpu, .types = {}, .make = gpu, .host_memory = std::move(host_memory)});
  return kernels;
}

KernelList ForwardsOnGpu(KernelList kernels, std::vector<std::string> host_memory, const char* attrs) {
  return WithGpu(std::move(kernels), {.types = kGpuPlain, .attrs = attrs, .runs = GpuKernel::Runs::kForwards},
                 std::move(host_memory));
}

KernelList ShapesOnGpu(KernelList kernels) { return WithGpu(std::move(kernels), {.runs = GpuKernel::Runs::kShapes}); }

KernelList HostOnGpu(KernelList kernels, TypeSet types) {
  return WithGpu(std::move(kernels), {.types = types, .runs = GpuKernel::Runs::kOnHost});
}

GpuKernelChoice FindGpuKernel(const OpDef& op, const AttrMap& attrs) {
  for (const KernelDef& def : op.kernels) {
    if (def.device != kGpu) continue;
    const auto* const kernel = def.make.target<GpuKernel>();
    if (kernel == nullptr) continue;
    const TypeSet types = kernel->types_of != nullptr ? kernel->types_of(op.name) : kernel->types;
    if (kernel->types_of != nullptr && types.empty()) continue;
    if (AllIn(types, attrs, kernel->attrs)) return {&def, kernel, kernel->runs};
    if (kernel->runs == GpuKernel::Runs::kForwards || AllIn({kInt32}, attrs, kernel->attrs))
      return {&def, kernel, GpuKernel::Runs::kOnHost};
  }
  return {};
}

std::vector<bool> InHostMemory(const GpuKernelChoice& choice, const OpDef& op, const AttrMap& attrs) {
  std::vector<bool> on_host;
  const std::vector<std::string>& listed = choice.def->host_memory;
  const auto add = [&](const std::vector<ArgDef>& args) {
    for (const ArgDef& arg : args) {
      const bool host =
          choice.on_host() || choice.only_shapes() || std::find(listed.begin(), listed.end(), arg.name) != listed.end();
      const Result<std::vector<DType>> types = ArgTypes({arg}, attrs);
      if (!types.ok()) continue;
      for (const DType type : *types) on_host.push_back(host || !IsPlain(BaseType(type)));
    }
  };
  add(op.inputs);
  add(op.outputs);
  return on_host;
}

}  // namespace weir
