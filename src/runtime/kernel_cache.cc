// Factories run without the cache's lock, because they may be slow or instantiate functions. If two threads race to
// create a kernel, both use the one that was created first.
#include "runtime/kernel_cache.h"

#include "device/gpu_device.h"
#include "op/hidden_attrs.h"
#include "op/node_error.h"
#include "runtime/fused_elementwise.h"
#include "runtime/gpu_region.h"

namespace weir {
namespace {

// The kernel of a node whose op is a function of the library: calls the function.
Result<Kernel> MakeFunctionCall(KernelSetup& setup) {
  const NodeInfo& node = setup.node();
  if (setup.functions() == nullptr)
    return Unimplemented("function '{}' cannot be called: this session has no function runner", node.op->name);
  WEIR_ASSIGN(FunctionRunner::Handle handle, setup.functions()->Instantiate(FuncAttr{node.op->name, node.attrs}));
  return Kernel::Async([handle](KernelContext& ctx, Done done) {
    std::vector<Tensor> args;
    for (int i = 0; i < ctx.num_inputs(); ++i) args.push_back(std::move(ctx.raw_input(i).tensor));
    ctx.step().functions->Run(
        handle, ctx.step(), std::move(args), [&ctx, done = std::move(done)](Result<std::vector<Tensor>> results) {
          if (!results.ok()) return done(results.status());
          if (static_cast<int>(results->size()) != ctx.num_outputs())
            return done(Internal("the function returned {} values instead of {}", results->size(), ctx.num_outputs()));
          for (int i = 0; i < ctx.num_outputs(); ++i) ctx.set_output(i, std::move((*results)[i]));
          done(OkStatus());
        });
  });
}

Result<Kernel> MakeKernelFor(const NodeInfo& info, const Device& device, Env& env, ResourceManager* resources,
                             FunctionRunner* functions) {
  KernelSetup setup(info, env, resources, functions);
  if (info.op->is_function) return MakeFunctionCall(setup);
  if (GpuDevice* const gpu = device.gpu(); gpu != nullptr) {
    const GpuKernelChoice choice = FindGpuKernel(*info.op, *info.attrs);
    if (!choice.found()) return InvalidArgument("no GPU kernel for op '{}' (node '{}')", info.op->name, info.name);
    return gpu->MakeKernel(choice, setup);
  }
  WEIR_ASSIGN(const KernelDef* def, FindKernel(info, device.kind()));
  return MakeKernel(*def, setup);
}

// Whether the kernel has state that graphs may share by node name. Graphs do not share functions, which are
// instantiated per graph; kernels with variant inputs, which may keep functions (of a dataset); and sends and receives,
// which differ between graphs.
bool HasOwnState(const NodeProps& props) {
  const OpTraits& traits = props.op->traits;
  if (!props.op->stateful || props.op->is_function) return false;
  if (traits.kind == NodeKind::kTransfer || traits.function_edge) return false;
  for (const DType type : props.input_types) {
    if (type == kVariant) return false;
  }
  for (const AttrDef& attr : props.op->attrs) {
    if (attr.type == "func" || attr.type == "list(func)") return false;
  }
  return true;
}

}  // namespace

std::shared_ptr<const BoundKernel> NamedKernels::Find(const NodeProps& props, const Device& device) {
  std::lock_guard lock(mu_);
  auto it = kernels_.find(std::pair(props.name, &device));
  if (it == kernels_.end()) return nullptr;
  const NodeProps& known = *it->second->props;
  return known.op == props.op && *known.attrs == *props.attrs ? it->second : nullptr;
}

std::shared_ptr<const BoundKernel> NamedKernels::Keep(const Device& device, std::shared_ptr<const BoundKernel> kernel) {
  std::lock_guard lock(mu_);
  auto [it, is_new] = kernels_.try_emplace(std::pair(kernel->props->name, &device), kernel);
  if (is_new) return kernel;
  const NodeProps& known = *it->second->props;
  return known.op == kernel->props->op && *known.attrs == *kernel->props->attrs ? it->second : kernel;
}

NodeInfo MakeNodeInfo(const NodeProps& props, std::string device) {
  return NodeInfo{.name = props.name,
                  .op = props.op,
                  .attrs = props.attrs,
                  .input_types = props.input_types,
                  .output_types = props.output_types,
                  .device = std::move(device)};
}

Result<std::shared_ptr<const BoundKernel>> KernelCache::Get(const std::shared_ptr<const NodeProps>& props,
                                                            const Device& device) {
  const Key key(props.get(), &device);
  {
    std::lock_guard lock(mu_);
    if (auto it = kernels_.find(key); it != kernels_.end()) return it->second;
  }
  const bool by_name = named_ != nullptr && HasOwnState(*props);
  if (by_name) {
    if (std::shared_ptr<const BoundKernel> known = named_->Find(*props, device)) {
      std::lock_guard lock(mu_);
      return kernels_.try_emplace(key, std::move(known)).first->second;
    }
  }
  auto bound = std::make_shared<BoundKernel>();
  bound->info = MakeNodeInfo(*props, device.name());
  bound->props = props;
  Result<Kernel> kernel = MakeKernelFor(bound->info, device, env_, resources_, functions_);
  if (!kernel.ok()) return WithNode(kernel.status(), props->name, props->op->name);
  bound->kernel = *std::move(kernel);
  std::shared_ptr<const BoundKernel> kept = std::move(bound);
  // A node that stands for several nodes exists in one plan only: its kernel is not cached.
  if (RegionOf(*props->op) != nullptr || IsGpuRegion(*props->op) || props->attrs->contains(kFoldedNodesAttr))
    return kept;
  if (by_name) kept = named_->Keep(device, std::move(kept));
  std::lock_guard lock(mu_);
  return kernels_.try_emplace(key, std::move(kept)).first->second;
}

void KernelCache::Clear() {
  absl::flat_hash_map<Key, std::shared_ptr<const BoundKernel>> gone;
  std::lock_guard lock(mu_);
  gone.swap(kernels_);
}

}  // namespace weir
