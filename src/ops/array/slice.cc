// Slice: extracts a box of a tensor, given by its begin and size per dimension (-1: to the end).
#include "graph/build/array_ops.h"
#include "graph/build/operators.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/array/int_inputs.h"
#include "ops/array/strided_copy.h"

namespace weir::ops {
namespace {

Status RunSlice(KernelContext& ctx) {
  const Tensor& t = ctx.input(0);
  WEIR_ASSIGN(Ints begin, VectorInts(ctx.input(1), "begin"));
  WEIR_ASSIGN(Ints size, VectorInts(ctx.input(2), "size"));
  if (static_cast<int>(begin.size()) != t.rank() || static_cast<int>(size.size()) != t.rank())
    return InvalidArgument(
        "Expected begin and size arguments to be 1-D tensors of size {}, but got shapes {} and {} instead.", t.rank(),
        ctx.input(1).shape(), ctx.input(2).shape());
  bool whole = true;
  bool whole_rows = true;
  for (int i = 0; i < t.rank(); ++i) {
    const auto k = static_cast<size_t>(i);
    if (begin[k] < 0 || begin[k] > t.dim(i))
      return InvalidArgument("Expected begin[{}] in [0, {}], but got {}", i, t.dim(i), begin[k]);
    if (size[k] == -1) size[k] = t.dim(i) - begin[k];
    if (size[k] < 0 || size[k] > t.dim(i) - begin[k])
      return InvalidArgument("Expected size[{}] in [0, {}], but got {}", i, t.dim(i) - begin[k], size[k]);
    const bool all = begin[k] == 0 && size[k] == t.dim(i);
    whole = whole && all;
    if (i > 0) whole_rows = whole_rows && all;
  }
  if (whole) {
    ctx.set_output(0, t);
    return OkStatus();
  }
  if (whole_rows) {
    ctx.set_output(0, t.Slice(begin[0], begin[0] + size[0]));
    return OkStatus();
  }
  WEIR_ASSIGN(Shape shape, Shape::Make(size));
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
  if (out.num_elements() == 0) return OkStatus();
  const DimVector from = RowMajorStrides(t.shape()), to = RowMajorStrides(shape);
  absl::InlinedVector<CopyDim, 8> dims;
  int64_t first = 0;
  for (int i = 0; i < t.rank(); ++i) {
    dims.push_back({shape[i], from[i], to[i]});
    first += begin[static_cast<size_t>(i)] * from[i];
  }
  StridedCopy(ctx, t.dtype(), dims, Elements(t.dtype()).At(t, first), out.raw());
  return OkStatus();
}

Status SliceShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape begin_shape, ctx.WithRank(1, 1));
  WEIR_ASSIGN(PartialShape size_shape, ctx.WithRank(2, 1));
  WEIR_ASSIGN(begin_shape, begin_shape.Merge(size_shape));
  PartialShape in = ctx.input(0);
  if (begin_shape.known_rank() && begin_shape[0] >= 0) {
    if (begin_shape[0] > kMaxRank) return InvalidArgument("begin has {} elements: too many dimensions", begin_shape[0]);
    WEIR_ASSIGN(in, ctx.WithRank(0, static_cast<int>(begin_shape[0])));
  }
  const std::optional<Ints> begin = ConstantInts(ctx, 1);
  const std::optional<Ints> size = ConstantInts(ctx, 2);
  if (size && !begin) {
    // Sizes other than -1 do not depend on where the box begins.
    DimVector dims;
    for (size_t i = 0; i < size->size(); ++i) {
      dims.push_back((*size)[i] == -1 ? kUnknownDim : (*size)[i]);
      if (dims.back() < kUnknownDim) return InvalidArgument("Expected size[{}] >= -1, but got {}", i, dims.back());
    }
    ctx.set_output(0, PartialShape(std::move(dims)));
    return OkStatus();
  }
  if (!begin || !size) {
    const PartialShape partial = ctx.constant_as_shape(2);
    if (partial.known_rank()) {
      ctx.set_output(0, partial);
    } else if (in.known_rank()) {
      ctx.set_output(0, PartialShape::OfRank(in.rank()));
    }
    return OkStatus();
  }
  DimVector dims;
  for (size_t i = 0; i < begin->size(); ++i) {
    const int64_t dim = in.known_rank() ? in[static_cast<int>(i)] : kUnknownDim;
    const int64_t b = (*begin)[i], s = (*size)[i];
    if (s < -1) return InvalidArgument("Expected size[{}] >= -1, but got {}", i, s);
    if (s == -1 && dim >= 0 && b > dim)
      return InvalidArgument("Negative dimension size caused by subtracting {} from {}", b, dim);
    // The kernel reports a box that is not inside the input.
    dims.push_back(s >= 0 ? s : dim >= 0 && b >= 0 ? dim - b : kUnknownDim);
  }
  WEIR_ASSIGN(PartialShape out, PartialShape::Make(dims));
  ctx.set_output(0, std::move(out));
  return OkStatus();
}

}  // namespace

void RegisterSlice(OpRegistry& registry) {
  registry.Add({
      .name = "Slice",
      .signature = "input: T, begin: Index, size: Index -> output: T",
      .attrs = {"T: type", "Index: {int32, int64}"},
      .shape = SliceShape,
      // Pads dy with zeros to the shape of the input.
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        const DType index = g.input(1).base_dtype();
        const Output dy = g.d_output(0);
        const Output before = g.input(1);
        const Output after = ShapeOf(g.input(0), {.out_type = index}) - ShapeOf(dy, {.out_type = index}) - before;
        return Gradients{Pad(dy, Pack({before, after}, {.axis = 1})), std::monostate{}, std::monostate{}};
      },
      .kernels = CpuKernel(
          [](KernelSetup& setup) -> Result<Kernel> { return CheapForIndices(Kernel::Sync(RunSlice), setup); }),
      .traits = {.brief = true},
  });
}

}  // namespace weir::ops
