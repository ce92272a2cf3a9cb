// Dilation2D: the maximum over a window of the image plus a filter. The image has no values outside of its border.
#include <limits>

#include "graph/build/nn_ops.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

// One spatial dimension of the windows.
struct DilationAxis {
  int64_t stride = 1, rate = 1;
  int64_t Extent(int64_t filter) const { return (filter - 1) * rate + 1; }
};
struct DilationSpec {
  DilationAxis rows, cols;
  bool same = false;
};

// Like TensorFlow, refuses windows across the batch or the channels only when it makes a kernel.
template <class Context>
Result<DilationSpec> DilationOf(const Context& from) {
  constexpr int64_t kLargest = 1 << 20;
  WEIR_ASSIGN(const std::vector<int64_t> strides, from.template Attr<std::vector<int64_t>>("strides"));
  WEIR_ASSIGN(const std::vector<int64_t> rates, from.template Attr<std::vector<int64_t>>("rates"));
  WEIR_ASSIGN(const std::string padding, from.template Attr<std::string>("padding"));
  for (const auto& [list, what] : {std::pair(&strides, "stride"), std::pair(&rates, "rate")}) {
    if (list->size() != 4)
      return InvalidArgument("Dilation2D requires the {} attribute to contain 4 values, but got: {}", what,
                             list->size());
    if (std::is_same_v<Context, KernelSetup> && ((*list)[0] != 1 || (*list)[3] != 1))
      return Unimplemented("{} is only supported across spatial dimensions.", list == &strides ? "Stride" : "Rate");
    for (const int64_t v : {(*list)[1], (*list)[2]}) {
      if (v > kLargest || v < -kLargest) return InvalidArgument("{}s must be at most {}, got {}", what, kLargest, v);
    }
  }
  for (const int64_t v : {strides[1], strides[2]}) {
    if (v < 1) return InvalidArgument("Stride must be > 0, but got {}", v);
  }
  return DilationSpec{{strides[1], rates[1]}, {strides[2], rates[2]}, padding == "SAME"};
}

struct DilationFit {
  int64_t count = 0, before = 0;
};
Result<DilationFit> FitWindows(const DilationAxis& axis, bool same, int64_t size, int64_t filter) {
  const int64_t extent = axis.Extent(filter);
  if (same) {
    const int64_t count = (size + axis.stride - 1) / axis.stride;
    return DilationFit{count, std::max<int64_t>(0, (count - 1) * axis.stride + extent - size) / 2};
  }
  const int64_t count = (size - extent + axis.stride) / axis.stride;
  if (size < extent && count <= 0 && size - extent + axis.stride < 0)
    return InvalidArgument(
        "Computed output size would be negative: {} [input_size: {}, effective_filter_size: {}, stride: {}]", count,
        size, extent, axis.stride);
  return DilationFit{std::max<int64_t>(0, count), 0};
}

struct DilationSizes {
  int64_t batch, rows, cols, depth, filter_rows, filter_cols;
  DilationFit out_rows, out_cols;
};

Result<DilationSizes> DilationSizesOf(const DilationSpec& spec, const Tensor& in, const Tensor& filter) {
  if (in.rank() != 4) return InvalidArgument("input must be 4-dimensional: {}", in.shape());
  if (filter.rank() != 3) return InvalidArgument("filter must be 3-dimensional: {}", filter.shape());
  if (in.dim(3) != filter.dim(2))
    return InvalidArgument("input and filter must have the same depth: {} vs {}", in.dim(3), filter.dim(2));
  if (filter.num_elements() == 0) return InvalidArgument("filter must not be empty: {}", filter.shape());
  DilationSizes s{in.dim(0), in.dim(1), in.dim(2), in.dim(3), filter.dim(0), filter.dim(1), {}, {}};
  WEIR_ASSIGN(s.out_rows, FitWindows(spec.rows, spec.same, s.rows, s.filter_rows));
  WEIR_ASSIGN(s.out_cols, FitWindows(spec.cols, spec.same, s.cols, s.filter_cols));
  return s;
}

