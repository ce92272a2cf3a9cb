// Stores sparse tensors whose handles pass through a queue. Adding a sparse tensor to the map returns a number, its
// handle; taking it by that number removes it. The map is named after the op that adds to it.
#include <mutex>

#include "absl/container/flat_hash_map.h"
#include "op/op_registry.h"
#include "ops/io/sparse_rows.h"

namespace weir::ops {
namespace {

// Thread-safe.
class SparseTensorsMap final : public Resource {
 public:
  int64_t Add(SparseParts sparse) {
    std::lock_guard lock(mu_);
    kept_.emplace(next_, std::move(sparse));
    return next_++;
  }
  // Takes all of the tensors or none. The error names the handle that was not found.
  Result<std::vector<SparseParts>> Take(absl::Span<const int64_t> handles) {
    std::lock_guard lock(mu_);
    std::vector<SparseParts> taken;
    for (const int64_t handle : handles) {
      const auto it = kept_.find(handle);
      if (it == kept_.end()) return InvalidArgument("Unable to find SparseTensor: {} in map", handle);
      taken.push_back(it->second);
    }
    for (const int64_t handle : handles) kept_.erase(handle);
    return taken;
  }
  std::string DebugString() const override {
    std::lock_guard lock(mu_);
    return fmt::format("a map of {} sparse tensors", kept_.size());
  }

 private:
  mutable std::mutex mu_;
  int64_t next_ = 0;
  absl::flat_hash_map<int64_t, SparseParts> kept_;
};

struct MapName {
  std::string container;
  std::string name;
  Result<ResourcePtr<SparseTensorsMap>> Get(KernelContext& ctx) const {
    return ctx.resources().LookupOrCreate<SparseTensorsMap>(
        container, name, []() -> Result<ResourcePtr<SparseTensorsMap>> { return MakeIntrusive<SparseTensorsMap>(); });
  }
};
Result<MapName> NameOf(const KernelSetup& setup) {
  MapName name;
  WEIR_ASSIGN(name.container, setup.Attr<std::string>("container"));
  WEIR_ASSIGN(name.name, setup.Attr<std::string>("shared_name"));
  if (name.name.empty()) name.name = setup.node().name;
  return name;
}

Result<Kernel> MakeAdd(KernelSetup& setup) {
  WEIR_ASSIGN(const MapName name, NameOf(setup));
  return Kernel::Sync([name](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(SparseParts sparse, SparseInputs(ctx, Entries::kAnywhere));
    WEIR_ASSIGN(sparse.indices, sparse.indices.Clone());
    WEIR_ASSIGN(sparse.values, sparse.values.Clone());
    WEIR_ASSIGN(sparse.shape, sparse.shape.Clone());
    WEIR_ASSIGN(const ResourcePtr<SparseTensorsMap> map, name.Get(ctx));
    ctx.set_output(0, Tensor::Scalar(map->Add(std::move(sparse))));
    return OkStatus();
  });
}

Result<Kernel> MakeAddMany(KernelSetup& setup) {
  WEIR_ASSIGN(const MapName name, NameOf(setup));
  return Kernel::Sync([name](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const SparseParts sparse, SparseInputs(ctx, Entries::kInside));
    WEIR_ASSIGN(std::vector<SparseParts> rows, RowsOfSparse(sparse));
    WEIR_ASSIGN(const ResourcePtr<SparseTensorsMap> map, name.Get(ctx));
    WEIR_ASSIGN(Tensor handles, ctx.Allocate(0, Shape{static_cast<int64_t>(rows.size())}));
    for (size_t i = 0; i < rows.size(); ++i) handles.data<int64_t>()[i] = map->Add(std::move(rows[i]));
    return OkStatus();
  });
}

Result<Kernel> MakeTakeMany(KernelSetup& setup) {
  WEIR_ASSIGN(const MapName name, NameOf(setup));
  WEIR_ASSIGN(const DType dtype, setup.Attr<DType>("dtype"));
  return Kernel::Sync([name, dtype](KernelContext& ctx) -> Status {
    const Tensor& handles = ctx.input(0);
    if (handles.rank() != 1)
      return InvalidArgument("sparse_handles must be a vector, but has shape {}", handles.shape());
    WEIR_ASSIGN(const ResourcePtr<SparseTensorsMap> map, name.Get(ctx));
    WEIR_ASSIGN(const std::vector<SparseParts> taken, map->Take(handles.flat<int64_t>()));
    WEIR_ASSIGN(SparseParts stacked, StackSparse(taken, dtype, {handles.num_elements()}));
    SetSparseTensorOutputs(ctx, std::move(stacked));
    return OkStatus();
  });
}

}  // namespace

void RegisterSparseMap(OpRegistry& registry) {
  const std::string sparse = "sparse_indices: int64, sparse_values: T, sparse_shape: int64";
  const std::string container = "container: string = ''";
  const std::string shared = "shared_name: string = ''";
  registry.Add({
      .name = "AddSparseToTensorsMap",
      .signature = sparse + " -> sparse_handle: int64",
      .attrs = {"T: type", container, shared},
      .shape = [](ShapeContext& ctx) -> Status {
        WEIR_TRY(CheckSparseInputShapes(ctx));
        ctx.set_output(0, PartialShape::Scalar());
        return OkStatus();
      },
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeAdd),
      .traits = kNeverBlocks,
      .stateful = true,
  });
  registry.Add({
      .name = "AddManySparseToTensorsMap",
      .signature = sparse + " -> sparse_handles: int64",
      .attrs = {"T: type", container, shared},
      .shape = [](ShapeContext& ctx) -> Status {
        WEIR_TRY(CheckSparseInputShapes(ctx));
        ctx.set_output(0, PartialShape{kUnknownDim});
        return OkStatus();
      },
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeAddMany),
      .traits = kNeverBlocks,
      .stateful = true,
  });
  registry.Add({
      .name = "TakeManySparseFromTensorsMap",
      .signature = "sparse_handles: int64 -> sparse_indices: int64, sparse_values: dtype, sparse_shape: int64",
      .attrs = {"dtype: type", container, shared},
      .shape = [](ShapeContext& ctx) -> Status {
        WEIR_TRY(ctx.WithRank(0, 1).status());
        SetSparseOutputShapes(ctx);
        return OkStatus();
      },
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeTakeMany),
      .traits = kNeverBlocks,
      .stateful = true,
  });
}

}  // namespace weir::ops
