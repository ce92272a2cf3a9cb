// Softmax and LogSoftmax along the last axis, and cross entropy with probability or class labels. Rows are computed in
// float (double for double), shifted by their maximum so that exp does not overflow.
#include <cmath>
#include <limits>

#include "device/gpu/rows.h"
#include "device/gpu_device.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "op/gpu_kernel.h"
#include "op/gradient_context.h"
#include "op/kernel.h"
#include "op/shape_context.h"
#include "ops/math/vector_math.h"

namespace weir::ops {
namespace {

template <class T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class W>
W MaxOf(const W* x, int64_t n) {
  W m = -std::numeric_limits<W>::infinity();
  for (int64_t i = 0; i < n; ++i) m = x[i] > m ? x[i] : m;
  return m;
}

// Returns row `in` in the wide type, converted into `scratch` if needed.
template <class T>
const Wide<T>* WideRow(const T* in, int64_t n, std::vector<Wide<T>>& scratch) {
  if constexpr (std::is_same_v<T, Wide<T>>) {
    return in;
  } else {
    scratch.resize(n);
    for (int64_t i = 0; i < n; ++i) scratch[i] = static_cast<float>(in[i]);
    return scratch.data();
  }
}

template <class T, bool kLog>
Result<Kernel> MakeSoftmax(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    const Tensor& logits = ctx.input(0);
    if (logits.rank() < 1) return InvalidArgument("logits must have at least one dimension, not {}", logits.shape());
    WEIR_ASSIGN(Tensor y, ctx.ForwardOrAllocate(0, 0));
    if (y.num_elements() == 0) return OkStatus();
    const int64_t n = logits.dim(logits.rank() - 1);
    const int64_t rows = y.num_elements() / n;
    const T* in = logits.data<T>();
    T* out = y.data<T>();
    using W = Wide<T>;
    return ctx.ParallelFor(rows, 4 * n, [=](int64_t begin, int64_t end) {
      std::vector<W> scratch;
      std::vector<W> powers(n);
      for (int64_t r = begin; r < end; ++r) {
        const W* x = WideRow<T>(in + r * n, n, scratch);
        const W shift = MaxOf(x, n);
        const W sum = ExpMinusInto(x, shift, powers.data(), n);
        T* row = out + r * n;
        if constexpr (kLog) {
          const W log_sum = std::log(sum);
          for (int64_t i = 0; i < n; ++i) row[i] = static_cast<T>(x[i] - shift - log_sum);
        } else {
          const W scale = W(1) / sum;
          for (int64_t i = 0; i < n; ++i) row[i] = static_cast<T>(powers[i] * scale);
        }
      }
    });
  });
}

template <bool kLog>
Result<Kernel> MakeGpuSoftmax(KernelSetup&, GpuDevice& gpu) {
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  return Kernel::Sync([&gpu, stream = std::move(stream)](KernelContext& ctx) -> Status {
    const Tensor logits = ctx.input(0);
    if (logits.rank() < 1) return InvalidArgument("logits must have at least one dimension, not {}", logits.shape());
    WEIR_ASSIGN(const Tensor y, gpu.ForwardOrAllocate(ctx, {0}, 0, logits.shape()));
    if (y.num_elements() == 0) return OkStatus();
    const int64_t n = logits.dim(logits.rank() - 1);
    return gpu::Softmax(*stream, y.dtype(), logits.raw(), y.raw(), y.num_elements() / n, n, kLog);
  });
}

int64_t RowsOf(const Tensor& t) { return t.rank() < 2 ? 1 : t.dim(0); }
int64_t ColumnsOf(const Tensor& t) { return t.rank() < 1 ? 1 : t.dim(t.rank() - 1); }

