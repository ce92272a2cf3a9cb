// ExtractImagePatches: extracts the windows of a convolution into the channels; zeros outside of the image.
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/array/int_inputs.h"
#include "ops/array/strided_copy.h"

namespace weir::ops {
namespace {

struct PatchAxis {
  int64_t size, stride, rate;
  int64_t extent() const { return size + (size - 1) * (rate - 1); }
};
struct Patches {
  PatchAxis rows, cols;
  bool same = false;
};

template <class Context>
Result<Patches> PatchesOf(const Context& from) {
  Patches p;
  WEIR_ASSIGN(Ints sizes, from.template Attr<Ints>("ksizes"));
  WEIR_ASSIGN(Ints strides, from.template Attr<Ints>("strides"));
  WEIR_ASSIGN(Ints rates, from.template Attr<Ints>("rates"));
  WEIR_ASSIGN(std::string padding, from.template Attr<std::string>("padding"));
  for (const Ints* list : {&sizes, &strides, &rates}) {
    if (list->size() != 4)
      return InvalidArgument("ksizes, strides and rates must have 4 values, got [{}]", fmt::join(*list, ", "));
    if ((*list)[0] != 1 || (*list)[3] != 1)
      return Unimplemented("Only support {} across space. They are [{}]",
                           list == &sizes     ? "ksizes"
                           : list == &strides ? "strides"
                                              : "rates",
                           fmt::join(*list, ", "));
    for (int64_t v : *list) {
      if (v < 1 || v > (1 << 20))
        return OutOfRange("ksizes, strides and rates must be positive, got [{}]", fmt::join(*list, ", "));
    }
  }
  p.rows = {sizes[1], strides[1], rates[1]};
  p.cols = {sizes[2], strides[2], rates[2]};
  p.same = padding == "SAME";
  return p;
}

Result<int64_t> WindowCount(const PatchAxis& w, bool same, int64_t size) {
  if (size < 0) return kUnknownDim;
  if (same) return size / w.stride + (size % w.stride != 0 ? 1 : 0);
  const int64_t count = (size - w.extent() + w.stride) / w.stride;
  if (count < 0)
    return InvalidArgument(
        "Computed output size would be negative: {} [input_size: {}, effective_filter_size: {}, stride: {}]", count,
        size, w.extent(), w.stride);
  return count;
}
int64_t PadBefore(const PatchAxis& w, bool same, int64_t size, int64_t count) {
  if (!same) return 0;
  return std::max<int64_t>(0, (count - 1) * w.stride + w.extent() - size) / 2;
}

// The windows whose element k is inside the image: the first one, and their number.
struct Covered {
  int64_t first, count;
};
Covered CoveredBy(const PatchAxis& w, int64_t k, int64_t pad, int64_t size, int64_t windows) {
  const int64_t shift = pad - k * w.rate;  // window i reads i * stride - shift
  const int64_t first = shift <= 0 ? 0 : (shift + w.stride - 1) / w.stride;
  const int64_t limit = size + shift;
  const int64_t end = limit <= 0 ? 0 : std::min(windows, (limit + w.stride - 1) / w.stride);
  return {first, std::max<int64_t>(0, end - first)};
}

Result<Kernel> MakeExtract(KernelSetup& setup) {
  WEIR_ASSIGN(Patches p, PatchesOf(setup));
  return Kernel::Sync([p](KernelContext& ctx) -> Status {
    const Tensor& t = ctx.input(0);
    if (t.rank() != 4) return InvalidArgument("input must be 4-dimensional, got {}", t.shape());
    const int64_t batch = t.dim(0), height = t.dim(1), width = t.dim(2), depth = t.dim(3);
    WEIR_ASSIGN(const int64_t rows, WindowCount(p.rows, p.same, height));
    WEIR_ASSIGN(const int64_t cols, WindowCount(p.cols, p.same, width));
    WEIR_ASSIGN(int64_t area, CheckedMultiply(p.rows.size, p.cols.size));
    WEIR_ASSIGN(int64_t channels, CheckedMultiply(area, depth));
    WEIR_ASSIGN(Shape shape, Shape::Make({batch, rows, cols, channels}));
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
    if (out.num_elements() == 0) return OkStatus();
    const Elements elements(t.dtype());
    elements.Clear(out.raw(), p.same ? out.num_elements() : 0);
    const DimVector from = RowMajorStrides(t.shape()), to = RowMajorStrides(shape);
    const int64_t top = PadBefore(p.rows, p.same, height, rows), left = PadBefore(p.cols, p.same, width, cols);
    for (int64_t y = 0; y < p.rows.size; ++y) {
      const Covered r = CoveredBy(p.rows, y, top, height, rows);
      for (int64_t x = 0; x < p.cols.size; ++x) {
        const Covered c = CoveredBy(p.cols, x, left, width, cols);
        if (r.count == 0 || c.count == 0) continue;
        const int64_t source = (r.first * p.rows.stride + y * p.rows.rate - top) * from[1] +
                               (c.first * p.cols.stride + x * p.cols.rate - left) * from[2];
        const int64_t target = r.first * to[1] + c.first * to[2] + (y * p.cols.size + x) * depth;
        StridedCopy(ctx, t.dtype(),
                    {{batch, from[0], to[0]},
                     {r.count, from[1] * p.rows.stride, to[1]},
                     {c.count, from[2] * p.cols.stride, to[2]},
                     {depth, 1, 1}},
                    elements.At(t, source), elements.At(out, target));
      }
    }
    return OkStatus();
  });
}

Status ExtractShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape in, ctx.WithRank(0, 4));
  const Result<Patches> patches = PatchesOf(ctx);
  if (!patches.ok() && patches.status().code() == StatusCode::kInvalidArgument) return patches.status();
  WEIR_ASSIGN(const Ints sizes, ctx.Attr<Ints>("ksizes"));
  WEIR_ASSIGN(const Ints strides, ctx.Attr<Ints>("strides"));
  if (in[3] >= 0) {
    int64_t area = 0;
    if (__builtin_mul_overflow(sizes[1], sizes[2], &area) || area < kUnknownDim)
      return InvalidArgument("Negative dimension size caused by overflow when multiplying {} and {}", in[3], area);
  }
  const bool known_image = in[1] >= 0 && in[2] >= 0;
  for (const int64_t stride : {strides[1], strides[2]}) {
    if (stride < 1 && known_image) return InvalidArgument("Stride must be > 0, but got {}", stride);
  }
  if (!patches.ok()) {  // the kernel reports the error
    ctx.set_output(0, PartialShape::OfRank(4));
    return OkStatus();
  }
  const Patches& p = *patches;
  int64_t channels = kUnknownDim;
  if (in.dim(3) >= 0) {
    WEIR_ASSIGN(int64_t area, CheckedMultiply(p.rows.size, p.cols.size));
    WEIR_ASSIGN(channels, CheckedMultiply(area, in.dim(3)));
  }
  const Result<int64_t> rows = WindowCount(p.rows, p.same, in.dim(1));
  const Result<int64_t> cols = WindowCount(p.cols, p.same, in.dim(2));
  if (known_image) {  // else the kernel reports the error
    WEIR_TRY(rows.status());
    WEIR_TRY(cols.status());
  }
  ctx.set_output(0, PartialShape({in.dim(0), rows.value_or(kUnknownDim), cols.value_or(kUnknownDim), channels}));
  return OkStatus();
}

