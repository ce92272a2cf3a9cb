// TopK (lower index first among equals), InTopK and NthElement, per row.
#include <cmath>
#include <limits>
#include <numeric>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/array/int_inputs.h"
#include "ops/array/ordered_keys.h"

namespace weir::ops {
namespace {

// Finds the positions of the k largest `keys`, largest first.
template <class K>
void Select(const std::vector<K>& keys, int64_t k, std::vector<int32_t>* order) {
  auto before = [&](int32_t a, int32_t b) {
    const K x = keys[static_cast<size_t>(a)], y = keys[static_cast<size_t>(b)];
    if (KeyLess(y, x)) return true;
    if (KeyLess(x, y)) return false;
    return a < b;
  };
  if (k == 1) {
    int32_t best = 0;
    for (int32_t i = 1; i < static_cast<int32_t>(keys.size()); ++i) {
      if (before(i, best)) best = i;
    }
    order->assign(1, best);
    return;
  }
  order->resize(keys.size());
  std::iota(order->begin(), order->end(), 0);
  std::partial_sort(order->begin(), order->begin() + k, order->end(), before);
}

Status RunTopK(KernelContext& ctx, int64_t k) {
  const Tensor& t = ctx.input(0);
  if (k < 0) return InvalidArgument("Need k >= 0, got {}", k);
  if (t.rank() < 1) return InvalidArgument("input must be >= 1-D, got shape {}", t.shape());
  const int64_t n = t.dim(t.rank() - 1);
  if (n < k) return InvalidArgument("input must have at least k columns. Had {}, needed {}", n, k);
  if (n > std::numeric_limits<int32_t>::max())
    return InvalidArgument("a row of {} elements exceeds the limit of 2^31 - 1", n);
  Shape shape = t.shape();
  WEIR_TRY(shape.SetDim(t.rank() - 1, k));
  WEIR_ASSIGN(Tensor values, ctx.Allocate(0, shape));
  WEIR_ASSIGN(Tensor indices, ctx.Allocate(1, shape));
  if (values.num_elements() == 0) return OkStatus();
  const Elements elements(t.dtype());
  const int64_t rows = t.num_elements() / n;
  Status status;
  const bool known = WithOrderedKeys(t, [&](auto key, auto load) {
    using K = typename decltype(key)::type;
    status = ctx.ParallelFor(rows, n * 8, [&](int64_t begin, int64_t end) {
      std::vector<K> keys(static_cast<size_t>(n));
      std::vector<int32_t> order;
      for (int64_t row = begin; row < end; ++row) {
        load(row * n, n, keys.data());
        Select(keys, k, &order);
        for (int64_t i = 0; i < k; ++i) {
          const int32_t at = order[static_cast<size_t>(i)];
          indices.data<int32_t>()[row * k + i] = at;
          elements.Copy(elements.At(values, row * k + i), elements.At(t, row * n + at), 1);
        }
      }
    });
  });
  if (!known) return InvalidArgument("elements of type {} cannot be compared", t.dtype());
  return status;
}

Status TopKShapes(ShapeContext& ctx, std::optional<int64_t> k) {
  WEIR_ASSIGN(PartialShape out, ctx.WithRankAtLeast(0, 1));
  if (k && *k < 0) return InvalidArgument("Need k >= 0, got {}", *k);
  if (!out.known_rank()) return OkStatus();
  const int last = out.rank() - 1;
  if (k && out[last] >= 0 && out[last] < *k)
    return InvalidArgument("input must have last dimension >= k = {} but is {}", *k, out[last]);
  out.SetDim(last, k ? *k : kUnknownDim);
  ctx.set_output(0, out);
  ctx.set_output(1, std::move(out));
  return OkStatus();
}

// Scatters dy to the positions of the selected values.
Output TopKGradient(GradientContext& g) {
  const Output x = g.input(0), dy = g.d_output(0), at = g.output(1);
  const Output shape = ShapeOf(x, {.out_type = kInt64});
  const Output n = Gather(shape, Rank(x) - 1);
  const Output k = Gather(ShapeOf(at, {.out_type = kInt64}), Rank(at) - 1);
  const Output zero = Constant(x.graph(), Tensor::Scalar(int64_t{0}));
  const Output minus_one = Constant(x.graph(), Tensor::Scalar(int64_t{-1}));
  const Output flat = Reshape(Cast(at, kInt64), Pack({minus_one, k}));
  const Output rows = Cast(Gather(ShapeOf(flat), 0), kInt64);
  const Output starts = ExpandDims(Range(zero, rows * n, n), 1);
  const Output positions = ExpandDims(Reshape(flat + starts, {-1}), 1);
  return Reshape(ScatterNd(positions, Reshape(dy, {-1}), ExpandDims(Prod(shape, {0}), 0)), shape);
}

Status RunInTopK(KernelContext& ctx, int64_t k) {
  const Tensor &predictions = ctx.input(0), &targets = ctx.input(1);
  if (predictions.rank() != 2) return InvalidArgument("predictions must be 2-dimensional, got {}", predictions.shape());
  if (targets.rank() != 1) return InvalidArgument("targets must be 1-dimensional, got {}", targets.shape());
  if (predictions.dim(0) != targets.dim(0))
    return InvalidArgument("First dimension of predictions {} must match length of targets {}", predictions.dim(0),
                           targets.dim(0));
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, targets.shape()));
  const int64_t n = predictions.dim(1);
  return ctx.ParallelFor(targets.num_elements(), n + 2, [&](int64_t row) {
    const int64_t target = IntAt(targets, row);
    bool said = target >= 0 && target < n;
    const float* p = predictions.data<float>() + row * n;
    int64_t more = 0;
    if (said) {
      const float own = p[target];
      said = std::isfinite(own);
      for (int64_t i = 0; said && i < n; ++i) {
        said = std::isfinite(p[i]);
        more += p[i] > own ? 1 : 0;
        if (more > k) break;
      }
    }
    out.data<bool>()[row] = said && more < k;
  });
}

