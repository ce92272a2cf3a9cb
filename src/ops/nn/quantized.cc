// Activations and pooling of quantized images. The integers have the order of the floats that they stand for, so they
// are compared directly, and the result has the range of the input.
#include "ops/array/quantized.h"
#include "op/op_registry.h"
#include "ops/nn/pooling.h"

namespace weir::ops {
namespace {

// The upper limit of an activation: none, 6 or input 1.
enum class QuantizedLimit { kNone, kSix, kInput };

template <class Q>
Status ClampQuantized(KernelContext& ctx, QuantizedLimit limit) {
  const Tensor& in = ctx.input(0);
  const int first = limit == QuantizedLimit::kInput ? 2 : 1;
  WEIR_ASSIGN(const QuantizedRange range, QuantizedRange::FromInputs(ctx, first));
  if (limit == QuantizedLimit::kInput && ctx.input(1).rank() != 0)
    return InvalidArgument("`max_value` must be rank 0 but is rank {}", ctx.input(1).rank());
  const Q low = QuantizeExactly<Q>(0.0f, range.low, range.high);
  Q high = std::numeric_limits<Q>::max();
  if (limit != QuantizedLimit::kNone) {
    const float value = limit == QuantizedLimit::kSix ? 6.0f : *ctx.input(1).data<float>();
    high = QuantizeExactly<Q>(value, range.low, range.high);
  }
  WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, in.shape()));
  WEIR_TRY(StoreQuantizedRange(ctx, range));
  const Q* x = in.data<Q>();
  Q* y = out.data<Q>();
  return ctx.ParallelFor(in.num_elements(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) y[i] = std::min(std::max(x[i], low), high);
  });
}

template <QuantizedLimit limit>
Result<Kernel> MakeQuantizedRelu(KernelSetup& setup) {
  if (setup.input_type(0) == kQuint8)
    return Kernel::Sync([](KernelContext& ctx) { return ClampQuantized<uint8_t>(ctx, limit); });
  return Kernel::Sync([](KernelContext& ctx) { return ClampQuantized<int32_t>(ctx, limit); });
}

// Output 0 has the shape that `base` computes; the other inputs and outputs are scalars.
ShapeFn WithScalarRange(ShapeFn base) {
  return [base = std::move(base)](ShapeContext& ctx) -> Status {
    WEIR_TRY(base(ctx));
    for (int i = 1; i < ctx.num_inputs(); ++i) WEIR_TRY(ctx.WithRank(i, 0).status());
    for (int i = 1; i < ctx.num_outputs(); ++i) ctx.set_output(i, PartialShape::Scalar());
    return OkStatus();
  };
}

template <QuantizedLimit limit>
void AddQuantizedRelu(OpRegistry& registry, const char* name) {
  KernelList kernels;
  for (const DType type : {kQuint8, kQint32}) {
    kernels.push_back(KernelDef{
        .types = {{"Tinput", type}, {"out_type", type}}, .make = MakeQuantizedRelu<limit>, .host_memory = {}});
  }
  const std::string value = limit == QuantizedLimit::kInput ? "max_value: float, " : "";
  registry.Add({
      .name = name,
      .signature = "features: Tinput, " + value +
                   "min_features: float, max_features: float -> activations: out_type, min_activations: float, "
                   "max_activations: float",
      .attrs = {"Tinput: {qint8, quint8, qint32, qint16, quint16}",
                "out_type: {qint8, quint8, qint32, qint16, quint16} = DT_QUINT8"},
      .shape = WithScalarRange(SameAsInput(0)),
      .kernels = std::move(kernels),
  });
}

// --- pooling

// The largest number of each window, or its average, rounded toward zero.
template <class Q, bool kMax>
Status PoolQuantized(KernelContext& ctx, const PoolWindow& window) {
  const Tensor& x = ctx.input(0);
  WEIR_ASSIGN(const QuantizedRange range, QuantizedRange::FromInputs(ctx, 1));
  WEIR_ASSIGN(const PoolSizes p, PoolSizes::Make(window, x.shape()));
  WEIR_ASSIGN(const Tensor y, ctx.Allocate(0, p.out_shape));
  WEIR_TRY(StoreQuantizedRange(ctx, range));
  if (y.num_elements() == 0) return OkStatus();
  return ctx.ParallelFor(p.images * p.out_positions(), p.taps() * p.channels, [&](int64_t begin, int64_t end) {
    std::vector<int64_t> values(static_cast<size_t>(p.channels));
    for (int64_t i = begin; i < end; ++i) {
      const Q* image = x.data<Q>() + i / p.out_positions() * p.in_positions() * p.channels;
      const PoolSizes::WindowBounds taps = p.WindowAt(i % p.out_positions());
      std::fill(values.begin(), values.end(), kMax ? std::numeric_limits<Q>::lowest() : 0);
      p.ForTaps(taps, [&](int64_t at) {
        const Q* from = image + at * p.channels;
        for (size_t c = 0; c < values.size(); ++c)
          values[c] = kMax ? std::max<int64_t>(values[c], from[c]) : values[c] + from[c];
      });
      Q* to = y.data<Q>() + i * p.channels;
      for (size_t c = 0; c < values.size(); ++c) to[c] = static_cast<Q>(kMax ? values[c] : values[c] / taps.taps());
    }
  });
}

template <bool kMax>
Result<Kernel> MakeQuantizedPool(KernelSetup& setup) {
  WEIR_ASSIGN(const PoolWindow window, PoolWindow::FromAttrs(*setup.node().attrs, 2, WindowUse::kPoolOfChannel));
  if (setup.input_type(0) == kQuint8)
    return Kernel::Sync([window](KernelContext& ctx) { return PoolQuantized<uint8_t, kMax>(ctx, window); });
  return Kernel::Sync([window](KernelContext& ctx) { return PoolQuantized<int8_t, kMax>(ctx, window); });
}

template <bool kMax>
void AddQuantizedPool(OpRegistry& registry, const char* name) {
  registry.Add({
      .name = name,
      .signature = "input: T, min_input: float, max_input: float -> output: T, min_output: float, max_output: float",
      .attrs = {kQuantizedAttr, "ksize: list(int)", "strides: list(int)", "padding: {'SAME', 'VALID'}"},
      .shape = WithScalarRange(PooledShape(2, kMax ? PoolShapeChecks::kChannels : PoolShapeChecks::kSpatial)),
      .kernels = CpuKernelForTypes("T", {kQuint8, kQint8}, MakeQuantizedPool<kMax>),
  });
}

}  // namespace

void RegisterQuantized(OpRegistry& registry) {
  AddQuantizedRelu<QuantizedLimit::kNone>(registry, "QuantizedRelu");
  AddQuantizedRelu<QuantizedLimit::kSix>(registry, "QuantizedRelu6");
  AddQuantizedRelu<QuantizedLimit::kInput>(registry, "QuantizedReluX");
  AddQuantizedPool<true>(registry, "QuantizedMaxPool");
  AddQuantizedPool<false>(registry, "QuantizedAvgPool");
}

}  // namespace weir::ops