// The largest sum in one window of one channel, and where it is.
template <class T>
struct Largest {
  T value = std::numeric_limits<T>::lowest();
  int64_t row = 0, col = 0, filter_row = 0, filter_col = 0;
};

template <class T>
Largest<T> LargestAt(const DilationSpec& spec, const DilationSizes& s, const T* in, const T* filter, int64_t b,
                     int64_t out_row, int64_t out_col, int64_t c) {
  using Sum = std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>, float, T>;
  Largest<T> best;
  const int64_t top = out_row * spec.rows.stride - s.out_rows.before;
  const int64_t left = out_col * spec.cols.stride - s.out_cols.before;
  for (int64_t i = 0; i < s.filter_rows; ++i) {
    const int64_t row = top + i * spec.rows.rate;
    if (row < 0 || row >= s.rows) continue;
    for (int64_t j = 0; j < s.filter_cols; ++j) {
      const int64_t col = left + j * spec.cols.rate;
      if (col < 0 || col >= s.cols) continue;
      const T value = static_cast<T>(static_cast<Sum>(in[((b * s.rows + row) * s.cols + col) * s.depth + c]) +
                                     static_cast<Sum>(filter[(i * s.filter_cols + j) * s.depth + c]));
      if (static_cast<Sum>(value) > static_cast<Sum>(best.value)) best = {value, row, col, i, j};
    }
  }
  return best;
}

template <class T>
Result<Kernel> MakeDilation(KernelSetup& setup) {
  WEIR_ASSIGN(const DilationSpec spec, DilationOf(setup));
  return Kernel::Sync([spec](KernelContext& ctx) -> Status {
    const Tensor in = ctx.input(0), filter = ctx.input(1);
    WEIR_ASSIGN(const DilationSizes s, DilationSizesOf(spec, in, filter));
    WEIR_ASSIGN(const Shape shape, Shape::Make({s.batch, s.out_rows.count, s.out_cols.count, s.depth}));
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, shape));
    if (out.num_elements() == 0) return OkStatus();
    const int64_t line = s.out_cols.count * s.depth;
    return ctx.ParallelFor(s.batch * s.out_rows.count, line * s.filter_rows * s.filter_cols * 2, [&](int64_t at) {
      T* to = out.data<T>() + at * line;
      for (int64_t x = 0; x < s.out_cols.count; ++x) {
        for (int64_t c = 0; c < s.depth; ++c)
          *to++ = LargestAt(spec, s, in.data<T>(), filter.data<T>(), at / s.out_rows.count, at % s.out_rows.count, x, c)
                      .value;
      }
    });
  });
}

// The gradient of the image or the filter: each output's gradient goes to the first element that gave the maximum.
template <class T, bool kFilter>
Result<Kernel> MakeDilationGradient(KernelSetup& setup) {
  WEIR_ASSIGN(const DilationSpec spec, DilationOf(setup));
  return Kernel::Sync([spec](KernelContext& ctx) -> Status {
    const Tensor in = ctx.input(0), filter = ctx.input(1), dy = ctx.input(2);
    WEIR_ASSIGN(const DilationSizes s, DilationSizesOf(spec, in, filter));
    WEIR_ASSIGN(const Shape expected, Shape::Make({s.batch, s.out_rows.count, s.out_cols.count, s.depth}));
    if (!(dy.shape() == expected))
      return InvalidArgument("out_backprop has incompatible size: {} instead of {}", dy.shape(), expected);
    const Tensor& like = kFilter ? filter : in;
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, like.shape()));
    out.ZeroFill();
    const T* from = dy.data<T>();
    using Sum = std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>, float, T>;
    std::vector<Sum> sums(static_cast<size_t>(out.num_elements()), Sum(0));
    for (int64_t b = 0; b < s.batch; ++b) {
      for (int64_t y = 0; y < s.out_rows.count; ++y) {
        if (ctx.cancel().cancelled()) return ctx.cancel().reason();
        for (int64_t x = 0; x < s.out_cols.count; ++x) {
          for (int64_t c = 0; c < s.depth; ++c) {
            const Largest<T> best = LargestAt(spec, s, in.data<T>(), filter.data<T>(), b, y, x, c);
            const int64_t at = kFilter ? (best.filter_row * s.filter_cols + best.filter_col) * s.depth + c
                                       : ((b * s.rows + best.row) * s.cols + best.col) * s.depth + c;
            sums[static_cast<size_t>(at)] = static_cast<Sum>(sums[static_cast<size_t>(at)] + static_cast<Sum>(*from++));
          }
        }
      }
    }
    for (size_t i = 0; i < sums.size(); ++i) out.data<T>()[i] = static_cast<T>(sums[i]);
    return OkStatus();
  });
}
template <class T>
Result<Kernel> MakeDilationInputGradient(KernelSetup& setup) {
  return MakeDilationGradient<T, false>(setup);
}
template <class T>
Result<Kernel> MakeDilationFilterGradient(KernelSetup& setup) {
  return MakeDilationGradient<T, true>(setup);
}

