// ExtractVolumePatches: extracts the windows of a three-dimensional convolution into the channels; zeros outside of the
// volume.
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/node_builder.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/array/int_inputs.h"
#include "ops/array/strided_copy.h"

namespace weir::ops {
namespace {

struct VolumeWindows {
  int64_t size[3], stride[3];
  bool same = false;
  int64_t volume() const { return size[0] * size[1] * size[2]; }
};

// Like TensorFlow, checks most of it only when it makes a kernel.
template <class Context>
Result<VolumeWindows> VolumeWindowsOf(const Context& from) {
  constexpr int64_t kLargest = 1 << 20;
  WEIR_ASSIGN(const Ints sizes, from.template Attr<Ints>("ksizes"));
  WEIR_ASSIGN(const Ints strides, from.template Attr<Ints>("strides"));
  WEIR_ASSIGN(const std::string padding, from.template Attr<std::string>("padding"));
  for (const auto& [list, what] : {std::pair(&sizes, "ksizes"), std::pair(&strides, "strides")}) {
    if (list->size() != 5) return InvalidArgument("{} must have 5 values, got [{}]", what, fmt::join(*list, ", "));
    if (std::is_same_v<Context, KernelSetup> && ((*list)[0] != 1 || (*list)[4] != 1))
      return Unimplemented("Only support {} across space.", what);
    for (const int64_t v : {(*list)[1], (*list)[2], (*list)[3]}) {
      if (v > kLargest || v < (list == &sizes ? 0 : 1))
        return InvalidArgument("{} must be positive, got [{}]", what, fmt::join(*list, ", "));
      if (std::is_same_v<Context, KernelSetup> && v < 1) return OutOfRange("{} is out of range", what);
    }
  }
  return VolumeWindows{{sizes[1], sizes[2], sizes[3]}, {strides[1], strides[2], strides[3]}, padding == "SAME"};
}

struct VolumeFit {
  int64_t count = 0, before = 0;
};
Result<VolumeFit> FitVolume(const VolumeWindows& w, int axis, int64_t size) {
  const int64_t window = w.size[axis], stride = w.stride[axis];
  if (w.same) {
    const int64_t count = size / stride + (size % stride != 0 ? 1 : 0);
    return VolumeFit{count, std::max<int64_t>(0, (count - 1) * stride + window - size) / 2};
  }
  if (size - window + stride < 0)
    return InvalidArgument(
        "Computed output size would be negative: {} [input_size: {}, effective_filter_size: {}, stride: {}]",
        (size - window + stride) / stride, size, window, stride);
  return VolumeFit{(size - window + stride) / stride, 0};
}

Result<Kernel> MakeExtractVolumes(KernelSetup& setup) {
  WEIR_ASSIGN(const VolumeWindows w, VolumeWindowsOf(setup));
  return Kernel::Sync([w](KernelContext& ctx) -> Status {
    const Tensor& t = ctx.input(0);
    if (t.rank() != 5) return InvalidArgument("input must be 5-dimensional, got {}", t.shape());
    VolumeFit fit[3];
    for (int i = 0; i < 3; ++i) {
      WEIR_ASSIGN(fit[i], FitVolume(w, i, t.dim(i + 1)));
    }
    const int64_t depth = t.dim(4);
    WEIR_ASSIGN(const int64_t layer, CheckedMultiply(w.size[0], w.size[1]));
    WEIR_ASSIGN(const int64_t volume, CheckedMultiply(layer, w.size[2]));
    WEIR_ASSIGN(const int64_t channels, CheckedMultiply(volume, depth));
    WEIR_ASSIGN(const Shape shape, Shape::Make({t.dim(0), fit[0].count, fit[1].count, fit[2].count, channels}));
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, shape));
    if (out.num_elements() == 0) return OkStatus();
    const Elements elements(t.dtype());
    const DimVector from = RowMajorStrides(t.shape());
    return ctx.ParallelFor(out.num_elements() / channels, elements.Cost(channels), [&](int64_t at) {
      int64_t start[3], rest = at;
      for (int i = 2; i >= 0; --i) {
        start[i] = rest % fit[i].count * w.stride[i] - fit[i].before;
        rest /= fit[i].count;
      }
      char* to = elements.At(out, at * channels);
      for (int64_t k = 0; k < volume; ++k, to += static_cast<size_t>(depth) * elements.size()) {
        const int64_t place[3] = {start[0] + k / (w.size[1] * w.size[2]), start[1] + k / w.size[2] % w.size[1],
                                  start[2] + k % w.size[2]};
        bool inside = true;
        int64_t index = rest * from[0];
        for (int i = 0; i < 3; ++i) {
          inside = inside && place[i] >= 0 && place[i] < t.dim(i + 1);
          index += place[i] * from[static_cast<size_t>(i) + 1];
        }
        if (inside) {
          elements.Copy(to, elements.At(t, index), depth);
        } else {
          elements.Clear(to, depth);
        }
      }
    });
  });
}