Status InTopKShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape predictions, ctx.WithRank(0, 2));
  WEIR_ASSIGN(PartialShape targets, ctx.WithRank(1, 1));
  WEIR_ASSIGN(int64_t rows, MergeDims(predictions.dim(0), targets.dim(0)));
  ctx.set_output(0, PartialShape({rows}));
  return OkStatus();
}

Result<Kernel> MakeNthElement(KernelSetup& setup) {
  WEIR_ASSIGN(bool reverse, setup.Attr<bool>("reverse"));
  return Kernel::Sync([reverse](KernelContext& ctx) -> Status {
    const Tensor& t = ctx.input(0);
    if (ctx.input(1).rank() != 0) return InvalidArgument("N must be scalar but has rank {}", ctx.input(1).rank());
    const int64_t requested = IntAt(ctx.input(1), 0);
    if (requested < 0) return InvalidArgument("n must be non-negative but is {}", requested);
    if (t.rank() < 1) return InvalidArgument("Input must be at least rank 1 but is rank {}", t.rank());
    const int64_t width = t.dim(t.rank() - 1);
    if (requested >= width)
      return InvalidArgument("Input must have at least n+1 = {} columns, got {}", requested + 1, width);
    if (width > std::numeric_limits<int32_t>::max())
      return InvalidArgument("a row of {} elements exceeds the limit of 2^31 - 1", width);
    const int64_t n = reverse ? width - requested - 1 : requested;
    Shape shape = t.shape();
    shape.RemoveDim(t.rank() - 1);
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
    const Elements elements(t.dtype());
    Status status;
    const bool known = WithOrderedKeys(t, [&](auto key, auto load) {
      using K = typename decltype(key)::type;
      status = ctx.ParallelFor(out.num_elements(), width * 8, [&](int64_t begin, int64_t end) {
        std::vector<K> keys(static_cast<size_t>(width));
        std::vector<int32_t> order(static_cast<size_t>(width));
        for (int64_t row = begin; row < end; ++row) {
          load(row * width, width, keys.data());
          std::iota(order.begin(), order.end(), 0);
          std::nth_element(order.begin(), order.begin() + n, order.end(), [&](int32_t a, int32_t b) {
            return KeyLess(keys[static_cast<size_t>(a)], keys[static_cast<size_t>(b)]);
          });
          elements.Copy(elements.At(out, row), elements.At(t, row * width + order[static_cast<size_t>(n)]), 1);
        }
      });
    });
    if (!known) return InvalidArgument("elements of type {} cannot be compared", t.dtype());
    return status;
  });
}

