#include "ops/math/reduction.h"

#include <algorithm>

#include "device/gpu/reduce.h"
#include "device/gpu_device.h"
#include "op/gpu_kernel.h"
#include "op/shape_context.h"
#include "ops/math/cast.h"

namespace weir::ops {
namespace {

constexpr int64_t kChunk = 32768;  // elements per unit of work, approximately
constexpr int64_t kTile = 512;     // columns whose accumulators are updated together

// The dimensions to reduce, checked.
Result<std::vector<bool>> ReducedDims(const Tensor& axes, int rank) {
  std::vector<bool> reduced(rank, false);
  for (int64_t i = 0; i < axes.num_elements(); ++i) {
    const int64_t axis = axes.Int(i);
    if (axis < -rank || axis >= rank) {
      return InvalidArgument("Invalid reduction dimension ({} for input with {} dimension(s))", axis, rank);
    }
    const int64_t d = axis < 0 ? axis + rank : axis;
    if (reduced[d]) return InvalidArgument("Invalid reduction arguments: Axes contains duplicate dimension: {}", d);
    reduced[d] = true;
  }
  return reduced;
}

// The input viewed as few dimensions that are alternately kept and reduced.
struct Layout {
  struct Dim {
    int64_t size;
    bool reduced;
    int64_t stride;
  };
  absl::InlinedVector<Dim, 4> kept;     // outermost first
  absl::InlinedVector<Dim, 4> reduced;  // outermost first
  int64_t outputs = 1;
  int64_t count = 1;  // elements per output
  bool rows = false;  // the innermost dimension is kept

  Layout(const Shape& shape, const std::vector<bool>& is_reduced) {
    absl::InlinedVector<Dim, 4> dims;
    for (int d = 0; d < shape.rank(); ++d) {
      (is_reduced[d] ? count : outputs) *= shape[d];
      if (shape[d] == 1) continue;
      if (!dims.empty() && dims.back().reduced == is_reduced[d]) {
        dims.back().size *= shape[d];
      } else {
        dims.push_back({shape[d], is_reduced[d], 0});
      }
    }
    int64_t stride = 1;
    for (size_t d = dims.size(); d-- > 0;) {
      dims[d].stride = stride;
      stride *= dims[d].size;
    }
    rows = !dims.empty() && !dims.back().reduced;
    for (const Dim& dim : dims) (dim.reduced ? reduced : kept).push_back(dim);
    if (reduced.empty()) reduced.push_back({1, true, 1});
    if (kept.empty()) kept.push_back({1, false, 1});
  }
  // The offset of combination `index` of dims[0, n).
  static int64_t Offset(const absl::InlinedVector<Dim, 4>& dims, size_t n, int64_t index) {
    int64_t offset = 0;
    for (size_t d = n; d-- > 0;) {
      offset += index % dims[d].size * dims[d].stride;
      index /= dims[d].size;
    }
    return offset;
  }
};

// A reducer for elements that are stored in one type and computed in another.
struct TypedReducer {
  Reducer loops;
  size_t in_size = 0;
  size_t compute_size = 0;
  UnaryLoop widen = nullptr;
  UnaryLoop narrow = nullptr;

