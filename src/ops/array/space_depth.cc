// SpaceToDepth and DepthToSpace: move blocks of an image to its channels and back. Each is the gradient of the other.
// Channel c of position (y, x) in a block becomes channel (y * block + x) * channels + c.
#include "graph/build/array_ops.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/array/strided_copy.h"

namespace weir::ops {
namespace {

// The dimensions of height, width and channels.
struct Format {
  int height, width, channels;
};
Result<Format> ParseFormat(const std::string& text) {
  if (text == "NHWC") return Format{1, 2, 3};
  if (text == "NCHW") return Format{2, 3, 1};
  return Unimplemented("data_format {} is not supported on the CPU", text);
}

Status RunMove(KernelContext& ctx, const Format& f, int64_t block, bool to_depth) {
  const Tensor& t = ctx.input(0);
  if (t.rank() != 4) return InvalidArgument("Input rank should be: 4 instead of: {}", t.rank());
  DimVector dims(t.shape().begin(), t.shape().end());
  const int64_t height = t.dim(f.height), width = t.dim(f.width), depth = t.dim(f.channels);
  WEIR_ASSIGN(int64_t area, CheckedMultiply(block, block));
  if (to_depth) {
    if (height % block != 0 || width % block != 0)
      return InvalidArgument("Image width {} and height {} should be divisible by block_size: {}", width, height,
                             block);
    dims[f.height] = height / block;
    dims[f.width] = width / block;
    WEIR_ASSIGN(dims[f.channels], CheckedMultiply(depth, area));
  } else {
    if (depth % area != 0) return InvalidArgument("Input depth dimension {} should be divisible by: {}", depth, area);
    WEIR_ASSIGN(dims[f.height], CheckedMultiply(height, block));
    WEIR_ASSIGN(dims[f.width], CheckedMultiply(width, block));
    dims[f.channels] = depth / area;
  }
  WEIR_ASSIGN(Shape shape, Shape::Make(dims));
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
  if (out.num_elements() == 0) return OkStatus();
  const Tensor& space = to_depth ? t : out;
  const Tensor& deep = to_depth ? out : t;
  const DimVector ss = RowMajorStrides(space.shape()), ds = RowMajorStrides(deep.shape());
  const int64_t channels = space.dim(f.channels);
  // {size, stride in space, stride in depth}
  absl::InlinedVector<CopyDim, 8> walk = {
      {space.dim(0), ss[0], ds[0]},
      {deep.dim(f.height), ss[f.height] * block, ds[f.height]},
      {deep.dim(f.width), ss[f.width] * block, ds[f.width]},
      {block, ss[f.height], ds[f.channels] * channels * block},
      {block, ss[f.width], ds[f.channels] * channels},
      {channels, ss[f.channels], ds[f.channels]},
  };
  if (!to_depth) {
    for (CopyDim& d : walk) std::swap(d.from_stride, d.to_stride);
  }
  StridedCopy(ctx, t.dtype(), walk, t.raw(), out.raw());
  return OkStatus();
}

template <bool kToDepth>
Result<Kernel> MakeMove(KernelSetup& setup) {
  WEIR_ASSIGN(int64_t block, setup.Attr<int64_t>("block_size"));
  WEIR_ASSIGN(std::string text, setup.Attr<std::string>("data_format"));
  WEIR_ASSIGN(Format f, ParseFormat(text));
  return Kernel::Sync([f, block](KernelContext& ctx) { return RunMove(ctx, f, block, kToDepth); });
}

template <bool kToDepth>
Status MoveShape(ShapeContext& ctx) {
  WEIR_ASSIGN(int64_t block, ctx.Attr<int64_t>("block_size"));
  WEIR_ASSIGN(std::string text, ctx.Attr<std::string>("data_format"));
  if (text == "NCHW_VECT_C") return OkStatus();
  WEIR_ASSIGN(Format f, ParseFormat(text));
  WEIR_ASSIGN(PartialShape in, ctx.WithRank(0, 4));
  if (!in.known_rank()) {
    ctx.set_output(0, PartialShape::OfRank(4));
    return OkStatus();
  }
  auto divide = [&](int d, int64_t by) -> Status {
    if (in[d] < 0) return OkStatus();
    if (in[d] % by != 0) return InvalidArgument("Dimension size must be evenly divisible by {} but is {}", by, in[d]);
    in.SetDim(d, in[d] / by);
    return OkStatus();
  };
  auto multiply = [&](int d, int64_t by) -> Status {
    if (in[d] < 0) return OkStatus();
    WEIR_ASSIGN(int64_t size, CheckedMultiply(in[d], by));
    in.SetDim(d, size);
    return OkStatus();
  };
  WEIR_ASSIGN(int64_t area, CheckedMultiply(block, block));
  WEIR_TRY(kToDepth ? divide(f.height, block) : multiply(f.height, block));
  WEIR_TRY(kToDepth ? divide(f.width, block) : multiply(f.width, block));
  WEIR_TRY(kToDepth ? multiply(f.channels, area) : divide(f.channels, area));
  ctx.set_output(0, std::move(in));
  return OkStatus();
}

}  // namespace

void RegisterSpaceDepth(OpRegistry& registry) {
  const std::vector<std::string> attrs = {"T: type", "block_size: int >= 2",
                                          "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'"};
  registry.Add({
      .name = "SpaceToDepth",
      .signature = "input: T -> output: T",
      .attrs = attrs,
      .shape = MoveShape<true>,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        WEIR_ASSIGN(int64_t block, g.Attr<int64_t>("block_size"));
        WEIR_ASSIGN(std::string format, g.Attr<std::string>("data_format"));
        return Gradients{DepthToSpace(g.d_output(0), block, {.data_format = format})};
      },
      .kernels = CpuKernel(MakeMove<true>),
  });
  registry.Add({
      .name = "DepthToSpace",
      .signature = "input: T -> output: T",
      .attrs = attrs,
      .shape = MoveShape<false>,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        WEIR_ASSIGN(int64_t block, g.Attr<int64_t>("block_size"));
        WEIR_ASSIGN(std::string format, g.Attr<std::string>("data_format"));
        return Gradients{SpaceToDepth(g.d_output(0), block, {.data_format = format})};
      },
      .kernels = CpuKernel(MakeMove<false>),
  });
}

}  // namespace weir::ops
