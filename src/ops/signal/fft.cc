// Fourier transforms of the last one, two or three dimensions, computed in double precision. Transforms of real values
// keep the non-negative frequencies of the last dimension.
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/signal_ops.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/int_inputs.h"
#include "ops/signal/fft_plan.h"

namespace weir::ops {
namespace {

using WideComplex = std::complex<double>;

struct FftKind {
  int dims = 1;
  bool inverse = false;
  bool real = false;
};

// Reads or writes `count` elements that are `step` apart. Complex values of real types lose their imaginary parts.
template <class T>
void LoadLine(const void* from, int64_t count, int64_t step, WideComplex* to) {
  const T* x = static_cast<const T*>(from);
  for (int64_t i = 0; i < count; ++i) to[i] = WideComplex(x[i * step]);
}
template <class T>
void StoreLine(const WideComplex* from, int64_t count, int64_t step, void* to) {
  T* y = static_cast<T*>(to);
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      y[i * step] = static_cast<T>(from[i].real());
    } else {
      y[i * step] = static_cast<T>(from[i]);
    }
  }
}
bool IsWide(DType dtype) { return dtype == kDouble || dtype == kComplex128; }
using LoadFn = void (*)(const void*, int64_t, int64_t, WideComplex*);
using StoreFn = void (*)(const WideComplex*, int64_t, int64_t, void*);
LoadFn LoadFor(DType dtype) {
  return dtype == kFloat       ? LoadLine<float>
         : dtype == kDouble    ? LoadLine<double>
         : dtype == kComplex64 ? LoadLine<std::complex<float>>
                               : LoadLine<WideComplex>;
}
StoreFn StoreFor(DType dtype) {
  return dtype == kFloat       ? StoreLine<float>
         : dtype == kDouble    ? StoreLine<double>
         : dtype == kComplex64 ? StoreLine<std::complex<float>>
                               : StoreLine<WideComplex>;
}

// A dense array of `batch` boxes with three dimensions. Boxes with fewer dimensions have leading sizes of 1.
struct Boxes {
  int64_t batch = 1;
  int64_t size[3] = {1, 1, 1};
  int64_t Stride(int axis) const {
    int64_t stride = 1;
    for (int i = axis + 1; i < 3; ++i) stride *= size[i];
    return stride;
  }
  int64_t BoxSize() const { return size[0] * size[1] * size[2]; }
};
Boxes BoxesOf(const Shape& shape, int dims) {
  Boxes boxes;
  for (int i = 0; i < shape.rank(); ++i) {
    const int axis = i - shape.rank() + 3;
    if (axis >= 3 - dims) {
      boxes.size[axis] = shape[i];
    } else {
      boxes.batch *= shape[i];
    }
  }
  return boxes;
}

// An array whose lines along one axis are read or written.
struct TransformLines {
  const char* base;
  size_t element;
  Boxes boxes;
};

// One pass: the transform along one axis, from one array to another. `over` gives the sizes of the other dimensions,
// and so the lines to transform; both arrays are at least that large.
struct TransformPass {
  int axis;
  const FftPlan* plan;
  bool inverse;
  double scale;
  TransformLines from, to;
  int64_t read, written;  // elements of each line
  bool hermitian;         // the line has only the non-negative frequencies
  LoadFn load;
  StoreFn store;
  Boxes over;

  void Run(int64_t begin, int64_t end) const {
    const int64_t n = plan->length();
    std::vector<WideComplex> line(static_cast<size_t>(n)), scratch;
    const int first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t b = i % over.size[second], a = i / over.size[second] % over.size[first];
      const int64_t box = i / (over.size[first] * over.size[second]);
      const auto at = [&](const TransformLines& lines) {
        const int64_t index =
            box * lines.boxes.BoxSize() + a * lines.boxes.Stride(first) + b * lines.boxes.Stride(second);
        return const_cast<char*>(lines.base) + index * static_cast<int64_t>(lines.element);
      };
      load(at(from), read, from.boxes.Stride(axis), line.data());
      std::fill(line.begin() + read, line.end(), WideComplex());
      if (hermitian) {
        line[0] = line[0].real();
        for (int64_t k = 1; k < n - k; ++k) line[static_cast<size_t>(n - k)] = std::conj(line[static_cast<size_t>(k)]);
        if (n % 2 == 0) line[static_cast<size_t>(n / 2)] = line[static_cast<size_t>(n / 2)].real();
      }
      plan->Run(line.data(), inverse, scratch);
      if (scale != 1) {
        for (WideComplex& x : line) x *= scale;
      }
      store(line.data(), written, to.boxes.Stride(axis), at(to));
    }
  }
};