Status DilationShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape in, ctx.WithRank(0, 4));
  WEIR_ASSIGN(const PartialShape filter, ctx.WithRank(1, 3));
  WEIR_ASSIGN(const DilationSpec spec, DilationOf(ctx));
  WEIR_ASSIGN(const int64_t depth, MergeDims(in.dim(3), filter.dim(2)));
  const auto size = [&](const DilationAxis& axis, int64_t n, int64_t window) -> Result<int64_t> {
    if (n < 0 || (window < 0 && !spec.same)) return kUnknownDim;
    WEIR_ASSIGN(const DilationFit fit, FitWindows(axis, spec.same, n, std::max<int64_t>(window, 1)));
    return fit.count;
  };
  WEIR_ASSIGN(const int64_t rows, size(spec.rows, in.dim(1), filter.dim(0)));
  WEIR_ASSIGN(const int64_t cols, size(spec.cols, in.dim(2), filter.dim(1)));
  ctx.set_output(0, PartialShape{in.dim(0), rows, cols, depth});
  return OkStatus();
}

Result<Gradients> DilationGradient(GradientContext& g) {
  WEIR_ASSIGN(const std::vector<int64_t> strides, g.Attr<std::vector<int64_t>>("strides"));
  WEIR_ASSIGN(const std::vector<int64_t> rates, g.Attr<std::vector<int64_t>>("rates"));
  WEIR_ASSIGN(const std::string padding, g.Attr<std::string>("padding"));
  const Output x = g.input(0), filter = g.input(1), dy = g.d_output(0);
  return Gradients{Dilation2DBackpropInput(x, filter, dy, strides, rates, padding),
                   Dilation2DBackpropFilter(x, filter, dy, strides, rates, padding)};
}

}  // namespace

void RegisterDilation(OpRegistry& registry) {
  const std::vector<std::string> attrs = {"T: realnumbertype", "strides: list(int) >= 4", "rates: list(int) >= 4",
                                          "padding: {'SAME', 'VALID'}"};
  registry.Add({
      .name = "Dilation2D",
      .signature = "input: T, filter: T -> output: T",
      .attrs = attrs,
      .shape = DilationShape,
      .gradient = DilationGradient,
      .kernels = CpuKernels<float, double, half, bfloat16, int32_t, int64_t, uint8_t, int8_t, int16_t, uint16_t,
                            uint32_t, uint64_t>(WEIR_FOR_TYPE(MakeDilation)),
  });
  registry.Add({
      .name = "Dilation2DBackpropInput",
      .signature = "input: T, filter: T, out_backprop: T -> in_backprop: T",
      .attrs = attrs,
      .shape = SameAsInput(0),
      .kernels = CpuKernels<float, double, half, bfloat16, int32_t, int64_t>(WEIR_FOR_TYPE(MakeDilationInputGradient)),
  });
  registry.Add({
      .name = "Dilation2DBackpropFilter",
      .signature = "input: T, filter: T, out_backprop: T -> filter_backprop: T",
      .attrs = attrs,
      .shape = SameAsInput(1),
      .kernels = CpuKernels<float, double, half, bfloat16, int32_t, int64_t>(WEIR_FOR_TYPE(MakeDilationFilterGradient)),
  });
}

}  // namespace weir::ops