// Runs the op on pixel numbers to find the pixel of each gradient (0: padding), then sums up the gradients per pixel.
Result<Gradients> ExtractGradient(GradientContext& g) {
  WEIR_ASSIGN(Ints sizes, g.Attr<Ints>("ksizes"));
  WEIR_ASSIGN(Ints strides, g.Attr<Ints>("strides"));
  WEIR_ASSIGN(Ints rates, g.Attr<Ints>("rates"));
  WEIR_ASSIGN(std::string padding, g.Attr<std::string>("padding"));
  const Output x = g.input(0), dy = g.d_output(0);
  const OutputList shape = Unpack(ShapeOf(x), 4);
  if (shape.size() != 4) return Gradients(1);
  const Output batch = shape[0], pixels = shape[1] * shape[2], depth = shape[3];
  const Output one = Constant(x.graph(), Tensor::Scalar<int32_t>(1));
  const Output numbers = Reshape(Range(1, pixels + 1, 1), Pack({one, shape[1], shape[2], one}));
  const Output owners = Reshape(ExtractImagePatches(numbers, sizes, strides, rates, padding), {-1}) - 1;
  // [batch, place, depth] -> [place, batch, depth], summed up by owner, and back.
  const Output places = Transpose(Reshape(dy, Pack({batch, Size(owners), depth})), {1, 0, 2});
  const Output summed = UnsortedSegmentSum(places, owners, pixels);
  return Gradients{Reshape(Transpose(summed, {1, 0, 2}), ShapeOf(x))};
}

}  // namespace

void RegisterImagePatches(OpRegistry& registry) {
  registry.Add({
      .name = "ExtractImagePatches",
      .signature = "images: T -> patches: T",
      .attrs = {"ksizes: list(int) >= 4", "strides: list(int) >= 4", "rates: list(int) >= 4",
                "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, "
                "complex64, complex128, bool}",
                "padding: {'SAME', 'VALID'}"},
      .shape = ExtractShape,
      .gradient = ExtractGradient,
      .kernels = CpuKernel(MakeExtract),
  });
}

}  // namespace weir::ops
