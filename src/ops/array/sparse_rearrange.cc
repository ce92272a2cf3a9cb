// Ops that transform sparse tensors: SparseReorder, SparseReshape, SparseSlice, SparseConcat, SparseAdd,
// SparseFillEmptyRows.
#include <cmath>
#include <numeric>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/node_builder.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/array/ordered_keys.h"
#include "ops/array/sparse_input.h"
#include "ops/array/strided_copy.h"
#include "ops/array/summable.h"

namespace weir::ops {
namespace {

// Sets outputs 0 and 1 to the entries of `in` with the numbers in `order`.
Status SetEntries(KernelContext& ctx, const SparseInput& in, const std::vector<int64_t>& order) {
  const Elements elements(in.values.dtype());
  const auto count = static_cast<int64_t>(order.size());
  Ints indices;
  WEIR_ASSIGN(Tensor values, ctx.Allocate(1, Shape{count}));
  for (int64_t k = 0; k < count; ++k) {
    const int64_t from = order[static_cast<size_t>(k)];
    indices.insert(indices.end(), in.index(from).begin(), in.index(from).end());
    elements.Copy(elements.At(values, k), elements.At(in.values, from), 1);
  }
  WEIR_ASSIGN(Tensor t, IndexMatrix(indices, count, in.rank));
  ctx.set_output(0, std::move(t));
  return OkStatus();
}

Status RunReorder(KernelContext& ctx) {
  WEIR_ASSIGN(SparseInput in, ReadSparseEntries(ctx.input(0), ctx.input(1), ctx.input(2), "input_"));
  std::vector<int64_t> order(static_cast<size_t>(in.count));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return in.Compare(a, in, b) < 0; });
  return SetEntries(ctx, in, order);
}

Result<Gradients> ReorderGradient(GradientContext& g) {
  const Output indices = g.input(0);
  const Output numbers = Range(0, Reshape(Slice(ShapeOf(indices), {0}, {1}), std::vector<int64_t>{}), 1);
  const Output order = SparseReorder(indices, numbers, g.input(2)).output_values;
  return Gradients{std::monostate{}, GatherV2(g.d_output(1), InvertPermutation(order), 0), std::monostate{}};
}

Status RunReshape(KernelContext& ctx) {
  const Tensor &indices = ctx.input(0), &shape = ctx.input(1), &wanted = ctx.input(2);
  if (indices.rank() != 2)
    return InvalidArgument("Input indices should be a matrix but received shape {}", indices.shape());
  if (shape.rank() != 1 || wanted.rank() != 1)
    return InvalidArgument("Input shape and target shape should be vectors but received shapes {} and {}",
                           shape.shape(), wanted.shape());
  if (indices.dim(1) != shape.dim(0))
    return InvalidArgument("Input tensor rank must match input shape length: {} vs. {}", indices.shape(), shape.dim(0));
  WEIR_ASSIGN(Shape from, ShapeFromTensor(shape, "input_shape"));
  Ints dims = IntsOf(wanted);
  int unknown = -1;
  int64_t known = 1;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == -1) {
      if (unknown >= 0) return InvalidArgument("only one output dimension may be -1, not both {} and {}", unknown, d);
      unknown = static_cast<int>(d);
    } else {
      WEIR_ASSIGN(known, CheckedMultiply(known, dims[d]));
    }
  }
  if (unknown >= 0) {
    if (known == 0)
      return InvalidArgument(
          "reshape cannot infer the missing input size for an empty tensor unless all specified input sizes are "
          "non-zero");
    if (from.num_elements() % known != 0)
      return InvalidArgument(
          "Input to reshape is a SparseTensor with {} dense values, but the requested shape requires a multiple of {}",
          from.num_elements(), known);
    dims[static_cast<size_t>(unknown)] = from.num_elements() / known;
  }
  WEIR_ASSIGN(Shape to, Shape::Make(dims));
  if (to.num_elements() != from.num_elements())
    return InvalidArgument("Input to reshape is a tensor with {} dense values, but the requested shape has {}",
                           from.num_elements(), to.num_elements());
  const int64_t count = indices.dim(0);
  if (count > 0 && to.num_elements() == 0)
    return InvalidArgument("Input tensor has {} values, but its shape {} is empty", count, from);
  const Ints at = IntsOf(indices);
  Ints out;
  const DimVector strides = RowMajorStrides(from), to_strides = RowMajorStrides(to);
  for (int64_t k = 0; k < count; ++k) {
    uint64_t flat = 0;
    for (int d = 0; d < from.rank(); ++d) {
      const int64_t v = at[static_cast<size_t>(k * from.rank() + d)];
      flat += uint64_t(v) * uint64_t(strides[d]);  // entries outside of the shape may overflow
    }
    auto rest = static_cast<int64_t>(flat);
    for (int d = 0; d < to.rank(); ++d) {
      out.push_back(rest / to_strides[d]);
      rest %= to_strides[d];
    }
  }
  WEIR_ASSIGN(Tensor out_indices, IndexMatrix(out, count, to.rank()));
  WEIR_ASSIGN(Tensor out_shape, IntVector(kInt64, to.dims()));
  ctx.set_output(0, std::move(out_indices));
  ctx.set_output(1, std::move(out_shape));
  return OkStatus();
}

