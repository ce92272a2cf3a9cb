// Range and LinSpace. Lengths are computed without overflow and checked before memory is allocated.
#include <cmath>
#include <limits>

#include "op/gpu_kernel.h"
#include "op/shape_context.h"
#include "ops/math/elementwise.h"

namespace weir::ops {
namespace {

// The value of a tensor that must be a scalar or, as in TensorFlow, a vector of one element.
template <class T>
Result<T> OneValue(const Tensor& t, const char* what) {
  if (t.rank() > 1 || t.num_elements() != 1) {
    return InvalidArgument("{} must be a scalar, not shape {}", what, t.shape());
  }
  return *t.data<T>();
}

// The number of values from start to limit, excluding limit.
template <class T>
Result<int64_t> RangeLength(T start, T limit, T delta) {
  using Number = std::conditional_t<std::is_integral_v<T>, T, double>;
  const Number first = static_cast<Number>(start);
  const Number last = static_cast<Number>(limit);
  const Number step = static_cast<Number>(delta);
  if (step == 0) return InvalidArgument("Requires delta != 0: {}", step);
  if (step > 0 && first > last) return InvalidArgument("Requires start <= limit when delta > 0: {}/{}", first, last);
  if (step < 0 && first < last) return InvalidArgument("Requires start >= limit when delta < 0: {}/{}", first, last);
  if constexpr (std::is_integral_v<T>) {
    const bool up = first < last;
    const uint64_t distance = up ? static_cast<uint64_t>(last) - static_cast<uint64_t>(first)
                                 : static_cast<uint64_t>(first) - static_cast<uint64_t>(last);
    const uint64_t size = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
    if (distance == 0) return 0;
    const uint64_t length = (distance - 1) / size + 1;
    if (length > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return InvalidArgument("Requires ((limit - start) / delta) to fit 64 bits: {}/{}/{}", first, last, step);
    }
    return static_cast<int64_t>(length);
  } else {
    // Divide in the type itself: float numbers give float lengths.
    double length;
    if constexpr (std::is_same_v<T, double>) {
      length = std::ceil(std::abs((last - first) / step));
    } else {
      length = std::ceil(std::abs((static_cast<float>(limit) - static_cast<float>(start)) / static_cast<float>(delta)));
    }
    if (!(length < 9.2e18)) {
      return InvalidArgument("Requires ((limit - start) / delta) <= {}: {}/{}/{}", std::numeric_limits<int64_t>::max(),
                             first, last, step);
    }
    return static_cast<int64_t>(length);
  }
}

template <class T>
Result<Tensor> MakeRangeTensor(const Tensor& start, const Tensor& limit, const Tensor& delta) {
  WEIR_ASSIGN(const T first, OneValue<T>(start, "start"));
  WEIR_ASSIGN(const T last, OneValue<T>(limit, "limit"));
  WEIR_ASSIGN(const T step, OneValue<T>(delta, "delta"));
  WEIR_ASSIGN(const int64_t n, RangeLength(first, last, step));
  WEIR_ASSIGN(Tensor out, Tensor::Allocate(DTypeOf<T>(), Shape{n}));
  T* values = out.data<T>();
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_integral_v<T>) {
      values[i] = static_cast<T>(static_cast<uint64_t>(first) + static_cast<uint64_t>(i) * static_cast<uint64_t>(step));
    } else if constexpr (std::is_same_v<T, double>) {
      values[i] = first + static_cast<double>(i) * step;
    } else {
      values[i] = T(static_cast<float>(first) + static_cast<float>(i) * static_cast<float>(step));
    }
  }
  return out;
}

template <class T>
Result<Kernel> MakeRange(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(Tensor out, MakeRangeTensor<T>(ctx.input(0), ctx.input(1), ctx.input(2)));
           ctx.set_output(0, std::move(out));
           return OkStatus();
         })
      .Cheap();
}

