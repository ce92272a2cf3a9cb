// OneHot: expands indices along a new axis. An index out of range gives a row of off values.
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/array/int_inputs.h"

namespace weir::ops {
namespace {

// out is [prefix, depth, suffix], indices [prefix, suffix].
template <class T>
void ExpandOneHot(const KernelContext& ctx, const Tensor& indices, int64_t prefix, int64_t depth, int64_t suffix,
                  const void* on, const void* off, void* out) {
  const T on_value = *static_cast<const T*>(on), off_value = *static_cast<const T*>(off);
  ctx.ParallelForAll(prefix, 2 + depth * suffix, [&](int64_t p) {
    T* block = static_cast<T*>(out) + p * depth * suffix;
    std::fill_n(block, depth * suffix, off_value);
    for (int64_t s = 0; s < suffix; ++s) {
      const int64_t v = IntAt(indices, p * suffix + s);
      if (v >= 0 && v < depth) block[v * suffix + s] = on_value;
    }
  });
}

Result<Kernel> MakeOneHot(KernelSetup& setup) {
  WEIR_ASSIGN(int64_t requested, setup.Attr<int64_t>("axis"));
  return Kernel::Sync([requested](KernelContext& ctx) -> Status {
    const Tensor& indices = ctx.input(0);
    const int rank = indices.rank();
    if (requested != -1 && (requested < 0 || requested > rank))
      return InvalidArgument("Expected axis to be -1 or between [0, {}]. But received: {}", rank, requested);
    for (int i = 1; i < 4; ++i) {
      if (ctx.input(i).rank() != 0)
        return InvalidArgument("{} must be a scalar, but got: {}",
                               i == 1   ? "depth"
                               : i == 2 ? "on_value"
                                        : "off_value",
                               ctx.input(i).shape());
    }
    const int64_t depth = IntAt(ctx.input(1), 0);
    if (depth < 0) return InvalidArgument("depth must be non-negative, got: {}", depth);
    const int axis = static_cast<int>(requested == -1 ? rank : requested);
    Shape shape = indices.shape();
    WEIR_TRY(shape.InsertDim(axis, depth));
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
    if (out.num_elements() == 0) return OkStatus();
    int64_t prefix = 1;
    for (int i = 0; i < axis; ++i) prefix *= indices.dim(i);
    const int64_t suffix = indices.num_elements() / prefix;
    if (out.dtype() == kString) {
      WEIR_TRY(ReserveStrings(ctx.input(2).flat<std::string>(), indices.num_elements()));
      WEIR_TRY(ReserveStrings(ctx.input(3).flat<std::string>(), out.num_elements()));
    }
    ForElementType(out.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      ExpandOneHot<T>(ctx, indices, prefix, depth, suffix, ctx.input(2).raw(), ctx.input(3).raw(), out.raw());
    });
    return OkStatus();
  });
}

Status OneHotShape(ShapeContext& ctx) {
  WEIR_ASSIGN(int64_t requested, ctx.Attr<int64_t>("axis"));
  if (requested < -1) return InvalidArgument("axis must be >= -1");
  WEIR_TRY(ctx.WithRank(1, 0).status());
  int64_t depth = kUnknownDim;
  if (const std::optional<int64_t> known = ConstantInt(ctx, 1)) {
    depth = *known;
    if (depth < 0) return InvalidArgument("depth must be non-negative, got: {}", depth);
  }
  PartialShape out = ctx.input(0);
  if (!out.known_rank()) return OkStatus();
  if (requested > out.rank())
    return InvalidArgument("axis {} exceeds the rank {} of indices of shape {}", requested, out.rank(), out);
  out.InsertDim(requested == -1 ? out.rank() : static_cast<int>(requested), depth);
  ctx.set_output(0, std::move(out));
  return OkStatus();
}

}  // namespace

void RegisterOneHot(OpRegistry& registry) {
  registry.Add({
      .name = "OneHot",
      .signature = "indices: TI, depth: int32, on_value: T, off_value: T -> output: T",
      .attrs = {"axis: int = -1", "T: type", "TI: {uint8, int8, int32, int64} = DT_INT64"},
      .shape = OneHotShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeOneHot),
  });
}

}  // namespace weir::ops