Status RunSparseSlice(KernelContext& ctx) {
  WEIR_ASSIGN(SparseInput in, ReadSparseInput(ctx.input(0), ctx.input(1), ctx.input(2), "input_", Entries::kAnywhere));
  WEIR_ASSIGN(Ints start, VectorInts(ctx.input(3), "start"));
  WEIR_ASSIGN(Ints size, VectorInts(ctx.input(4), "size"));
  if (static_cast<int>(start.size()) != in.rank || static_cast<int>(size.size()) != in.rank)
    return InvalidArgument("Expected start and size to be vectors of length {} but got {} and {}", in.rank,
                           start.size(), size.size());
  DimVector dims;
  Ints end;
  for (int d = 0; d < in.rank; ++d) {
    const auto u = static_cast<size_t>(d);
    if (size[u] < 0) return InvalidArgument("Expected a non-negative size, got {} for dimension {}", size[u], d);
    int64_t left = 0;  // the size of the shape from `start` on; may be negative
    if (start[u] < in.shape[d] && __builtin_sub_overflow(in.shape[d], start[u], &left))
      return InvalidArgument("start {} of dimension {} is out of range", start[u], d);
    dims.push_back(std::min(size[u], left));
    int64_t last = 0;
    end.push_back(__builtin_add_overflow(start[u], size[u], &last) ? std::numeric_limits<int64_t>::max() : last);
  }
  std::vector<int64_t> order;
  for (int64_t k = 0; k < in.count; ++k) {
    bool inside = true;
    for (size_t d = 0; d < dims.size(); ++d) {
      const int64_t v = in.index(k)[d];
      inside = inside && v >= start[d] && v < end[d];
    }
    if (inside) order.push_back(k);
  }
  WEIR_TRY(SetEntries(ctx, in, order));
  int64_t* at = ctx.output(0).data<int64_t>();
  for (size_t k = 0; k < order.size() * dims.size(); ++k) at[k] -= start[k % dims.size()];
  WEIR_ASSIGN(Tensor shape, IntVector(kInt64, dims));
  ctx.set_output(2, std::move(shape));
  return OkStatus();
}

