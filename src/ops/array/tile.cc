// Tile: repeats a tensor along each dimension. TileGrad (used by old graphs) sums up the repetitions.
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/int_inputs.h"
#include "ops/array/strided_copy.h"

namespace weir::ops {
namespace {

Result<Ints> CheckedMultiples(const Tensor& t, const Tensor& multiples) {
  WEIR_ASSIGN(Ints m, VectorInts(multiples, "multiples"));
  if (multiples.rank() != 1 || static_cast<int>(m.size()) != t.rank())
    return InvalidArgument("Expected multiples argument to be a vector of length {} but got length {}", t.rank(),
                           m.size());
  for (size_t i = 0; i < m.size(); ++i) {
    if (m[i] < 0) return InvalidArgument("Expected multiples[{}] >= 0, but got {}", i, m[i]);
  }
  return m;
}

Status RunTile(KernelContext& ctx) {
  const Tensor& t = ctx.input(0);
  WEIR_ASSIGN(Ints multiples, CheckedMultiples(t, ctx.input(1)));
  DimVector sizes;
  bool once = true;
  for (int i = 0; i < t.rank(); ++i) {
    const int64_t m = multiples[static_cast<size_t>(i)];
    WEIR_ASSIGN(int64_t size, CheckedMultiply(t.dim(i), m));
    sizes.push_back(size);
    once = once && m == 1;
  }
  if (once) {
    ctx.set_output(0, t);
    return OkStatus();
  }
  WEIR_ASSIGN(Shape shape, Shape::Make(sizes));
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
  if (out.num_elements() == 0) return OkStatus();
  const DimVector from = RowMajorStrides(t.shape()), to = RowMajorStrides(shape);
  absl::InlinedVector<CopyDim, 8> dims;
  for (int i = 0; i < t.rank(); ++i) {
    dims.push_back({multiples[static_cast<size_t>(i)], 0, to[i] * t.dim(i)});
    dims.push_back({t.dim(i), from[i], to[i]});
  }
  StridedCopy(ctx, t.dtype(), dims, t.raw(), out.raw());
  return OkStatus();
}

Status TileShape(ShapeContext& ctx) {
  PartialShape in = ctx.input(0);
  WEIR_ASSIGN(PartialShape multiples, ShapeArgument(ctx, 1));
  if (!in.known_rank() && multiples.known_rank()) in = PartialShape::OfRank(multiples.rank());
  if (!in.known_rank()) return OkStatus();
  WEIR_ASSIGN(PartialShape vector, ctx.WithRank(1, 1));
  if (vector.known_rank() && vector[0] >= 0 && vector[0] != in.rank())
    return InvalidArgument("multiples has {} elements, but the input {} has rank {}", vector[0], in, in.rank());
  if (!multiples.known_rank()) {
    ctx.set_output(0, PartialShape::OfRank(in.rank()));
    return OkStatus();
  }
  DimVector dims;
  for (int i = 0; i < in.rank(); ++i) {
    if (in[i] >= 0 && multiples[i] >= 0) {
      WEIR_ASSIGN(int64_t size, CheckedMultiply(in[i], multiples[i]));
      dims.push_back(size);
    } else {
      dims.push_back(kUnknownDim);
    }
  }
  ctx.set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

template <class T>
void AddInto(T* sum, const T* part, int64_t n) {
  for (int64_t i = 0; i < n; ++i) sum[i] = static_cast<T>(sum[i] + part[i]);
}

template <class T>
Result<Kernel> MakeTileGrad(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    const Tensor& dy = ctx.input(0);
    WEIR_ASSIGN(Ints multiples, CheckedMultiples(dy, ctx.input(1)));
    DimVector sizes;
    for (int i = 0; i < dy.rank(); ++i) {
      const int64_t m = multiples[static_cast<size_t>(i)];
      if (m == 0 || dy.dim(i) % m != 0)
        return InvalidArgument("Expected input_dim[{}] to be divisible by multiples[{}], but {} % {} != 0", i, i,
                               dy.dim(i), m);
      sizes.push_back(dy.dim(i) / m);
    }
    WEIR_ASSIGN(Shape shape, Shape::Make(sizes));
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
    out.ZeroFill();
    if (dy.num_elements() == 0) return OkStatus();
    if (dy.rank() == 0) {
      *out.data<T>() = *dy.data<T>();
      return OkStatus();
    }
    // Process lines along the last dimension. The line of dx has the indices of the line of dy modulo the sizes of dx.
    const int rank = dy.rank();
    const int64_t line = shape[rank - 1], dy_line = dy.dim(rank - 1);
    const DimVector to = RowMajorStrides(shape);
    std::vector<int64_t> index(static_cast<size_t>(rank), 0);
    const T* from = dy.data<T>();
    for (int64_t at = 0; at < dy.num_elements(); at += dy_line) {
      int64_t offset = 0;
      for (int i = 0; i + 1 < rank; ++i) offset += index[static_cast<size_t>(i)] % shape[i] * to[i];
      for (int64_t k = 0; k < dy_line; k += line) AddInto(out.data<T>() + offset, from + at + k, line);
      for (int i = rank - 2; i >= 0; --i) {
        if (++index[static_cast<size_t>(i)] < dy.dim(i)) break;
        index[static_cast<size_t>(i)] = 0;
      }
    }
    return OkStatus();
  });
}

}  // namespace

void RegisterTile(OpRegistry& registry) {
  registry.Add({
      .name = "Tile",
      .signature = "input: T, multiples: Tmultiples -> output: T",
      .attrs = {"T: type", "Tmultiples: {int32, int64} = DT_INT32"},
      .shape = TileShape,
      // dy viewed as [m0, d0, m1, d1, ...], summed over all m.
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        const DType index = g.input(1).base_dtype();
        const Output shape = ShapeOf(g.input(0), {.out_type = index});
        const Output split = Reshape(Transpose(Pack({g.input(1), shape}), {1, 0}), {-1});
        const Output axes = Range(0, Size(split), 2);
        return Gradients{Reshape(Sum(Reshape(g.d_output(0), split), axes), shape), std::monostate{}};
      },
      .kernels = CpuKernel([](KernelSetup&) -> Result<Kernel> { return Kernel::Sync(RunTile); }),
  });
  registry.Add({
      .name = "TileGrad",
      .signature = "input: T, multiples: int32 -> output: T",
      .attrs = {"T: type"},
      .shape = [](ShapeContext& ctx) -> Status {
        if (ctx.input(0).known_rank()) ctx.set_output(0, PartialShape::OfRank(ctx.input(0).rank()));
        return OkStatus();
      },
      .kernels = CpuKernels<float, double, int32_t, int64_t, half, bfloat16>(WEIR_FOR_TYPE(MakeTileGrad)),
  });
}

}  // namespace weir::ops
