// Transpose, ConjugateTranspose and InvertPermutation.
#include <limits>

#include "graph/build/array_ops.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/array/int_inputs.h"
#include "ops/array/strided_copy.h"

namespace weir::ops {
namespace {

// Returns `rank` dimensions in [0, rank); negative values count from the end.
Result<std::vector<int>> CheckedDimensions(const Ints& values, int rank) {
  if (static_cast<int>(values.size()) != rank)
    return InvalidArgument("transpose expects a vector of size {}. But input(1) is a vector of size {}", rank,
                           values.size());
  std::vector<int> perm;
  for (int64_t v : values) {
    if (v < -rank || v >= rank) return InvalidArgument("{} is out of range [0 .. {})", v, rank);
    perm.push_back(static_cast<int>(v < 0 ? v + rank : v));
  }
  return perm;
}

// Also checks that no dimension occurs twice.
Result<std::vector<int>> CheckedPermutation(const Ints& values, int rank) {
  WEIR_ASSIGN(std::vector<int> perm, CheckedDimensions(values, rank));
  std::vector<bool> seen(values.size());
  for (const int d : perm) {
    if (seen[static_cast<size_t>(d)])
      return InvalidArgument("perm [{}] is not a permutation: {} appears twice", fmt::join(values, " "), d);
    seen[static_cast<size_t>(d)] = true;
  }
  return perm;
}

template <class T>
void Conjugate(const Tensor& t) {
  for (std::complex<T>& v : t.flat<std::complex<T>>()) v = std::conj(v);
}

Status RunTranspose(KernelContext& ctx, bool conjugate) {
  const Tensor& t = ctx.input(0);
  if (ctx.input(1).rank() != 1) return InvalidArgument("perm must be rank 1, got shape {}", ctx.input(1).shape());
  WEIR_ASSIGN(Ints values, VectorInts(ctx.input(1), "perm"));
  WEIR_ASSIGN(std::vector<int> perm, CheckedPermutation(values, t.rank()));
  DimVector dims;
  // Ignore dimensions of size 1. If the others stay in order, the result is a view.
  bool in_order = true;
  int last = -1;
  for (int p : perm) {
    dims.push_back(t.dim(p));
    if (t.dim(p) == 1) continue;
    in_order = in_order && p > last;
    last = p;
  }
  WEIR_ASSIGN(Shape shape, Shape::Make(dims));
  conjugate = conjugate && IsComplex(t.dtype());
  if (in_order && !conjugate) {
    ctx.set_output(0, t.Reshaped(shape));
    return OkStatus();
  }
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
  if (out.num_elements() == 0) return OkStatus();
  TransposeInto(ctx, t, perm, out);
  if (conjugate && t.dtype() == kComplex64) Conjugate<float>(out);
  if (conjugate && t.dtype() == kComplex128) Conjugate<double>(out);
  return OkStatus();
}

template <bool kConjugate>
Result<Kernel> MakeTranspose(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) { return RunTranspose(ctx, kConjugate); });
}

Status TransposeShape(ShapeContext& ctx) {
  PartialShape in = ctx.input(0);
  WEIR_ASSIGN(PartialShape perm_shape, ctx.WithRank(1, 1));
  if (perm_shape.known_rank() && perm_shape[0] >= 0) {
    if (perm_shape[0] > kMaxRank) return InvalidArgument("perm has {} elements: too many dimensions", perm_shape[0]);
    WEIR_ASSIGN(in, ctx.WithRank(0, static_cast<int>(perm_shape[0])));
  }
  const std::optional<Ints> values = ConstantInts(ctx, 1);
  if (!in.known_rank() && values) in = PartialShape::OfRank(static_cast<int>(values->size()));
  if (!in.known_rank()) return OkStatus();
  if (!values) {
    ctx.set_output(0, in.rank() <= 1 ? in : PartialShape::OfRank(in.rank()));
    return OkStatus();
  }
  WEIR_ASSIGN(std::vector<int> perm, CheckedDimensions(*values, in.rank()));
  DimVector dims;
  for (int p : perm) dims.push_back(in[p]);
  WEIR_ASSIGN(PartialShape out, PartialShape::Make(dims));
  ctx.set_output(0, std::move(out));
  return OkStatus();
}

template <class T>
Result<Kernel> MakeInvertPermutation(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           const Tensor& t = ctx.input(0);
           if (t.rank() != 1) return InvalidArgument("invert_permutation expects a 1D vector, got shape {}", t.shape());
           const Ints values = IntsOf(t);
           const auto n = static_cast<int64_t>(values.size());
           if (n > std::numeric_limits<int32_t>::max())
             return InvalidArgument("permutation of nonzero elements too large: {}", n);
           WEIR_ASSIGN(Tensor out, ctx.Allocate(0, t.shape()));
           T* inverse = out.data<T>();
           std::fill_n(inverse, n, T{-1});
           for (int64_t i = 0; i < n; ++i) {
             const int64_t v = values[static_cast<size_t>(i)];
             if (v < 0 || v >= n) return InvalidArgument("{} is not between 0 and {}", v, n);
             if (inverse[v] != -1) return InvalidArgument("{} is duplicated in the input.", v);
             inverse[v] = static_cast<T>(i);
           }
           return OkStatus();
         })
      .Cheap();
}

}  // namespace

void RegisterTranspose(OpRegistry& registry) {
  registry.Add({
      .name = "Transpose",
      .signature = "x: T, perm: Tperm -> y: T",
      .attrs = {"T: type", "Tperm: {int32, int64} = DT_INT32"},
      .shape = TransposeShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        return Gradients{Transpose(g.d_output(0), InvertPermutation(g.input(1)), {.name = "transpose"}),
                         std::monostate{}};
      },
      .kernels = CpuKernel(MakeTranspose<false>),
  });
  registry.Add({
      .name = "ConjugateTranspose",
      .signature = "x: T, perm: Tperm -> y: T",
      .attrs = {"T: type", "Tperm: {int32, int64} = DT_INT32"},
      .shape = TransposeShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        return Gradients{ConjugateTranspose(g.d_output(0), InvertPermutation(g.input(1))), std::monostate{}};
      },
      .kernels = CpuKernel(MakeTranspose<true>),
  });
  registry.Add({
      .name = "InvertPermutation",
      .signature = "x: T -> y: T",
      .attrs = {"T: {int32, int64} = DT_INT32"},
      .shape = [](ShapeContext& ctx) -> Status {
        WEIR_ASSIGN(PartialShape in, ctx.WithRank(0, 1));
        ctx.set_output(0, in.known_rank() ? std::move(in) : PartialShape::OfRank(1));
        return OkStatus();
      },
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<int32_t, int64_t>(WEIR_FOR_TYPE(MakeInvertPermutation)),
  });
}

}  // namespace weir::ops