Result<Kernel> MakeSparseConcat(KernelSetup& setup) {
  WEIR_ASSIGN(int64_t requested, setup.Attr<int64_t>("concat_dim"));
  const int n = setup.num_inputs() / 3;
  return Kernel::Sync([requested, n](KernelContext& ctx) -> Status {
    struct Entry {
      Ints index;
      int part;
      int64_t number;
    };
    std::vector<Entry> entries;
    std::vector<SparseInput> parts;
    DimVector dims;
    int axis = 0;
    for (int k = 0; k < n; ++k) {
      for (const int64_t size : IntsOf(ctx.input(2 * n + k))) {
        if (size < 0) return Internal("Encountered overflow from large input shape: input {} has size {}", k, size);
      }
      WEIR_ASSIGN(SparseInput part,
                  ReadSparseInput(ctx.input(k), ctx.input(n + k), ctx.input(2 * n + k), "", Entries::kAnywhere));
      if (k == 0) {
        WEIR_ASSIGN(axis, CheckedAxis(requested, part.rank, "Concat dimension"));
        dims = part.shape.dims();
        dims[axis] = 0;
      }
      if (part.rank != static_cast<int>(dims.size()))
        return InvalidArgument("Ranks of all input tensors must match: expected {} but got {} at position {}",
                               dims.size(), part.rank, k);
      for (int d = 0; d < part.rank; ++d) {
        if (d != axis && part.shape[d] != dims[d])
          return InvalidArgument("Input shapes must match: expected {} for dimension {} but got {} at position {}",
                                 dims[d], d, part.shape[d], k);
      }
      for (int64_t i = 0; i < part.count; ++i) {
        Ints index(part.index(i).begin(), part.index(i).end());
        int64_t& moved = index[static_cast<size_t>(axis)];
        moved = static_cast<int64_t>(uint64_t(moved) + uint64_t(dims[axis]));
        entries.push_back({std::move(index), k, i});
      }
      if (__builtin_add_overflow(dims[axis], part.shape[axis], &dims[axis]))
        return InvalidArgument("the concatenated size of dimension {} is too large", axis);
      parts.push_back(std::move(part));
    }
    WEIR_ASSIGN(Shape shape, Shape::Make(dims));
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.index < b.index; });
    const auto count = static_cast<int64_t>(entries.size());
    WEIR_ASSIGN(Tensor values, ctx.Allocate(1, Shape{count}));
    const Elements elements(values.dtype());
    Ints indices;
    for (int64_t i = 0; i < count; ++i) {
      const Entry& e = entries[static_cast<size_t>(i)];
      indices.insert(indices.end(), e.index.begin(), e.index.end());
      elements.Copy(elements.At(values, i), elements.At(parts[static_cast<size_t>(e.part)].values, e.number), 1);
    }
    WEIR_ASSIGN(Tensor matrix, IndexMatrix(indices, count, shape.rank()));
    WEIR_ASSIGN(Tensor out_shape, IntVector(kInt64, shape.dims()));
    ctx.set_output(0, std::move(matrix));
    ctx.set_output(2, std::move(out_shape));
    return OkStatus();
  });
}

double MagnitudeOf(const Tensor& t, int64_t i) {
  if (t.dtype() == kComplex64) return std::abs(t.data<std::complex<float>>()[i]);
  if (t.dtype() == kComplex128) return std::abs(t.data<std::complex<double>>()[i]);
  double out = 0;
  WithOrderedKeys(t, [&](auto key, auto load) {
    typename decltype(key)::type v;
    load(i, 1, &v);
    out = std::abs(static_cast<double>(v));
  });
  return out;
}

// The sorted union of the entries of both operands. The sum of two entries is dropped if its magnitude is below the
// threshold.
Status RunAdd(KernelContext& ctx) {
  WEIR_ASSIGN(SparseInput a, ReadSparseInput(ctx.input(0), ctx.input(1), ctx.input(2), "a_", Entries::kAnywhere));
  WEIR_ASSIGN(SparseInput b, ReadSparseInput(ctx.input(3), ctx.input(4), ctx.input(5), "b_", Entries::kAnywhere));
  if (!(a.shape == b.shape)) return InvalidArgument("operands' shapes do not match: {} and {}", a.shape, b.shape);
  if (ctx.input(6).rank() != 0)
    return InvalidArgument("The magnitude threshold must be a scalar: got shape {}", ctx.input(6).shape());
  const double threshold = MagnitudeOf(ctx.input(6), 0);
  struct Sum {
    int64_t a, b;  // entries to add; -1: none
  };
  std::vector<Sum> sums;
  for (int64_t i = 0, j = 0; i < a.count || j < b.count;) {
    const int order = i == a.count ? 1 : j == b.count ? -1 : a.Compare(i, b, j);
    sums.push_back({order <= 0 ? i : -1, order >= 0 ? j : -1});
    i += order <= 0 ? 1 : 0;
    j += order >= 0 ? 1 : 0;
  }
  const auto count = static_cast<int64_t>(sums.size());
  WEIR_ASSIGN(Tensor values, ctx.AllocateTemp(a.values.dtype(), Shape{count}));
  const bool known = ForSummableType(values.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *x = static_cast<const T*>(a.values.raw()), *y = static_cast<const T*>(b.values.raw());
    for (int64_t k = 0; k < count; ++k) {
      const Sum& s = sums[static_cast<size_t>(k)];
      static_cast<T*>(values.raw())[k] = s.a < 0 ? y[s.b] : s.b < 0 ? x[s.a] : static_cast<T>(x[s.a] + y[s.b]);
    }
  });
  if (!known) return Unimplemented("addition is not supported for elements of type {}", values.dtype());
  Ints indices;
  std::vector<int64_t> kept;
  for (int64_t k = 0; k < count; ++k) {
    const Sum& s = sums[static_cast<size_t>(k)];
    if (s.a >= 0 && s.b >= 0 && MagnitudeOf(values, k) < threshold) continue;
    kept.push_back(k);
    const absl::Span<const int64_t> index = s.a >= 0 ? a.index(s.a) : b.index(s.b);
    indices.insert(indices.end(), index.begin(), index.end());
  }
  const auto left = static_cast<int64_t>(kept.size());
  WEIR_ASSIGN(Tensor out, ctx.Allocate(1, Shape{left}));
  const Elements elements(out.dtype());
  for (int64_t k = 0; k < left; ++k)
    elements.Copy(elements.At(out, k), elements.At(values, kept[static_cast<size_t>(k)]), 1);
  WEIR_ASSIGN(Tensor matrix, IndexMatrix(indices, left, a.rank));
  WEIR_ASSIGN(Tensor shape, IntVector(kInt64, a.shape.dims()));
  ctx.set_output(0, std::move(matrix));
  ctx.set_output(2, std::move(shape));
  return OkStatus();
}