Status NthElementShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape in, ctx.WithRankAtLeast(0, 1));
  WEIR_TRY(ctx.WithRank(1, 0).status());
  const std::optional<int64_t> n = ConstantInt(ctx, 1);
  if (n && *n < 0)
    return InvalidArgument("Dimension size, given by scalar input 1, must be non-negative but is {}", *n);
  if (!in.known_rank()) return OkStatus();
  if (n && in[in.rank() - 1] >= 0 && in[in.rank() - 1] <= *n)
    return InvalidArgument("Input must have last dimension > n = {} but is {}", *n, in[in.rank() - 1]);
  in.RemoveDim(in.rank() - 1);
  ctx.set_output(0, std::move(in));
  return OkStatus();
}

const char kOrderedTypes[] = "T: realnumbertype";

}  // namespace

void RegisterTopK(OpRegistry& registry) {
  registry.Add({
      .name = "TopK",
      .signature = "input: T -> values: T, indices: int32",
      .attrs = {"k: int >= 0", "sorted: bool = true", kOrderedTypes},
      .shape = [](ShapeContext& ctx) -> Status {
        WEIR_ASSIGN(int64_t k, ctx.Attr<int64_t>("k"));
        return TopKShapes(ctx, k);
      },
      .gradient = [](GradientContext& g) -> Result<Gradients> { return Gradients{TopKGradient(g)}; },
      .kernels = CpuKernel([](KernelSetup& setup) -> Result<Kernel> {
        WEIR_ASSIGN(int64_t k, setup.Attr<int64_t>("k"));
        return Kernel::Sync([k](KernelContext& ctx) { return RunTopK(ctx, k); });
      }),
  });
  registry.Add({
      .name = "TopKV2",
      .signature = "input: T, k: Tk -> values: T, indices: int32",
      .attrs = {"sorted: bool = true", kOrderedTypes, "Tk: {int16, int32, int64} = DT_INT32"},
      .shape = [](ShapeContext& ctx) -> Status {
        WEIR_TRY(ctx.WithRank(1, 0).status());
        return TopKShapes(ctx, ConstantInt(ctx, 1));
      },
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        return Gradients{TopKGradient(g), std::monostate{}};
      },
      .kernels = CpuKernel([](KernelSetup&) -> Result<Kernel> {
        return Kernel::Sync([](KernelContext& ctx) -> Status {
          WEIR_ASSIGN(int64_t k, ScalarInt(ctx.input(1), "k"));
          return RunTopK(ctx, k);
        });
      }),
  });
  registry.Add({
      .name = "InTopK",
      .signature = "predictions: float, targets: T -> precision: bool",
      .attrs = {"k: int", "T: {int32, int64} = DT_INT32"},
      .shape = InTopKShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel([](KernelSetup& setup) -> Result<Kernel> {
        WEIR_ASSIGN(int64_t k, setup.Attr<int64_t>("k"));
        return Kernel::Sync([k](KernelContext& ctx) { return RunInTopK(ctx, k); });
      }),
  });
  registry.Add({
      .name = "InTopKV2",
      .signature = "predictions: float, targets: T, k: T -> precision: bool",
      .attrs = {"T: {int32, int64} = DT_INT32"},
      .shape = InTopKShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel([](KernelSetup&) -> Result<Kernel> {
        return Kernel::Sync([](KernelContext& ctx) -> Status {
          if (ctx.input(2).rank() != 0) return InvalidArgument("k must be 0-D, got shape {}", ctx.input(2).shape());
          return RunInTopK(ctx, IntAt(ctx.input(2), 0));
        });
      }),
  });
  registry.Add({
      .name = "NthElement",
      .signature = "input: T, n: int32 -> values: T",
      .attrs = {"reverse: bool = false", kOrderedTypes},
      .shape = NthElementShape,
      // All elements that equal the result share its gradient equally.
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        const Output x = g.input(0), dy = g.d_output(0);
        const Output hits = Cast(Equal(ExpandDims(g.output(0), -1), x), x.base_dtype());
        const Output count = ExpandDims(Sum(hits, {-1}), -1);
        return Gradients{hits / count * ExpandDims(dy, -1), std::monostate{}};
      },
      .kernels = CpuKernel(MakeNthElement),
  });
}

}  // namespace weir::ops
