// ReduceJoin: joins strings along some dimensions; the first axis given varies fastest. UnsortedSegmentJoin: joins the
// strings of each segment in order.
#include "op/shape_context.h"
#include "ops/array/int_inputs.h"
#include "ops/string/map_strings.h"

namespace weir::ops {
namespace {

// Returns the axes, normalized to [0, rank), in the given order.
Result<Ints> ReducedAxes(const Tensor& indices, int rank) {
  Ints axes;
  std::vector<bool> seen(static_cast<size_t>(rank));
  for (const int64_t given : IntsOf(indices)) {
    const int64_t axis = given < 0 ? given + rank : given;
    if (axis < 0 || axis >= rank)
      return OutOfRange("Invalid reduction dimension {} for input with {} dimension(s)", given, rank);
    if (seen[static_cast<size_t>(axis)]) return InvalidArgument("Duplicate reduction dimension {}", given);
    seen[static_cast<size_t>(axis)] = true;
    axes.push_back(axis);
  }
  return axes;
}

// A dimension to iterate over.
struct StridedDim {
  int64_t size;
  int64_t stride;
};

// Returns the offset of step n of an iteration in which the first dimension varies fastest.
int64_t OffsetOf(int64_t n, const std::vector<StridedDim>& walks) {
  int64_t offset = 0;
  for (const StridedDim& walk : walks) {
    offset += n % walk.size * walk.stride;
    n /= walk.size;
  }
  return offset;
}

Result<Kernel> MakeReduceJoin(KernelSetup& setup) {
  WEIR_ASSIGN(const bool keep_dims, setup.Attr<bool>("keep_dims"));
  WEIR_ASSIGN(const std::string separator, setup.Attr<std::string>("separator"));
  return Kernel::Sync([keep_dims, separator](KernelContext& ctx) -> Status {
    const Tensor& in = ctx.input(0);
    WEIR_ASSIGN(const Ints axes, ReducedAxes(ctx.input(1), in.rank()));
    Ints strides(static_cast<size_t>(in.rank()), 1);
    for (int d = in.rank() - 2; d >= 0; --d) strides[d] = strides[d + 1] * in.dim(d + 1);
    std::vector<StridedDim> joined;
    std::vector<StridedDim> kept;  // last dimension first
    int64_t joined_size = 1;
    Ints dims;
    for (const int64_t axis : axes) {
      joined.push_back({in.dim(static_cast<int>(axis)), strides[static_cast<size_t>(axis)]});
      joined_size *= joined.back().size;
    }
    for (int d = 0; d < in.rank(); ++d) {
      const bool reduced = std::find(axes.begin(), axes.end(), d) != axes.end();
      if (!reduced) kept.insert(kept.begin(), {in.dim(d), strides[d]});
      if (!reduced || keep_dims) dims.push_back(reduced ? 1 : in.dim(d));
    }
    WEIR_ASSIGN(const Shape shape, Shape::Make(dims));
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
    const std::string* from = in.data<std::string>();
    std::string* to = out.data<std::string>();
    return ctx.ParallelFor(shape.num_elements(), kNanosPerString * std::max<int64_t>(joined_size, 1),
                           [&](int64_t place) {
                             const int64_t base = OffsetOf(place, kept);
                             for (int64_t n = 0; n < joined_size; ++n) {
                               if (n > 0) to[place] += separator;
                               to[place] += from[base + OffsetOf(n, joined)];
                             }
                           });
  });
}

Status ReduceJoinShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const bool keep_dims, ctx.Attr<bool>("keep_dims"));
  WEIR_TRY(ctx.WithRankAtMost(1, 1).status());
  const PartialShape& in = ctx.input(0);
  const Tensor* indices = ctx.constant(1);
  if (indices == nullptr || !in.known_rank()) {
    ctx.set_output(0, keep_dims && in.known_rank() ? PartialShape::OfRank(in.rank()) : PartialShape());
    return OkStatus();
  }
  std::vector<bool> reduced(static_cast<size_t>(in.rank()));
  for (const int64_t given : IntsOf(*indices)) {
    const int64_t axis = given < 0 ? given + in.rank() : given;
    if (axis < 0 || axis >= in.rank())
      return InvalidArgument("Invalid reduction dimension {} for input with {} dimensions.", given, in.rank());
    reduced[static_cast<size_t>(axis)] = true;
  }
  DimVector dims;
  for (int d = 0; d < in.rank(); ++d) {
    if (!reduced[static_cast<size_t>(d)])
      dims.push_back(in[d]);
    else if (keep_dims)
      dims.push_back(1);
  }
  ctx.set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

Result<Kernel> MakeSegmentJoin(KernelSetup& setup) {
  WEIR_ASSIGN(const std::string separator, setup.Attr<std::string>("separator"));
  return Kernel::Sync([separator](KernelContext& ctx) -> Status {
    const Tensor& in = ctx.input(0);
    const Tensor& ids = ctx.input(1);
    if (ctx.input(2).rank() != 0) return InvalidArgument("Number of segments must be a scalar");
    WEIR_ASSIGN(const int64_t segments, ScalarInt(ctx.input(2), "num_segments"));
    if (segments < 0) return InvalidArgument("Number of segments must be non-negative, not {}", segments);
    if (ids.rank() == 0) return InvalidArgument("Segment ids should be at least 1-dimensional");
    if (ids.rank() > in.rank())
      return OutOfRange("Invalid segment_id rank {} for input with {} dimension(s)", ids.rank(), in.rank());
    Ints dims = {segments};
    for (int d = 0; d < in.rank(); ++d) {
      if (d < ids.rank() && ids.dim(d) != in.dim(d))
        return InvalidArgument("Segment ids of shape {} must be the first dimensions of the input of shape {}",
                               ids.shape(), in.shape());
      if (d >= ids.rank()) dims.push_back(in.dim(d));
    }
    WEIR_ASSIGN(const Shape shape, Shape::Make(dims));
    const Ints segment_of = IntsOf(ids);
    for (const int64_t id : segment_of) {
      if (id < 0 || id >= segments) return InvalidArgument("Segment id {} is not in the range [0, {})", id, segments);
    }
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
    const int64_t width = segments == 0 ? 0 : shape.num_elements() / segments;
    const std::string* from = in.data<std::string>();
    std::string* to = out.data<std::string>();
    std::vector<bool> begun(static_cast<size_t>(segments));
    for (size_t row = 0; row < segment_of.size(); ++row) {
      const int64_t id = segment_of[row];
      for (int64_t i = 0; i < width; ++i) {
        std::string& text = to[id * width + i];
        if (begun[static_cast<size_t>(id)]) text += separator;
        text += from[static_cast<int64_t>(row) * width + i];
      }
      begun[static_cast<size_t>(id)] = true;
    }
    return OkStatus();
  });
}

Status SegmentJoinShape(ShapeContext& ctx) {
  WEIR_TRY(ctx.WithRank(2, 0).status());
  const PartialShape& in = ctx.input(0);
  const PartialShape& ids = ctx.input(1);
  int64_t segments = kUnknownDim;
  if (const std::optional<int64_t> known = ConstantInt(ctx, 2)) {
    if (*known < 0) return InvalidArgument("Number of segments must be non-negative, not {}", *known);
    segments = *known;
  }
  if (!in.known_rank() || !ids.known_rank()) return OkStatus();
  WEIR_TRY(ctx.WithRankAtLeast(0, ids.rank()).status());
  PartialShape out = {segments};
  for (int d = 0; d < in.rank(); ++d) {
    if (d < ids.rank())
      WEIR_TRY(MergeDims(in[d], ids[d]).status());
    else
      out.AddDim(in[d]);
  }
  ctx.set_output(0, std::move(out));
  return OkStatus();
}

}  // namespace

void RegisterReduceJoin(OpRegistry& registry) {
  registry.Add({
      .name = "ReduceJoin",
      .signature = "inputs: string, reduction_indices: int32 -> output: string",
      .attrs = {"keep_dims: bool = false", "separator: string = ''"},
      .shape = ReduceJoinShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeReduceJoin),
  });
  registry.Add({
      .name = "UnsortedSegmentJoin",
      .signature = "inputs: string, segment_ids: Tindices, num_segments: Tnumsegments -> output: string",
      .attrs = {"separator: string = ''", "Tindices: {int32, int64}", "Tnumsegments: {int32, int64} = DT_INT32"},
      .shape = SegmentJoinShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeSegmentJoin),
  });
}

}  // namespace weir::ops