Status RunFillEmptyRows(KernelContext& ctx) {
  WEIR_ASSIGN(SparseInput in, ReadSparseInput(ctx.input(0), ctx.input(1), ctx.input(2), ""));
  if (ctx.input(3).rank() != 0) return InvalidArgument("default_value must be a scalar, saw: {}", ctx.input(3).shape());
  if (in.rank == 0) return InvalidArgument("Dense shape cannot be empty.");
  const int64_t rows = in.shape[0];
  std::vector<int64_t> order(static_cast<size_t>(in.count));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return in.index(a)[0] < in.index(b)[0]; });
  int64_t used = 0;
  for (size_t i = 0; i < order.size(); ++i)
    used += i == 0 || in.index(order[i])[0] != in.index(order[i - 1])[0] ? 1 : 0;
  const int64_t count = in.count + rows - used;
  WEIR_ASSIGN(Shape matrix_shape, Shape::Make({count, in.rank}));
  WEIR_ASSIGN(Tensor indices, ctx.Allocate(0, matrix_shape));
  WEIR_ASSIGN(Tensor values, ctx.Allocate(1, Shape{count}));
  WEIR_ASSIGN(Tensor empty, ctx.Allocate(2, Shape{rows}));
  WEIR_ASSIGN(Tensor places, ctx.Allocate(3, Shape{in.count}));
  const Elements elements(values.dtype());
  int64_t* index = indices.data<int64_t>();
  size_t next = 0;
  int64_t at = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const bool none = next == order.size() || in.index(order[next])[0] != r;
    empty.data<bool>()[r] = none;
    if (none) {
      *index = r;
      std::fill_n(index + 1, in.rank - 1, 0);
      index += in.rank;
      elements.Copy(elements.At(values, at++), ctx.input(3).raw(), 1);
    }
    for (; next < order.size() && in.index(order[next])[0] == r; ++next) {
      const int64_t k = order[next];
      index = std::copy(in.index(k).begin(), in.index(k).end(), index);
      places.data<int64_t>()[k] = at;
      elements.Copy(elements.At(values, at++), elements.At(in.values, k), 1);
    }
  }
  return OkStatus();
}

Status RunFillEmptyRowsGrad(KernelContext& ctx) {
  const Tensor &map = ctx.input(0), &dy = ctx.input(1);
  if (map.rank() != 1 || dy.rank() != 1)
    return InvalidArgument("reverse_index_map and grad_values must be vectors, saw: {} and {}", map.shape(),
                           dy.shape());
  const Ints places = IntsOf(map);
  const int64_t n = dy.num_elements();
  std::vector<bool> used(static_cast<size_t>(n));
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] < 0 || places[i] >= n)
      return InvalidArgument("Elements in reverse index must be in [0, {}) but got {}", n, places[i]);
    used[static_cast<size_t>(places[i])] = true;
  }
  WEIR_ASSIGN(Tensor d_values, ctx.Allocate(0, map.shape()));
  WEIR_ASSIGN(Tensor d_default, ctx.Allocate(1, Shape{}));
  d_default.ZeroFill();
  const bool known = ForSummableType(dy.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = static_cast<const T*>(dy.raw());
    T* sum = static_cast<T*>(d_default.raw());
    for (size_t i = 0; i < places.size(); ++i) static_cast<T*>(d_values.raw())[i] = from[places[i]];
    for (int64_t k = 0; k < n; ++k) {
      if (!used[static_cast<size_t>(k)]) *sum = static_cast<T>(*sum + from[k]);
    }
  });
  if (!known) return InvalidArgument("addition is not supported for elements of type {}", dy.dtype());
  return OkStatus();
}

