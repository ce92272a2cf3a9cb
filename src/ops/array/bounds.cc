// LowerBound and UpperBound: insertion positions of values in sorted rows.
#include <algorithm>
#include <limits>

#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/array/ordered_keys.h"

namespace weir::ops {
namespace {

Status RunBounds(KernelContext& ctx, bool upper) {
  const Tensor &sorted = ctx.input(0), &values = ctx.input(1);
  if (sorted.rank() != 2 || values.rank() != 2 || sorted.dim(0) != values.dim(0))
    return InvalidArgument("sorted_inputs and values must be matrices with the same number of rows, got {} and {}",
                           sorted.shape(), values.shape());
  if (ctx.output_type(0) == kInt32 && sorted.dim(1) > std::numeric_limits<int32_t>::max())
    return InvalidArgument("rows of {} elements need out_type int64", sorted.dim(1));
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, values.shape()));
  if (values.num_elements() == 0) return OkStatus();
  const int64_t n = sorted.dim(1), m = values.dim(1);
  std::vector<int64_t> at(static_cast<size_t>(values.num_elements()));
  const bool known = WithOrderedKeys(sorted, [&](auto key, auto load_sorted) {
    using K = typename decltype(key)::type;
    WithOrderedKeys(values, [&](auto value_key, auto load_value) {
      if constexpr (std::is_same_v<decltype(value_key), decltype(key)>) {
        ctx.ParallelForAll(values.dim(0), n + m * 20, [&](int64_t begin, int64_t end) {
          std::vector<K> row(static_cast<size_t>(n)), wanted(static_cast<size_t>(m));
          for (int64_t r = begin; r < end; ++r) {
            load_sorted(r * n, n, row.data());
            load_value(r * m, m, wanted.data());
            for (int64_t i = 0; i < m; ++i) {
              const K v = wanted[static_cast<size_t>(i)];
              auto found =
                  upper ? std::upper_bound(row.begin(), row.end(), v) : std::lower_bound(row.begin(), row.end(), v);
              at[static_cast<size_t>(r * m + i)] = found - row.begin();
            }
          }
        });
      }
    });
  });
  if (!known) return InvalidArgument("elements of type {} cannot be compared", sorted.dtype());
  for (size_t i = 0; i < at.size(); ++i) {
    if (ctx.output_type(0) == kInt32) {
      out.data<int32_t>()[i] = static_cast<int32_t>(at[i]);
    } else {
      out.data<int64_t>()[i] = at[i];
    }
  }
  return OkStatus();
}

Status BoundsShape(ShapeContext& ctx) {
  WEIR_TRY(ctx.WithRank(0, 2).status());
  WEIR_TRY(ctx.WithRank(1, 2).status());
  ctx.set_output(0, ctx.input(1));
  return OkStatus();
}

template <bool kUpper>
Result<Kernel> MakeBounds(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) { return RunBounds(ctx, kUpper); });
}

}  // namespace

void RegisterBounds(OpRegistry& registry) {
  for (const bool upper : {false, true}) {
    registry.Add({
        .name = upper ? "UpperBound" : "LowerBound",
        .signature = "sorted_inputs: T, values: T -> output: out_type",
        .attrs = {"T: type", "out_type: {int32, int64} = DT_INT32"},
        .shape = BoundsShape,
        .no_gradient = kNoGradient,
        .kernels = CpuKernel(upper ? KernelFactory(MakeBounds<true>) : KernelFactory(MakeBounds<false>)),
    });
  }
}

}  // namespace weir::ops