// Transforms `in` to `out`, whose boxes have the given lengths (that of real values for the last axis).
Status Transform(KernelContext& ctx, const FftKind& kind, FftPlans& plans, const Tensor& in, const Tensor& out,
                 const int64_t (&lengths)[3]) {
  const Boxes from = BoxesOf(in.shape(), kind.dims), to = BoxesOf(out.shape(), kind.dims);
  Boxes work = to;
  if (kind.real && kind.inverse) work.size[2] = lengths[2] / 2 + 1;
  Tensor wide;
  if (kind.dims > 1) {
    WEIR_ASSIGN(const Shape shape, Shape::Make({work.batch, work.size[0], work.size[1], work.size[2]}));
    WEIR_ASSIGN(wide, ctx.AllocateTemp(kComplex128, shape));
  }
  // Real values are transformed to frequencies by the first pass, or back by the last one.
  std::vector<int> axes;
  for (int axis = 3 - kind.dims; axis < 3; ++axis) axes.push_back(axis);
  if (!kind.inverse) std::reverse(axes.begin(), axes.end());
  const TransformLines input{static_cast<const char*>(in.raw()), ElementSize(in.dtype()), from};
  const TransformLines output{static_cast<const char*>(out.raw()), ElementSize(out.dtype()), to};
  const TransformLines between{wide.valid() ? static_cast<const char*>(wide.raw()) : nullptr, sizeof(WideComplex),
                               work};
  Boxes over = from;  // cropped to what the transform uses, axis by axis
  for (int axis = 0; axis < 3; ++axis) over.size[axis] = std::min(from.size[axis], work.size[axis]);
  if (kind.real && !kind.inverse) over.size[2] = std::min(from.size[2], lengths[2]);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int axis = axes[i];
    const bool first = i == 0, last = i + 1 == axes.size();
    const std::shared_ptr<const FftPlan> plan = plans.Get(lengths[axis]);
    const bool half = kind.real && axis == 2;
    const TransformPass pass{
        .axis = axis,
        .plan = plan.get(),
        .inverse = kind.inverse,
        .scale = kind.inverse ? 1 / static_cast<double>(lengths[axis]) : 1,
        .from = first ? input : between,
        .to = last ? output : between,
        .read = half && kind.inverse ? std::min(over.size[2], lengths[2] / 2 + 1)
                                     : std::min(over.size[axis], lengths[axis]),
        .written = half && !kind.inverse ? lengths[2] / 2 + 1 : lengths[axis],
        .hermitian = half && kind.inverse,
        .load = first ? LoadFor(in.dtype()) : LoadLine<WideComplex>,
        .store = last ? StoreFor(out.dtype()) : StoreLine<WideComplex>,
        .over = over,
    };
    const int64_t lines = over.batch * (over.BoxSize() / over.size[axis]);
    const int64_t cost = lengths[axis] * 15 + 100;
    WEIR_TRY(ctx.ParallelFor(lines, cost, [&](int64_t begin, int64_t end) { pass.Run(begin, end); }));
    over.size[axis] = pass.written;
  }
  return OkStatus();
}