// Outputs [?, rank given by `shape_input`], [?] and, if there is a third output, a shape vector of that length.
ShapeFn EntriesShape(int shape_input) {
  return [shape_input](ShapeContext& ctx) -> Status {
    WEIR_ASSIGN(PartialShape shape, ctx.WithRank(shape_input, 1));
    const int64_t rank = shape.dim(0);
    ctx.set_output(0, PartialShape({kUnknownDim, rank}));
    ctx.set_output(1, PartialShape::OfRank(1));
    if (ctx.num_outputs() > 2) ctx.set_output(2, PartialShape({rank}));
    return OkStatus();
  };
}

// The number of entries is the sum over all inputs.
Status SparseConcatShape(ShapeContext& ctx) {
  const int n = ctx.num_inputs() / 3;
  int64_t count = 0, columns = kUnknownDim;
  PartialShape shape = PartialShape::OfRank(1);
  for (int k = 0; k < n; ++k) {
    WEIR_ASSIGN(const PartialShape indices, ctx.WithRank(k, 2));
    WEIR_ASSIGN(const PartialShape values, ctx.WithRank(n + k, 1));
    WEIR_ASSIGN(const PartialShape part, ctx.WithRank(2 * n + k, 1));
    WEIR_ASSIGN(const int64_t rows, MergeDims(indices.dim(0), values.dim(0)));
    if (rows == kUnknownDim || count == kUnknownDim || __builtin_add_overflow(count, rows, &count)) count = kUnknownDim;
    WEIR_ASSIGN(columns, MergeDims(columns, indices.dim(1)));
    WEIR_ASSIGN(shape, shape.Merge(part));
  }
  ctx.set_output(0, PartialShape({count, columns != kUnknownDim ? columns : shape.dim(0)}));
  ctx.set_output(1, PartialShape({count}));
  ctx.set_output(2, std::move(shape));
  return OkStatus();
}

// The kernel checks that the shape is a vector.
Status SparseSliceShape(ShapeContext& ctx) {
  const PartialShape& shape = ctx.input(2);
  const int64_t rank = shape.rank() == 1 ? shape.dim(0) : kUnknownDim;
  ctx.set_output(0, PartialShape({kUnknownDim, rank}));
  ctx.set_output(1, PartialShape::OfRank(1));
  ctx.set_output(2, PartialShape({rank}));
  return OkStatus();
}

template <Status (*Run)(KernelContext&)>
Result<Kernel> MakeRearranging(KernelSetup&) {
  return Kernel::Sync(Run);
}

}  // namespace