// The shape to which logits and labels are broadcast.
Result<Shape> CrossEntropyMatrix(const KernelContext& ctx) {
  const Tensor& logits = ctx.input(0);
  const Tensor& labels = ctx.input(1);
  if (std::max(logits.rank(), labels.rank()) != 2)
    return InvalidArgument("logits and labels must be 2-dimensional, not {} and {}", logits.shape(), labels.shape());
  const auto broadcast = [](int64_t a, int64_t b) { return a == 1 ? b : a; };
  const int64_t rows = broadcast(RowsOf(logits), RowsOf(labels));
  const int64_t n = broadcast(ColumnsOf(logits), ColumnsOf(labels));
  const auto fits = [&](const Tensor& t) {
    return (RowsOf(t) == rows || RowsOf(t) == 1) && (ColumnsOf(t) == n || ColumnsOf(t) == 1);
  };
  if (!fits(logits) || !fits(labels))
    return InvalidArgument("logits and labels must be broadcastable: logits_size={} labels_size={}", logits.shape(),
                           labels.shape());
  return Shape::Make({rows, n});
}

Result<Kernel> MakeGpuCrossEntropy(KernelSetup&, GpuDevice& gpu) {
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  return Kernel::Sync([&gpu, stream = std::move(stream)](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const Shape shape, CrossEntropyMatrix(ctx));
    WEIR_ASSIGN(const Tensor loss, gpu.Allocate(ctx, 0, Shape{shape[0]}));
    WEIR_ASSIGN(const Tensor backprop, gpu.Allocate(ctx, 1, shape));
    if (shape[0] == 0) return OkStatus();
    if (shape[1] == 0) {
      const uint64_t zero = 0;
      return stream->Fill(loss.raw(), &zero, ElementSize(loss.dtype()), static_cast<size_t>(shape[0]));
    }
    const auto view = [](const Tensor& t) {
      return gpu::RowView{t.raw(), RowsOf(t) == 1 ? 0 : ColumnsOf(t), ColumnsOf(t) == 1 ? 0 : 1};
    };
    return gpu::CrossEntropy(*stream, loss.dtype(), view(ctx.input(0)), view(ctx.input(1)), loss.raw(), backprop.raw(),
                             shape[0], shape[1]);
  });
}

// loss[r] = sum_i labels * (log(sum exp) - x); backprop = softmax - labels. Logits and labels are broadcast to one
// matrix.
template <class T>
Result<Kernel> MakeCrossEntropy(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    const Tensor& logits = ctx.input(0);
    const Tensor& labels = ctx.input(1);
    WEIR_ASSIGN(const Shape shape, CrossEntropyMatrix(ctx));
    const int64_t rows = shape[0];
    const int64_t n = shape[1];
    WEIR_ASSIGN(Tensor loss, ctx.Allocate(0, Shape{rows}));
    WEIR_ASSIGN(Tensor backprop, ctx.Allocate(1, shape));
    if (rows == 0) return OkStatus();
    if (n == 0) {
      loss.ZeroFill();
      return OkStatus();
    }
    using W = Wide<T>;
    const T* x_data = logits.data<T>();
    const T* z_data = labels.data<T>();
    T* loss_data = loss.data<T>();
    T* back_data = backprop.data<T>();
    const int64_t x_row = RowsOf(logits) == 1 ? 0 : ColumnsOf(logits);
    const int64_t z_row = RowsOf(labels) == 1 ? 0 : ColumnsOf(labels);
    const int64_t x_step = ColumnsOf(logits) == 1 ? 0 : 1;
    const int64_t z_step = ColumnsOf(labels) == 1 ? 0 : 1;
    return ctx.ParallelFor(rows, 6 * n, [=](int64_t begin, int64_t end) {
      std::vector<W> x(n);
      std::vector<W> powers(n);
      for (int64_t r = begin; r < end; ++r) {
        for (int64_t i = 0; i < n; ++i) x[i] = static_cast<W>(x_data[r * x_row + i * x_step]);
        const W shift = MaxOf(x.data(), n);
        const W sum = ExpMinusInto(x.data(), shift, powers.data(), n);
        const W log_sum = std::log(sum);
        const W scale = W(1) / sum;
        W total = 0;
        T* back = back_data + r * n;
        for (int64_t i = 0; i < n; ++i) {
          const W z = static_cast<W>(z_data[r * z_row + i * z_step]);
          if (z != 0) total += z * (log_sum - (x[i] - shift));
          back[i] = static_cast<T>(powers[i] * scale - z);
        }
        loss_data[r] = static_cast<T>(total);
      }
    });
  });
}

