// Stage, Unstage and related ops. Nodes with the same container and shared_name use the same area; there is no handle.
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/queue/staging_area.h"

namespace weir::ops {
namespace {

// The name of a node's area, and the parameters to create it.
struct AreaName {
  std::string container;
  std::string name;
  int64_t capacity = 0;
  int64_t memory_limit = 0;
  std::vector<DType> types;

  static Result<AreaName> Of(const KernelSetup& setup) {
    AreaName area;
    WEIR_ASSIGN(area.container, setup.Attr<std::string>("container"));
    WEIR_ASSIGN(area.name, setup.Attr<std::string>("shared_name"));
    WEIR_ASSIGN(area.capacity, setup.Attr<int64_t>("capacity"));
    WEIR_ASSIGN(area.memory_limit, setup.Attr<int64_t>("memory_limit"));
    WEIR_ASSIGN(area.types, setup.Attr<std::vector<DType>>("dtypes"));
    if (area.name.empty()) area.name = setup.node().name;
    if (area.container.empty() && setup.resources() != nullptr) area.container = setup.resources()->default_container();
    return area;
  }
  Result<ResourcePtr<StagingArea>> Get(KernelContext& ctx) const {
    return ctx.resources().LookupOrCreate<StagingArea>(container, name, [&]() -> Result<ResourcePtr<StagingArea>> {
      return MakeIntrusive<StagingArea>(name, capacity, memory_limit);
    });
  }
};

Status SetTuple(KernelContext& ctx, const AreaName& area, Result<StagingArea::Tuple> tuple) {
  if (!tuple.ok()) return tuple.status();
  if (tuple->size() != area.types.size()) {
    return InvalidArgument("the staging area '{}' holds tuples of {} tensors, but the node wants {}", area.name,
                           tuple->size(), area.types.size());
  }
  for (size_t i = 0; i < tuple->size(); ++i) {
    if ((*tuple)[i].dtype() != area.types[i]) {
      return InvalidArgument("component {} of the staging area '{}' is {}, but the node wants {}", i, area.name,
                             (*tuple)[i].dtype(), area.types[i]);
    }
    ctx.set_output(static_cast<int>(i), std::move((*tuple)[i]));
  }
  return OkStatus();
}

Result<Kernel> MakeStage(KernelSetup& setup) {
  WEIR_ASSIGN(AreaName area, AreaName::Of(setup));
  return Kernel::Async([area = std::move(area)](KernelContext& ctx, Done done) {
    Result<ResourcePtr<StagingArea>> stored = area.Get(ctx);
    if (!stored.ok()) return done(stored.status());
    StagingArea::Tuple values;
    for (int i = 0; i < ctx.num_inputs(); ++i) values.push_back(ctx.input(i));
    (*stored)->Put(std::move(values), ctx.cancel(), std::move(done));
  });
}

Result<Kernel> MakeUnstage(KernelSetup& setup) {
  WEIR_ASSIGN(AreaName area, AreaName::Of(setup));
  return Kernel::Async([area = std::move(area)](KernelContext& ctx, Done done) {
    Result<ResourcePtr<StagingArea>> stored = area.Get(ctx);
    if (!stored.ok()) return done(stored.status());
    (*stored)->Take(ctx.cancel(), [&ctx, &area, done = std::move(done)](Result<StagingArea::Tuple> tuple) {
      done(SetTuple(ctx, area, std::move(tuple)));
    });
  });
}

Result<Kernel> MakePeek(KernelSetup& setup) {
  WEIR_ASSIGN(AreaName area, AreaName::Of(setup));
  return Kernel::Async([area = std::move(area)](KernelContext& ctx, Done done) {
    Result<ResourcePtr<StagingArea>> stored = area.Get(ctx);
    if (!stored.ok()) return done(stored.status());
    if (ctx.input(0).num_elements() != 1 || ctx.input(0).Int(0) < 0)
      return done(InvalidArgument("index must be a scalar >= 0, but is of shape {}", ctx.input(0).shape()));
    (*stored)->Peek(ctx.input(0).Int(0), ctx.cancel(),
                    [&ctx, &area, done = std::move(done)](Result<StagingArea::Tuple> tuple) {
                      done(SetTuple(ctx, area, std::move(tuple)));
                    });
  });
}

Result<Kernel> MakeSize(KernelSetup& setup) {
  WEIR_ASSIGN(AreaName area, AreaName::Of(setup));
  return Kernel::Sync([area = std::move(area)](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(ResourcePtr<StagingArea> stored, area.Get(ctx));
           ctx.set_output(0, Tensor::Scalar(static_cast<int32_t>(stored->size())));
           return OkStatus();
         })
      .Cheap();
}

Result<Kernel> MakeClear(KernelSetup& setup) {
  WEIR_ASSIGN(AreaName area, AreaName::Of(setup));
  return Kernel::Sync([area = std::move(area)](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(ResourcePtr<StagingArea> stored, area.Get(ctx));
    stored->Clear();
    return OkStatus();
  });
}

constexpr OpTraits kPuts = {.may_block = true, .keeps_inputs = true, .brief = true};
constexpr OpTraits kTakes = {.may_block = true, .brief = true};
constexpr OpTraits kPeeks = {.may_block = true, .brief = true};
constexpr OpTraits kCounts = {.may_block = false, .brief = true};
constexpr OpTraits kClears = {.may_block = false, .brief = true};

struct StagingOp {
  const char* name;
  const char* signature;
  const char* types;
  ShapeFn shape;
  KernelFactory make;
  OpTraits traits;
};

}  // namespace

void RegisterStagingAreas(OpRegistry& registry) {
  const char* some = "dtypes: list(type) >= 1";
  const char* any = "dtypes: list(type)";
  for (const StagingOp& op : {
           StagingOp{"Stage", "values: dtypes ->", some, NoOutputs(), MakeStage, kPuts},
           StagingOp{"Unstage", "-> values: dtypes", some, UnknownOutputs(), MakeUnstage, kTakes},
           StagingOp{"StagePeek", "index: int32 -> values: dtypes", some, UnknownOutputs(), MakePeek, kPeeks},
           StagingOp{"StageSize", "-> size: int32", any, ScalarOutputs(), MakeSize, kCounts},
           StagingOp{"StageClear", "", any, NoOutputs(), MakeClear, kClears},
       }) {
    registry.Add({
        .name = op.name,
        .signature = op.signature,
        .attrs = {"capacity: int >= 0 = 0", "memory_limit: int >= 0 = 0", op.types, "container: string = ''",
                  "shared_name: string = ''"},
        .shape = op.shape,
        .no_gradient = kNoGradient,
        .kernels = CpuKernel(op.make),
        .traits = op.traits,
        .stateful = true,
    });
  }
}

}  // namespace weir::ops