Result<Kernel> MakeFft(const FftKind& kind) {
  auto plans = std::make_shared<FftPlans>();
  return Kernel::Sync([kind, plans](KernelContext& ctx) -> Status {
    const Tensor in = ctx.input(0);
    if (in.rank() < kind.dims)
      return InvalidArgument("Input must have rank of at least {} but got: {}", kind.dims, in.shape());
    Shape shape = in.shape();
    int64_t lengths[3] = {1, 1, 1};
    for (int i = 0; i < kind.dims; ++i) lengths[3 - kind.dims + i] = in.dim(in.rank() - kind.dims + i);
    if (kind.real) {
      const Tensor& given = ctx.input(1);
      if (given.rank() != 1 || given.num_elements() != kind.dims)
        return InvalidArgument("fft_length must have shape [{}]", kind.dims);
      for (int i = 0; i < kind.dims; ++i) {
        const int64_t length = given.data<int32_t>()[i];
        if (length < 0) return InvalidArgument("fft_length[{}] must >= 0, but got: {}", i, length);
        lengths[3 - kind.dims + i] = length;
        const bool half = i + 1 == kind.dims;
        const int64_t needed = half && kind.inverse ? (length == 0 ? 0 : length / 2 + 1) : length;
        const int at = in.rank() - kind.dims + i;
        if (in.dim(at) != 0 && in.dim(at) < needed)
          return InvalidArgument("Input dimension {} must have length of at least {} but got: {}", at, needed,
                                 in.dim(at));
        WEIR_TRY(shape.SetDim(at, half && !kind.inverse && length != 0 ? length / 2 + 1 : length));
      }
    }
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, shape));
    if (kind.real && IsWide(in.dtype()) != IsWide(out.dtype()))
      return InvalidArgument("Wrong types for {} real FFT: in={} out={}", kind.inverse ? "backward" : "forward",
                             static_cast<int>(in.dtype()), static_cast<int>(out.dtype()));
    if (in.num_elements() == 0 || out.num_elements() == 0) {
      out.ZeroFill();
      return OkStatus();
    }
    return Transform(ctx, kind, *plans, in, out, lengths);
  });
}

Status RealFftShape(ShapeContext& ctx, const FftKind& kind) {
  WEIR_ASSIGN(PartialShape out, ctx.WithRankAtLeast(0, kind.dims));
  WEIR_ASSIGN(const PartialShape length, ctx.WithRank(1, 1));
  WEIR_TRY(MergeDims(length.dim(0), kind.dims).status());
  if (!out.known_rank()) return OkStatus();
  const std::optional<Ints> lengths = ConstantInts(ctx, 1);
  for (int i = 0; i < kind.dims; ++i) {
    // As in TensorFlow, the kernel refuses a negative length.
    int64_t size = lengths ? std::max((*lengths)[static_cast<size_t>(i)], kUnknownDim) : kUnknownDim;
    if (i + 1 == kind.dims && !kind.inverse && size > 0) size = size / 2 + 1;
    out.SetDim(out.rank() - kind.dims + i, size);
  }
  ctx.set_output(0, std::move(out));
  return OkStatus();
}

// --- gradients

Output TransformOf(const FftKind& kind, Output x) {
  if (kind.inverse) return kind.dims == 1 ? IFFT(x) : kind.dims == 2 ? IFFT2D(x) : IFFT3D(x);
  return kind.dims == 1 ? FFT(x) : kind.dims == 2 ? FFT2D(x) : FFT3D(x);
}
Output RealTransformOf(const FftKind& kind, Output x, Output lengths) {
  if (kind.inverse) {
    const DType real = x.base_dtype() == kComplex128 ? kDouble : kFloat;
    return kind.dims == 1   ? IRFFT(x, lengths, {.Treal = real})
           : kind.dims == 2 ? IRFFT2D(x, lengths, {.Treal = real})
                            : IRFFT3D(x, lengths, {.Treal = real});
  }
  const DType complex = x.base_dtype() == kDouble ? kComplex128 : kComplex64;
  return kind.dims == 1   ? RFFT(x, lengths, {.Tcomplex = complex})
         : kind.dims == 2 ? RFFT2D(x, lengths, {.Tcomplex = complex})
                          : RFFT3D(x, lengths, {.Tcomplex = complex});
}
FftKind Reversed(FftKind kind) {
  kind.inverse = !kind.inverse;
  return kind;
}