template <class T>
Result<int64_t> ConstantLength(const Tensor& start, const Tensor& limit, const Tensor& delta) {
  WEIR_ASSIGN(const T first, OneValue<T>(start, "start"));
  WEIR_ASSIGN(const T last, OneValue<T>(limit, "limit"));
  WEIR_ASSIGN(const T step, OneValue<T>(delta, "delta"));
  return RangeLength(first, last, step);
}

Status RangeShape(ShapeContext& c) {
  for (int i = 0; i < 3; ++i) WEIR_TRY(c.WithRank(i, 0).status());
  c.set_output(0, PartialShape{kUnknownDim});
  const Tensor* start = c.constant(0);
  const Tensor* limit = c.constant(1);
  const Tensor* delta = c.constant(2);
  if (start == nullptr || limit == nullptr || delta == nullptr) return OkStatus();
  Result<int64_t> length = kUnknownDim;
  switch (start->dtype()) {
    case kInt32:
      length = ConstantLength<int32_t>(*start, *limit, *delta);
      break;
    case kInt64:
      length = ConstantLength<int64_t>(*start, *limit, *delta);
      break;
    case kFloat:
      length = ConstantLength<float>(*start, *limit, *delta);
      break;
    case kDouble:
      length = ConstantLength<double>(*start, *limit, *delta);
      break;
    default:
      break;
  }
  WEIR_TRY(length.status());
  c.set_output(0, PartialShape{*length});
  return OkStatus();
}

template <class T>
Result<Kernel> MakeLinSpace(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    for (int i = 0; i < 3; ++i) {
      if (ctx.input(i).rank() != 0) {
        constexpr const char* kNames[] = {"start", "stop", "num"};
        return InvalidArgument("{} must be a scalar, not shape {}", kNames[i], ctx.input(i).shape());
      }
    }
    const double start = static_cast<double>(ctx.input(0).scalar<T>());
    const double stop = static_cast<double>(ctx.input(1).scalar<T>());
    const int64_t n = ctx.input(2).Int(0);
    if (n <= 0) return InvalidArgument("Requires num > 0: {}", n);
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, Shape{n}));
    T* values = out.data<T>();
    const double step = n > 1 ? (stop - start) / static_cast<double>(n - 1) : 0;
    for (int64_t i = 0; i < n; ++i) values[i] = static_cast<T>(start + step * static_cast<double>(i));
    if (n > 1) values[n - 1] = static_cast<T>(stop);
    return OkStatus();
  });
}

Status LinSpaceShape(ShapeContext& c) {
  for (int i = 0; i < 3; ++i) WEIR_TRY(c.WithRank(i, 0).status());
  const Tensor* num = c.constant(2);
  if (num == nullptr) {
    c.set_output(0, PartialShape{kUnknownDim});
    return OkStatus();
  }
  if (num->Int(0) <= 0) return InvalidArgument("Requires num > 0: {}", num->Int(0));
  c.set_output(0, PartialShape{num->Int(0)});
  return OkStatus();
}

}  // namespace

void RegisterSequences(OpRegistry& registry) {
  registry.Add({
      .name = "Range",
      .signature = "start: Tidx, limit: Tidx, delta: Tidx -> output: Tidx",
      .attrs = {"Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32, uint64} = DT_INT32"},
      .shape = RangeShape,
      .no_gradient = kNoGradient,
      .kernels = HostOnGpu(
          CpuKernelsFor<bfloat16, half, float, double, int8_t, int16_t, int32_t, int64_t, uint16_t, uint32_t, uint64_t>(
              "Tidx", WEIR_FOR_TYPE(MakeRange))),
  });
  registry.Add({
      .name = "LinSpace",
      .signature = "start: T, stop: T, num: Tidx -> output: T",
      .attrs = {"T: {bfloat16, half, float, double}", "Tidx: {int32, int64} = DT_INT32"},
      .shape = LinSpaceShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<bfloat16, half, float, double>(WEIR_FOR_TYPE(MakeLinSpace)),
  });
}

}  // namespace weir::ops
