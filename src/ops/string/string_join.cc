// StringJoin: elementwise concatenation of several tensors. Scalars are broadcast.
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/string/map_strings.h"

namespace weir::ops {
namespace {

Result<Kernel> MakeStringJoin(KernelSetup& setup) {
  WEIR_ASSIGN(const std::string separator, setup.Attr<std::string>("separator"));
  return Kernel::Sync([separator](KernelContext& ctx) -> Status {
    Shape shape;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      const Tensor& in = ctx.input(i);
      if (in.rank() == 0) continue;
      if (shape.rank() != 0 && !(shape == in.shape()))
        return InvalidArgument("Input shapes do not match: {} and {} (input {})", shape, in.shape(), i);
      shape = in.shape();
    }
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
    std::string* to = out.data<std::string>();
    return ctx.ParallelFor(shape.num_elements(), kNanosPerString * std::max(ctx.num_inputs(), 1), [&](int64_t place) {
      for (int i = 0; i < ctx.num_inputs(); ++i) {
        const Tensor& in = ctx.input(i);
        if (i > 0) to[place] += separator;
        to[place] += in.data<std::string>()[in.rank() == 0 ? 0 : place];
      }
      ReserveString(to[place]);
    });
  });
}

Status StringJoinShape(ShapeContext& ctx) {
  if (ctx.num_inputs() == 0) return OkStatus();
  // A scalar matches every shape, and unknown ranks may be scalars.
  bool all_scalars = true;
  PartialShape joined;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    const PartialShape& in = ctx.input(i);
    if (!in.known_rank() || in.rank() != 0) all_scalars = false;
    if (!in.known_rank() || in.rank() == 0) continue;
    WEIR_ASSIGN(joined, joined.Merge(in));
  }
  ctx.set_output(0, all_scalars ? ctx.input(0) : joined);
  return OkStatus();
}

}  // namespace

void RegisterStringJoin(OpRegistry& registry) {
  registry.Add({
      .name = "StringJoin",
      .signature = "inputs: N * string -> output: string",
      .attrs = {"N: int >= 0", "separator: string = ''"},
      .shape = StringJoinShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeStringJoin),
  });
}

}  // namespace weir::ops
