// ShardedFilename and ShardedFilespec: "name-00001-of-00004" and the pattern that matches all of them.
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/string/map_strings.h"

namespace weir::ops {
namespace {

Result<int32_t> ShardNumber(KernelContext& ctx, int i, const char* what) {
  const Tensor& t = ctx.input(i);
  if (t.rank() != 0) return InvalidArgument("{} must be a scalar, but received shape {}", what, t.shape());
  return t.scalar<int32_t>();
}

Status SetName(KernelContext& ctx, std::string name) {
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, Shape{}));
  out.scalar<std::string>() = std::move(name);
  return OkStatus();
}

Result<Kernel> MakeShardedFilename(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(const std::string base, ScalarString(ctx, 0, "basename"));
           WEIR_ASSIGN(const int32_t shard, ShardNumber(ctx, 1, "shard"));
           WEIR_ASSIGN(const int32_t count, ShardNumber(ctx, 2, "num_shards"));
           return SetName(ctx, fmt::format("{}-{:05}-of-{:05}", base, shard, count));
         })
      .Cheap();
}

Result<Kernel> MakeShardedFilespec(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(const std::string base, ScalarString(ctx, 0, "basename"));
           WEIR_ASSIGN(const int32_t count, ShardNumber(ctx, 1, "num_shards"));
           return SetName(ctx, fmt::format("{}-?????"
                                           "-of-{:05}",
                                           base, count));
         })
      .Cheap();
}

Status Scalars(ShapeContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) WEIR_TRY(ctx.WithRank(i, 0).status());
  ctx.set_output(0, PartialShape::Scalar());
  return OkStatus();
}

}  // namespace

void RegisterShardedFilename(OpRegistry& registry) {
  registry.Add({
      .name = "ShardedFilename",
      .signature = "basename: string, shard: int32, num_shards: int32 -> filename: string",
      .shape = Scalars,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeShardedFilename),
  });
  registry.Add({
      .name = "ShardedFilespec",
      .signature = "basename: string, num_shards: int32 -> filename: string",
      .shape = Scalars,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeShardedFilespec),
  });
}

}  // namespace weir::ops