void RegisterSparseRearrange(OpRegistry& registry) {
  registry.Add({
      .name = "SparseReorder",
      .signature =
          "input_indices: int64, input_values: T, input_shape: int64 -> output_indices: int64, output_values: T",
      .attrs = {"T: type"},
      .shape = [](ShapeContext& ctx) -> Status {
        WEIR_TRY(ctx.WithRank(0, 2).status());
        WEIR_TRY(ctx.WithRank(1, 1).status());
        WEIR_TRY(ctx.WithRank(2, 1).status());
        ctx.set_output(0, ctx.input(0));
        ctx.set_output(1, ctx.input(1));
        return OkStatus();
      },
      .gradient = ReorderGradient,
      .kernels = CpuKernel(MakeRearranging<RunReorder>),
  });
  registry.Add({
      .name = "SparseReshape",
      .signature =
          "input_indices: int64, input_shape: int64, new_shape: int64 -> output_indices: int64, output_shape: int64",
      .shape = [](ShapeContext& ctx) -> Status {
        WEIR_ASSIGN(PartialShape indices, ctx.WithRank(0, 2));
        WEIR_TRY(ctx.WithRank(1, 1).status());
        WEIR_ASSIGN(PartialShape shape, ctx.WithRank(2, 1));
        ctx.set_output(0, PartialShape({indices.dim(0), shape.dim(0)}));
        ctx.set_output(1, PartialShape({shape.dim(0)}));
        return OkStatus();
      },
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeRearranging<RunReshape>),
  });
  registry.Add({
      .name = "SparseSlice",
      .signature = "indices: int64, values: T, shape: int64, start: int64, size: int64 -> output_indices: int64, "
                   "output_values: T, "
                   "output_shape: int64",
      .attrs = {"T: type"},
      .shape = SparseSliceShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        NodeBuilder grad(g.node()->graph(), "SparseSliceGrad");
        const Output d_values = grad.In(g.d_output(1)).In(g.input(0)).In(g.input(3)).In(g.output(0)).BuildOutput();
        return Gradients{std::monostate{}, d_values, std::monostate{}, std::monostate{}, std::monostate{}};
      },
      .kernels = CpuKernel(MakeRearranging<RunSparseSlice>),
  });
  registry.Add({
      .name = "SparseConcat",
      .signature = "indices: N * int64, values: N * T, shapes: N * int64 -> output_indices: int64, output_values: T, "
                   "output_shape: int64",
      .attrs = {"concat_dim: int", "N: int >= 2", "T: type"},
      .shape = SparseConcatShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeSparseConcat),
  });
  registry.Add({
      .name = "SparseAdd",
      .signature = "a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape: int64, "
                   "thresh: Treal -> "
                   "sum_indices: int64, sum_values: T, sum_shape: int64",
      .attrs = {"T: numbertype", "Treal: realnumbertype"},
      .shape = EntriesShape(2),
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        NodeBuilder grad(g.node()->graph(), "SparseAddGrad");
        const OutputList d = grad.In(g.d_output(1)).In(g.input(0)).In(g.input(3)).In(g.output(0)).BuildOutputs();
        if (d.empty()) return Gradients(7);
        return Gradients{std::monostate{}, d[0], std::monostate{}, std::monostate{}, d[1], std::monostate{},
                         std::monostate{}};
      },
      .kernels = CpuKernel(MakeRearranging<RunAdd>),
  });
  registry.Add({
      .name = "SparseFillEmptyRows",
      .signature =
          "indices: int64, values: T, dense_shape: int64, default_value: T -> output_indices: int64, output_values: T, "
          "empty_row_indicator: bool, reverse_index_map: int64",
      .attrs = {"T: type"},
      .shape = [](ShapeContext& ctx) -> Status {
        WEIR_ASSIGN(PartialShape indices, ctx.WithRank(0, 2));
        WEIR_ASSIGN(PartialShape values, ctx.WithRank(1, 1));
        WEIR_ASSIGN(const PartialShape rank, ctx.WithRank(2, 1));
        WEIR_TRY(MergeDims(indices.dim(1), rank.dim(0)).status());
        WEIR_ASSIGN(PartialShape shape, ShapeArgument(ctx, 2));
        WEIR_TRY(ctx.WithRank(3, 0).status());
        ctx.set_output(0, PartialShape({kUnknownDim, indices.dim(1)}));
        ctx.set_output(1, PartialShape::OfRank(1));
        ctx.set_output(2, PartialShape({shape.known_rank() && shape.rank() > 0 ? shape[0] : kUnknownDim}));
        WEIR_ASSIGN(int64_t count, MergeDims(indices.dim(0), values.dim(0)));
        ctx.set_output(3, PartialShape({count}));
        return OkStatus();
      },
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        const SparseFillEmptyRowsGradResult d = SparseFillEmptyRowsGrad(g.output(3), g.d_output(1));
        return Gradients{std::monostate{}, d.d_values, std::monostate{}, d.d_default_value};
      },
      .kernels = CpuKernel(MakeRearranging<RunFillEmptyRows>),
  });
  registry.Add({
      .name = "SparseFillEmptyRowsGrad",
      .signature = "reverse_index_map: int64, grad_values: T -> d_values: T, d_default_value: T",
      .attrs = {"T: type"},
      .shape = [](ShapeContext& ctx) -> Status {
        WEIR_ASSIGN(PartialShape map, ctx.WithRank(0, 1));
        WEIR_TRY(ctx.WithRank(1, 1).status());
        ctx.set_output(0, std::move(map));
        ctx.set_output(1, PartialShape::Scalar());
        return OkStatus();
      },
      .kernels = CpuKernel(MakeRearranging<RunFillEmptyRowsGrad>),
  });
}

}  // namespace weir::ops