Status ExtractVolumesShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape in, ctx.WithRank(0, 5));
  WEIR_ASSIGN(const VolumeWindows w, VolumeWindowsOf(ctx));
  PartialShape out = PartialShape::OfRank(5);
  out.SetDim(0, in.dim(0));
  for (int i = 0; i < 3; ++i) {
    if (in.dim(i + 1) < 0) continue;
    WEIR_ASSIGN(const VolumeFit fit, FitVolume(w, i, in.dim(i + 1)));
    out.SetDim(i + 1, fit.count);
  }
  if (in.dim(4) >= 0) {
    WEIR_ASSIGN(const int64_t layer, CheckedMultiply(w.size[0], w.size[1]));
    WEIR_ASSIGN(const int64_t volume, CheckedMultiply(layer, w.size[2]));
    WEIR_ASSIGN(const int64_t channels, CheckedMultiply(volume, in.dim(4)));
    out.SetDim(4, channels);
  }
  ctx.set_output(0, std::move(out));
  return OkStatus();
}

// Runs the op on voxel numbers to find the voxel of each gradient (0: padding), then sums up the gradients per voxel.
Result<Gradients> ExtractVolumesGradient(GradientContext& g) {
  WEIR_ASSIGN(const Ints sizes, g.Attr<Ints>("ksizes"));
  WEIR_ASSIGN(const Ints strides, g.Attr<Ints>("strides"));
  WEIR_ASSIGN(const std::string padding, g.Attr<std::string>("padding"));
  const Output x = g.input(0), dy = g.d_output(0);
  const OutputList shape = Unpack(ShapeOf(x), 5);
  if (shape.size() != 5) return Gradients(1);
  const Output places = shape[1] * shape[2] * shape[3];
  const Output one = Constant(x.graph(), Tensor::Scalar<int32_t>(1));
  const Output numbers = Reshape(Range(1, places + 1, 1), Pack({one, shape[1], shape[2], shape[3], one}));
  const Output owners = Reshape(ExtractVolumePatches(numbers, sizes, strides, padding), {-1}) - 1;
  const Output by_place = Transpose(Reshape(dy, Pack({shape[0], Size(owners), shape[4]})), {1, 0, 2});
  const Output summed = UnsortedSegmentSum(by_place, owners, places);
  return Gradients{Reshape(Transpose(summed, {1, 0, 2}), ShapeOf(x))};
}

}  // namespace

void RegisterVolumePatches(OpRegistry& registry) {
  registry.Add({
      .name = "ExtractVolumePatches",
      .signature = "input: T -> patches: T",
      .attrs = {"ksizes: list(int) >= 5", "strides: list(int) >= 5", "T: realnumbertype", "padding: {'SAME', 'VALID'}"},
      .shape = ExtractVolumesShape,
      .gradient = ExtractVolumesGradient,
      .kernels = CpuKernel(MakeExtractVolumes),
  });
}

}  // namespace weir::ops