  void Fold(const char* x, int64_t n, void* acc) const {
    if (widen == nullptr) return loops.fold(x, n, acc);
    alignas(64) char wide[kTile * 16];
    for (int64_t i = 0; i < n; i += kTile) {
      const int64_t count = std::min(kTile, n - i);
      widen(x + i * static_cast<int64_t>(in_size), wide, count);
      loops.fold(wide, count, acc);
    }
  }
  // REQUIRES: n <= kTile.
  void Rows(const char* x, int64_t rows, int64_t stride, int64_t n, void* acc) const {
    if (widen == nullptr) return loops.rows(x, rows, stride, n, acc);
    alignas(64) char wide[kTile * 16];
    for (int64_t r = 0; r < rows; ++r) {
      widen(x + r * stride * static_cast<int64_t>(in_size), wide, n);
      loops.rows(wide, 1, n, n, acc);
    }
  }
  void Finish(const void* acc, int64_t n, int64_t count, char* out) const {
    if (narrow == nullptr) return loops.finish(acc, n, count, out);
    alignas(64) char wide[kTile * 16];
    for (int64_t i = 0; i < n; i += kTile) {
      const int64_t part = std::min(kTile, n - i);
      loops.finish(static_cast<const char*>(acc) + i * static_cast<int64_t>(loops.accumulator_size), part, count, wide);
      narrow(wide, out + i * static_cast<int64_t>(in_size), part);
    }
  }
};

// The number of parts that the elements of one output are split into. Depends only on the amount of work, so that
// results do not depend on the number of threads.
int64_t SplitsFor(int64_t units, int64_t work_per_unit, int64_t most) {
  if (units >= 64) return 1;
  return std::clamp<int64_t>(work_per_unit / kChunk, 1, std::min<int64_t>(most, 64));
}
std::pair<int64_t, int64_t> Part(int64_t total, int64_t parts, int64_t i) {
  return {total * i / parts, total * (i + 1) / parts};
}

// Runs reduce(unit, split, accumulators) for all units and splits, then merges the splits of each unit. A unit has at
// most `width` accumulators.
template <class ReducePart, class FinishUnit>
Status RunUnits(KernelContext& ctx, const TypedReducer& r, int64_t units, int64_t splits, int64_t width,
                int64_t cost_per_unit, ReducePart&& reduce, FinishUnit&& finish) {
  const int64_t acc_bytes = width * static_cast<int64_t>(r.loops.accumulator_size);
  if (splits == 1) {
    return ctx.ParallelFor(units, cost_per_unit, [&](int64_t begin, int64_t end) {
      alignas(64) char acc[kTile * 16];
      for (int64_t unit = begin; unit < end; ++unit) {
        reduce(unit, 0, acc);
        finish(unit, acc);
      }
    });
  }
  WEIR_ASSIGN(Tensor scratch, ctx.AllocateTemp(kUint8, Shape{units * splits * acc_bytes}));
  char* accs = static_cast<char*>(scratch.raw());
  WEIR_TRY(ctx.ParallelFor(units * splits, std::max<int64_t>(cost_per_unit / splits, 1),
                           [&](int64_t i) { reduce(i / splits, i % splits, accs + i * acc_bytes); }));
  for (int64_t unit = 0; unit < units; ++unit) {
    char* first = accs + unit * splits * acc_bytes;
    for (int64_t s = 1; s < splits; ++s) r.loops.merge(first + s * acc_bytes, width, first);
    finish(unit, first);
  }
  return OkStatus();
}

// The innermost dimension is reduced: every output reduces contiguous runs.
Status ReduceContiguous(KernelContext& ctx, const TypedReducer& r, const Layout& layout, const char* x, char* out) {
  const Layout::Dim& inner = layout.reduced.back();
  const size_t outer_dims = layout.reduced.size() - 1;
  const int64_t stretches = layout.count / inner.size;
  const int64_t in_size = static_cast<int64_t>(r.in_size);
  const int64_t splits = SplitsFor(layout.outputs, layout.count, stretches > 1 ? stretches : inner.size);
  auto reduce = [&](int64_t unit, int64_t split, void* acc) {
    r.loops.init(acc, 1);
    const char* base = x + Layout::Offset(layout.kept, layout.kept.size(), unit) * in_size;
    if (stretches == 1) {
      const auto [begin, end] = Part(inner.size, splits, split);
      return r.Fold(base + begin * in_size, end - begin, acc);
    }
    const auto [begin, end] = Part(stretches, splits, split);
    for (int64_t s = begin; s < end; ++s) {
      r.Fold(base + Layout::Offset(layout.reduced, outer_dims, s) * in_size, inner.size, acc);
    }
  };
  auto finish = [&](int64_t unit, const void* acc) { r.Finish(acc, 1, layout.count, out + unit * in_size); };
  return RunUnits(ctx, r, layout.outputs, splits, 1, layout.count / 4 + 5, reduce, finish);
}

// The innermost dimension is kept: rows are added to a row of accumulators, one tile of columns at a time.
Status ReduceRows(KernelContext& ctx, const TypedReducer& r, const Layout& layout, const char* x, char* out) {
  const int64_t columns = layout.kept.back().size;
  const size_t outer_kept = layout.kept.size() - 1;
  const Layout::Dim& inner = layout.reduced.back();
  const size_t outer_reduced = layout.reduced.size() - 1;
  const int64_t blocks = layout.count / inner.size;  // of `inner.size` rows each
  const int64_t in_size = static_cast<int64_t>(r.in_size);
  const int64_t tiles = (columns + kTile - 1) / kTile;
  const int64_t width = std::min(columns, kTile);
  const int64_t units = layout.outputs / columns * tiles;
  const int64_t splits = SplitsFor(units, layout.count * width, blocks > 1 ? blocks : inner.size);
  auto reduce = [&](int64_t unit, int64_t split, void* acc) {
    const int64_t column = unit % tiles * kTile;
    const int64_t n = std::min(kTile, columns - column);
    r.loops.init(acc, width);
    const char* base = x + (Layout::Offset(layout.kept, outer_kept, unit / tiles) + column) * in_size;
    if (blocks == 1) {
      const auto [begin, end] = Part(inner.size, splits, split);
      return r.Rows(base + begin * inner.stride * in_size, end - begin, inner.stride, n, acc);
    }
    const auto [begin, end] = Part(blocks, splits, split);
    for (int64_t b = begin; b < end; ++b) {
      r.Rows(base + Layout::Offset(layout.reduced, outer_reduced, b) * in_size, inner.size, inner.stride, n, acc);
    }
  };
  auto finish = [&](int64_t unit, const void* acc) {
    const int64_t column = unit % tiles * kTile;
    r.Finish(acc, std::min(kTile, columns - column), layout.count, out + (unit / tiles * columns + column) * in_size);
  };
  return RunUnits(ctx, r, units, splits, width, layout.count * width / 2 + 5, reduce, finish);
}

Result<Shape> OutputShape(const Shape& shape, const std::vector<bool>& reduced, bool keep_dims) {
  DimVector dims;
  for (int d = 0; d < shape.rank(); ++d) {
    if (!reduced[d]) {
      dims.push_back(shape[d]);
    } else if (keep_dims) {
      dims.push_back(1);
    }
  }
  return Shape::Make(dims);
}

// `keeps_one`: the reduction of a single element is that element.
Kernel MakeReduction(const TypedReducer& r, bool keep_dims, bool keeps_one) {
  return Kernel::Sync([r, keep_dims, keeps_one](KernelContext& ctx) -> Status {
           const Tensor& x = ctx.input(0);
           WEIR_ASSIGN(const std::vector<bool> reduced, ReducedDims(ctx.input(1), x.rank()));
           WEIR_ASSIGN(const Shape shape, OutputShape(x.shape(), reduced, keep_dims));
           if (keeps_one && shape.num_elements() == x.num_elements() && x.num_elements() > 0) {
             ctx.set_output(0, x.Reshaped(shape));
             return OkStatus();
           }
           WEIR_ASSIGN(Tensor y, ctx.Allocate(0, shape));
           if (y.num_elements() == 0) return OkStatus();
           const char* in = static_cast<const char*>(x.raw());
           char* out = static_cast<char*>(y.raw());
           if (x.num_elements() == 0) {
             alignas(64) char acc[16];
             r.loops.init(acc, 1);
             for (int64_t i = 0; i < y.num_elements(); ++i)
               r.Finish(acc, 1, 0, out + i * static_cast<int64_t>(r.in_size));
             return OkStatus();
           }
           const Layout layout(x.shape(), reduced);
           return layout.rows ? ReduceRows(ctx, r, layout, in, out) : ReduceContiguous(ctx, r, layout, in, out);
         })
      .Cheap();
}

Result<Kernel> MakeGpuReduction(KernelSetup& setup, GpuDevice& gpu) {
  WEIR_ASSIGN(const bool keep_dims, setup.Attr<bool>("keep_dims"));
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  const std::string op = setup.node().op->name;
  return Kernel::Sync([&gpu, stream = std::move(stream), keep_dims, op](KernelContext& ctx) -> Status {
           const Tensor& x = ctx.input(0);
           WEIR_ASSIGN(const std::vector<bool> reduced, ReducedDims(ctx.input(1), x.rank()));
           WEIR_ASSIGN(const Shape shape, OutputShape(x.shape(), reduced, keep_dims));
           if (shape.num_elements() == x.num_elements() && x.num_elements() > 0) {
             ctx.set_output(0, x.Reshaped(shape));
             return OkStatus();
           }
           WEIR_ASSIGN(const Tensor y, gpu.Allocate(ctx, 0, shape));
           if (y.num_elements() == 0) return OkStatus();
           const absl::InlinedVector<bool, 8> axes(reduced.begin(), reduced.end());
           return gpu::Reduce(*stream, op, x.dtype(), x.raw(), x.shape().dims(), axes, y.raw());
         })
      .Cheap();
}

TypeSet GpuReductionTypes(std::string_view op) {
  TypeSet types;
  for (const DType type : gpu::ReduceTypes(op)) {
    if (kGpuPlain.contains(type)) types = types | TypeSet{type};
  }
  return types;
}

KernelList ReductionKernels(const std::vector<DType>& types, const Reducers& reducers, bool typed) {
  std::vector<DType> available;
  for (const auto& [type, reducer] : reducers.list) available.push_back(type);
  KernelList list;
  for (DType type : types) {
    const DType compute = ComputeType(type, available);
    if (compute == kInvalidType) continue;
    TypedReducer r;
    for (const auto& [t, reducer] : reducers.list) {
      if (t == compute) r.loops = reducer;
    }
    WEIR_CHECK(r.loops.accumulator_size <= 16, r.loops.accumulator_size);
    r.in_size = ElementSize(type);
    r.compute_size = ElementSize(compute);
    if (compute != type) {
      r.widen = CastLoop(type, compute);
      r.narrow = CastLoop(compute, type);
    }
    KernelDef def;
    if (typed) def.types = {{"T", type}};
    def.make = [r](KernelSetup& setup) -> Result<Kernel> {
      WEIR_ASSIGN(const bool keep_dims, setup.Attr<bool>("keep_dims"));
      return MakeReduction(r, keep_dims, setup.node().op->name != "EuclideanNorm");
    };
    list.push_back(std::move(def));
  }
  return list;
}

}  // namespace

Reducers Join(Reducers a, const Reducers& b) {
  a.list.insert(a.list.end(), b.list.begin(), b.list.end());
  return a;
}

Reducers AlsoSigned(Reducers reducers) {
  const std::pair<DType, DType> pairs[] = {{kUint8, kInt8}, {kUint16, kInt16}, {kUint32, kInt32}, {kUint64, kInt64}};
  const auto list = reducers.list;
  for (const auto& [type, reducer] : list) {
    for (auto [u, s] : pairs) {
      if (type == u) reducers.list.emplace_back(s, reducer);
    }
  }
  return reducers;
}

Status ReductionShape(ShapeContext& c) {
  WEIR_TRY(c.WithRankAtMost(1, 1).status());
  WEIR_ASSIGN(const bool keep_dims, c.Attr<bool>("keep_dims"));
  const PartialShape& in = c.input(0);
  const Tensor* axes = c.constant(1);
  if (!in.known_rank() || axes == nullptr) {
    c.set_output(0, keep_dims && in.known_rank() ? PartialShape::OfRank(in.rank()) : PartialShape());
    return OkStatus();
  }
  std::vector<bool> reduced(in.rank(), false);
  for (int64_t i = 0; i < axes->num_elements(); ++i) {
    const int64_t axis = axes->Int(i);
    if (axis < -in.rank() || axis >= in.rank()) {
      return InvalidArgument("Invalid reduction dimension {} for input with {} dimensions", axis, in.rank());
    }
    reduced[axis < 0 ? axis + in.rank() : axis] = true;
  }
  DimVector dims;
  for (int d = 0; d < in.rank(); ++d) {
    if (!reduced[d]) {
      dims.push_back(in[d]);
    } else if (keep_dims) {
      dims.push_back(1);
    }
  }
  c.set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

void AddReduction(OpRegistry& registry, ReductionOp op) {
  const bool typed = !op.types.empty();
  OpEntry entry{
      .name = op.name,
      .signature = typed ? "input: T, reduction_indices: Tidx -> output: T"
                         : "input: bool, reduction_indices: Tidx -> output: bool",
      .attrs = {"keep_dims: bool = false"},
      .shape = ReductionShape,
      .gradient = op.gradient,
      .no_gradient = op.no_gradient,
      .kernels = WithGpu(ReductionKernels(typed ? TypesNamed(op.types) : std::vector<DType>{kBool}, op.reducers, typed),
                         {.make = MakeGpuReduction, .attrs = typed ? "T" : "", .types_of = GpuReductionTypes},
                         {"reduction_indices"}),
  };
  if (typed) entry.attrs.push_back("T: {" + op.types + "}");
  entry.attrs.push_back("Tidx: {int32, int64} = DT_INT32");
  registry.Add(std::move(entry));
}

}  // namespace weir::ops
