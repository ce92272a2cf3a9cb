// SparseSliceGrad and SparseAddGrad: assign gradients of values to the entries they came from. Entries are in the order
// in which the forward ops read them.
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/array/int_inputs.h"

namespace weir::ops {
namespace {

constexpr char kGradientNumbers[] = "T: numbertype";

// The rows of an index matrix.
struct Rows {
  const int64_t* at;
  int64_t count;
  int64_t width;
  absl::Span<const int64_t> operator[](int64_t i) const { return {at + i * width, static_cast<size_t>(width)}; }
};

Result<Rows> RowsOf(const Tensor& indices, std::string_view what) {
  if (indices.rank() != 2) return InvalidArgument("{} must be a matrix, but has the shape {}", what, indices.shape());
  return Rows{indices.data<int64_t>(), indices.dim(0), indices.dim(1)};
}

Status CheckGradients(const Tensor& grads, const Rows& of, std::string_view what) {
  if (grads.rank() != 1 || grads.dim(0) != of.count)
    return InvalidArgument(
        "backprop_val_grad must be a vector with an element for each of the {} rows of {}, but has the shape {}",
        of.count, what, grads.shape());
  return OkStatus();
}

Status RunSliceGrad(KernelContext& ctx) {
  WEIR_ASSIGN(const Rows in, RowsOf(ctx.input(1), "input_indices"));
  WEIR_ASSIGN(const Ints start, VectorInts(ctx.input(2), "input_start"));
  WEIR_ASSIGN(const Rows out, RowsOf(ctx.input(3), "output_indices"));
  WEIR_TRY(CheckGradients(ctx.input(0), out, "output_indices"));
  if (in.width != out.width || static_cast<int64_t>(start.size()) != in.width)
    return InvalidArgument(
        "input_indices, input_start and output_indices must have the same rank, but have {}, {} and {}", in.width,
        start.size(), out.width);
  WEIR_ASSIGN(const Tensor d_values, ctx.Allocate(0, Shape{in.count}));
  d_values.ZeroFill();
  const Elements elements(d_values.dtype());
  int64_t next = 0;
  for (int64_t i = 0; i < in.count && next < out.count; ++i) {
    bool same = true;
    for (size_t d = 0; d < start.size(); ++d)
      same = same && uint64_t(in[i][d]) - uint64_t(start[d]) == uint64_t(out[next][d]);
    if (same) elements.Copy(elements.At(d_values, i), elements.At(ctx.input(0), next++), 1);
  }
  if (next < out.count)
    return Internal(
        "Elements of backprop_val_grad aren't all propagated: entry {} of output_indices is not in input_indices",
        next);
  return OkStatus();
}

// For each row of `entries`, the gradient of the equal row of `sums`; 0 if the sum was dropped.
Result<Tensor> GradientsOf(const Rows& entries, const Rows& sums, const Tensor& grads) {
  WEIR_ASSIGN(Tensor result, Tensor::Allocate(grads.dtype(), Shape{entries.count}));
  result.ZeroFill();
  const Elements elements(grads.dtype());
  for (int64_t i = 0, k = 0; i < entries.count; ++i) {
    while (k < sums.count && sums[k] < entries[i]) ++k;
    if (k < sums.count && sums[k] == entries[i]) elements.Copy(elements.At(result, i), elements.At(grads, k), 1);
  }
  return result;
}

Status RunAddGrad(KernelContext& ctx) {
  WEIR_ASSIGN(const Rows a, RowsOf(ctx.input(1), "a_indices"));
  WEIR_ASSIGN(const Rows b, RowsOf(ctx.input(2), "b_indices"));
  WEIR_ASSIGN(const Rows sums, RowsOf(ctx.input(3), "sum_indices"));
  WEIR_TRY(CheckGradients(ctx.input(0), sums, "sum_indices"));
  if (a.width != b.width || a.width != sums.width)
    return InvalidArgument(
        "a_indices, b_indices and sum_indices must have the same number of columns, but have {}, {} and {}", a.width,
        b.width, sums.width);
  WEIR_ASSIGN(Tensor da, GradientsOf(a, sums, ctx.input(0)));
  WEIR_ASSIGN(Tensor db, GradientsOf(b, sums, ctx.input(0)));
  ctx.set_output(0, std::move(da));
  ctx.set_output(1, std::move(db));
  return OkStatus();
}

template <Status (*Run)(KernelContext&)>
Result<Kernel> MakeGradientKernel(KernelSetup&) {
  return Kernel::Sync(Run);
}

}  // namespace

void RegisterSparseGradients(OpRegistry& registry) {
  registry.Add({
      .name = "SparseSliceGrad",
      .signature =
          "backprop_val_grad: T, input_indices: int64, input_start: int64, output_indices: int64 -> val_grad: T",
      .attrs = {kGradientNumbers},
      .shape = [](ShapeContext& ctx) -> Status {
        WEIR_ASSIGN(const PartialShape in, ctx.WithRank(1, 2));
        ctx.set_output(0, PartialShape{in[0]});
        return OkStatus();
      },
      .kernels = CpuKernel(MakeGradientKernel<RunSliceGrad>),
  });
  registry.Add({
      .name = "SparseAddGrad",
      .signature = "backprop_val_grad: T, a_indices: int64, b_indices: int64, sum_indices: int64 -> a_val_grad: T, "
                   "b_val_grad: T",
      .attrs = {kGradientNumbers},
      .shape = [](ShapeContext& ctx) -> Status {
        WEIR_ASSIGN(const PartialShape a, ctx.WithRank(1, 2));
        WEIR_ASSIGN(const PartialShape b, ctx.WithRank(2, 2));
        ctx.set_output(0, PartialShape{a[0]});
        ctx.set_output(1, PartialShape{b[0]});
        return OkStatus();
      },
      .kernels = CpuKernel(MakeGradientKernel<RunAddGrad>),
  });
}

}  // namespace weir::ops