Status CheckSparseShapes(const KernelContext& ctx) {
  const Tensor& logits = ctx.input(0);
  const Tensor& labels = ctx.input(1);
  if (logits.rank() != 2) return InvalidArgument("logits must be 2-D, but got shape {}", logits.shape());
  if (labels.rank() != 1) return InvalidArgument("labels must be 1-D, but got shape {}", labels.shape());
  if (labels.dim(0) != logits.dim(0))
    return InvalidArgument(
        "logits and labels must have the same first dimension, got logits shape {} and labels shape {}", logits.shape(),
        labels.shape());
  if (logits.dim(0) > 0 && logits.dim(1) == 0)
    return InvalidArgument("must have at least one class, but got logits shape {}", logits.shape());
  return OkStatus();
}

Result<Kernel> MakeGpuSparseCrossEntropy(KernelSetup& setup, GpuDevice& gpu) {
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  return Kernel::Sync(
      [&gpu, stream = std::move(stream), node = gpu.NumberOf(setup.node())](KernelContext& ctx) -> Status {
        WEIR_TRY(CheckSparseShapes(ctx));
        const Tensor& logits = ctx.input(0);
        const Tensor& labels = ctx.input(1);
        const int64_t rows = logits.dim(0);
        WEIR_ASSIGN(const Tensor loss, gpu.Allocate(ctx, 0, Shape{rows}));
        WEIR_ASSIGN(const Tensor backprop, gpu.Allocate(ctx, 1, logits.shape()));
        if (rows == 0) return OkStatus();
        return gpu::SparseCrossEntropy(*stream, logits.dtype(), labels.dtype(), logits.raw(), labels.raw(), loss.raw(),
                                       backprop.raw(), rows, logits.dim(1), node);
      });
}

template <class T>
Result<Kernel> MakeSparseCrossEntropy(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_TRY(CheckSparseShapes(ctx));
    const Tensor& logits = ctx.input(0);
    const Tensor& labels = ctx.input(1);
    const int64_t rows = logits.dim(0);
    const int64_t n = logits.dim(1);
    for (int64_t r = 0; r < rows; ++r)
      if (const int64_t label = labels.Int(r); label < 0 || label >= n)
        return InvalidArgument(
            "received a label value of {} which is outside the valid range of [0, {}). Label values: {}", label, n,
            labels.SummarizeValue(20));
    WEIR_ASSIGN(Tensor loss, ctx.Allocate(0, Shape{rows}));
    WEIR_ASSIGN(Tensor backprop, ctx.Allocate(1, logits.shape()));
    using W = Wide<T>;
    const T* in = logits.data<T>();
    T* loss_data = loss.data<T>();
    T* back_data = backprop.data<T>();
    return ctx.ParallelFor(rows, 5 * n, [=, &labels](int64_t begin, int64_t end) {
      std::vector<W> scratch;
      std::vector<W> powers(n);
      for (int64_t r = begin; r < end; ++r) {
        const W* x = WideRow<T>(in + r * n, n, scratch);
        const W shift = MaxOf(x, n);
        const W sum = ExpMinusInto(x, shift, powers.data(), n);
        const W scale = W(1) / sum;
        const int64_t label = labels.Int(r);
        loss_data[r] = static_cast<T>(std::log(sum) - (x[label] - shift));
        T* back = back_data + r * n;
        for (int64_t i = 0; i < n; ++i) back[i] = static_cast<T>(powers[i] * scale - (i == label ? W(1) : W(0)));
      }
    });
  });
}

template <class T>
Result<Kernel> MakePlainSoftmax(KernelSetup& setup) {
  return MakeSoftmax<T, false>(setup);
}
template <class T>
Result<Kernel> MakeLogSoftmax(KernelSetup& setup) {
  return MakeSoftmax<T, true>(setup);
}

// The gradient of the loss scales each row of backprop. A gradient of the output backprop needs second derivatives.
Result<Gradients> CrossEntropyGradient(GradientContext& g, bool labels_too) {
  Output logits = g.input(0);
  Output d_loss = ExpandDims(g.d_output(0), -1);
  Output d_logits = d_loss * g.output(1);
  if (HasGrad(g.raw_d_output(1))) {
    Output d_back = g.d_output(1);
    Output p = Softmax(logits);
    Output dot = Squeeze(BatchMatMul(ExpandDims(d_back, 1), ExpandDims(p, 2)), {.squeeze_dims = {1}});
    d_logits = d_logits + (d_back - dot) * p;
  }
  if (!labels_too) return Gradients{d_logits, std::monostate{}};
  return Gradients{d_logits, d_loss * -LogSoftmax(logits)};
}