Result<Gradients> FftGradient(GradientContext& g, const FftKind& kind) {
  const Output dy = g.d_output(0);
  const Output sizes = StridedSlice(ShapeOf(dy), {-kind.dims}, {0}, {1}, {.end_mask = 1});
  const Output count = Cast(Prod(sizes, 0), dy.base_dtype());
  const Output dx = TransformOf(Reversed(kind), dy);
  return Gradients{kind.inverse ? dx / count : dx * count};
}

// dx padded with zeros to the shape of x: the transform ignores what is beyond its length.
Output PaddedTo(Output x, Output dx) {
  const Output missing = ShapeOf(x) - ShapeOf(dx);
  return Pad(dx, Pack({ZerosLike(missing), missing}, {.axis = 1}));
}

Result<Gradients> RealFftGradient(GradientContext& g, const FftKind& kind) {
  const Output dy = g.d_output(0), lengths = g.input(1), x = g.input(0);
  const Output last = GatherV2(lengths, kind.dims - 1, 0);
  const Output bins = Range(0, FloorDiv(last, 2) + 1, 1);
  // A frequency without a negative counterpart.
  const Output single = LogicalOr(Equal(bins, 0), Equal(bins * 2, last));
  const DType complex = kind.inverse ? x.base_dtype() : dy.base_dtype();
  const DType real = complex == kComplex128 ? kDouble : kFloat;
  const Output ones = Cast(OnesLike(bins), real);
  const Output count = Cast(Prod(lengths, 0), real);
  if (kind.inverse) {
    const Output weights = Select(single, ones, ones + ones) / count;
    return Gradients{PaddedTo(x, RealTransformOf(Reversed(kind), dy, lengths) * Cast(weights, complex)),
                     std::monostate{}};
  }
  const Output weights = Cast(Select(single, ones, ones / 2), complex);
  return Gradients{PaddedTo(x, RealTransformOf(Reversed(kind), dy * weights, lengths) * count), std::monostate{}};
}

KernelList FftKernels(const FftKind& kind) {
  return CpuKernel([kind](KernelSetup&) { return MakeFft(kind); });
}

}  // namespace

void RegisterFft(OpRegistry& registry) {
  auto add_complex = [&](const char* name, FftKind kind) {
    registry.Add({
        .name = name,
        .signature = "input: Tcomplex -> output: Tcomplex",
        .attrs = {"Tcomplex: {complex64, complex128} = DT_COMPLEX64"},
        .shape = SameAsInput(0, {.min_rank = kind.dims}),
        .gradient = [kind](GradientContext& g) { return FftGradient(g, kind); },
        .kernels = FftKernels(kind),
    });
  };
  auto add_real = [&](const char* name, FftKind kind) {
    kind.real = true;
    registry.Add({
        .name = name,
        .signature = kind.inverse ? "input: Tcomplex, fft_length: int32 -> output: Treal"
                                  : "input: Treal, fft_length: int32 -> output: Tcomplex",
        .attrs = {"Treal: {float, double} = DT_FLOAT", "Tcomplex: {complex64, complex128} = DT_COMPLEX64"},
        .shape = [kind](ShapeContext& ctx) { return RealFftShape(ctx, kind); },
        .gradient = [kind](GradientContext& g) { return RealFftGradient(g, kind); },
        .kernels = FftKernels(kind),
    });
  };
  add_complex("FFT", {.dims = 1});
  add_complex("FFT2D", {.dims = 2});
  add_complex("FFT3D", {.dims = 3});
  add_complex("IFFT", {.dims = 1, .inverse = true});
  add_complex("IFFT2D", {.dims = 2, .inverse = true});
  add_complex("IFFT3D", {.dims = 3, .inverse = true});
  add_real("RFFT", {.dims = 1});
  add_real("RFFT2D", {.dims = 2});
  add_real("RFFT3D", {.dims = 3});
  add_real("IRFFT", {.dims = 1, .inverse = true});
  add_real("IRFFT2D", {.dims = 2, .inverse = true});
  add_real("IRFFT3D", {.dims = 3, .inverse = true});
}

}  // namespace weir::ops