Status CrossEntropyShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape joined, BroadcastShapes(ctx.input(0), ctx.input(1)));
  if (joined.known_rank() && joined.rank() != 2)
    return InvalidArgument("logits and labels must be 2-dimensional, not {} and {}", ctx.input(0), ctx.input(1));
  if (!joined.known_rank()) joined = PartialShape::OfRank(2);
  ctx.set_output(0, PartialShape{joined[0]});
  ctx.set_output(1, joined);
  return OkStatus();
}

Status SparseCrossEntropyShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape logits, ctx.WithRank(0, 2));
  WEIR_ASSIGN(PartialShape labels, ctx.WithRank(1, 1));
  WEIR_ASSIGN(int64_t rows, MergeDims(logits[0], labels[0]));
  ctx.set_output(0, PartialShape{rows});
  ctx.set_output(1, PartialShape{rows, logits[1]});
  return OkStatus();
}

}  // namespace

void RegisterSoftmax(OpRegistry& registry) {
  registry.Add({
      .name = "Softmax",
      .signature = "logits: T -> softmax: T",
      .attrs = {"T: {half, bfloat16, float, double}"},
      .shape = SameAsInput(0, {.min_rank = 1}),
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        Output y = g.output(0);
        Output dy = g.d_output(0);
        return Gradients{(dy - ReduceSum(dy * y, -1, kKeepDims)) * y};
      },
      .kernels = WithGpu(CpuKernels<half, bfloat16, float, double>(WEIR_FOR_TYPE(MakePlainSoftmax)),
                         {.make = MakeGpuSoftmax<false>, .types = kGpuReals}),
      .traits = {.memory = OutputMemory::kOwn, .probabilities = Probabilities::kOfRows},
  });
  registry.Add({
      .name = "LogSoftmax",
      .signature = "logits: T -> logsoftmax: T",
      .attrs = {"T: {half, bfloat16, float, double}"},
      .shape = SameAsInput(0, {.min_rank = 1}),
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        Output dy = g.d_output(0);
        return Gradients{dy - ReduceSum(dy, -1, kKeepDims) * Exp(g.output(0))};
      },
      .kernels = WithGpu(CpuKernels<half, bfloat16, float, double>(WEIR_FOR_TYPE(MakeLogSoftmax)),
                         {.make = MakeGpuSoftmax<true>, .types = kGpuReals}),
      .traits = kOwnMemory,
  });
  registry.Add({
      .name = "SoftmaxCrossEntropyWithLogits",
      .signature = "features: T, labels: T -> loss: T, backprop: T",
      .attrs = {"T: {half, bfloat16, float, double}"},
      .shape = CrossEntropyShape,
      .gradient = [](GradientContext& g) { return CrossEntropyGradient(g, /*labels_too=*/true); },
      .kernels = WithGpu(CpuKernels<half, bfloat16, float, double>(WEIR_FOR_TYPE(MakeCrossEntropy)),
                         {.make = MakeGpuCrossEntropy, .types = kGpuReals}),
  });
  registry.Add({
      .name = "SparseSoftmaxCrossEntropyWithLogits",
      .signature = "features: T, labels: Tlabels -> loss: T, backprop: T",
      .attrs = {"T: {half, bfloat16, float, double}", "Tlabels: {int32, int64} = DT_INT64"},
      .shape = SparseCrossEntropyShape,
      .gradient = [](GradientContext& g) { return CrossEntropyGradient(g, /*labels_too=*/false); },
      .kernels = WithGpu(CpuKernels<half, bfloat16, float, double>(WEIR_FOR_TYPE(MakeSparseCrossEntropy)),
                         {.make = MakeGpuSparseCrossEntropy, .types = kGpuReals}),
  });
}

}  // namespace weir::ops
