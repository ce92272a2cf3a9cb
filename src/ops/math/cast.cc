// The Cast op. There are loops between integers, float and double. Other pairs take two steps over a small block:
// 16-bit floats through float, complex numbers through their real part.
#include "ops/math/cast.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "graph/build/math_ops.h"
#include "op/gradient_context.h"
#include "op/shape_context.h"
#include "op/type_text.h"
#include "ops/math/gpu_elementwise.h"
#include "ops/math/vector_math.h"

namespace weir::ops {
namespace {

// Like x86's conversion instructions: the smallest integer for NaN and values out of range.
template <class F>
int32_t ToInt32(F x) {
  return x > F(-2147483649.0) && x < F(2147483648.0) ? static_cast<int32_t>(x) : std::numeric_limits<int32_t>::min();
}
template <class F>
int64_t ToInt64(F x) {
  constexpr F kLimit = F(9223372036854775808.0);
  return x >= -kLimit && x < kLimit ? static_cast<int64_t>(x) : std::numeric_limits<int64_t>::min();
}

template <class To, class From>
To Convert(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if constexpr (std::is_same_v<To, uint64_t>) {
      constexpr From kHalf = From(9223372036854775808.0);
      return x >= kHalf && x < 2 * kHalf ? static_cast<uint64_t>(ToInt64(x - kHalf)) + (uint64_t{1} << 63)
                                         : static_cast<uint64_t>(ToInt64(x));
    } else if constexpr (sizeof(To) == 8 || std::is_same_v<To, uint32_t>) {
      return static_cast<To>(ToInt64(x));
    } else {
      return static_cast<To>(ToInt32(x));
    }
  } else if constexpr (std::is_same_v<From, half> || std::is_same_v<From, bfloat16>) {
    return static_cast<To>(static_cast<float>(x));
  } else if constexpr (std::is_same_v<To, half> || std::is_same_v<To, bfloat16>) {
    return To(static_cast<float>(x));
  } else {
    return static_cast<To>(x);
  }
}

template <class From, class To>
void Loop(const void* in, void* out, int64_t n) {
  const From* x = static_cast<const From*>(in);
  To* y = static_cast<To*>(out);
  for (int64_t i = 0; i < n; ++i) y[i] = Convert<To, From>(x[i]);
}
// Between a complex type and its real type.
template <class Real>
void ToComplex(const void* in, void* out, int64_t n) {
  const Real* x = static_cast<const Real*>(in);
  std::complex<Real>* y = static_cast<std::complex<Real>*>(out);
  for (int64_t i = 0; i < n; ++i) y[i] = std::complex<Real>(x[i], 0);
}
template <class Real>
void RealPart(const void* in, void* out, int64_t n) {
  const std::complex<Real>* x = static_cast<const std::complex<Real>*>(in);
  Real* y = static_cast<Real*>(out);
  for (int64_t i = 0; i < n; ++i) y[i] = x[i].real();
}

template <int kSize>
void Copy(const void* in, void* out, int64_t n) {
  std::memmove(out, in, static_cast<size_t>(n) * kSize);
}

template <class From>
UnaryLoop FromType(DType to) {
  switch (to) {
    case kBool:
      return Loop<From, bool>;
    // Integers only lose their upper bits, so signed and unsigned targets share a loop.
    case kInt8:
    case kUint8:
      return Loop<From, uint8_t>;
    case kInt16:
      return std::is_floating_point_v<From> ? Loop<From, int16_t> : Loop<From, uint16_t>;
    case kUint16:
      return Loop<From, uint16_t>;
    case kInt32:
      return std::is_floating_point_v<From> ? Loop<From, int32_t> : Loop<From, uint32_t>;
    case kUint32:
      return Loop<From, uint32_t>;
    case kInt64:
      return std::is_floating_point_v<From> ? Loop<From, int64_t> : Loop<From, uint64_t>;
    case kUint64:
      return Loop<From, uint64_t>;
    case kFloat:
      return Loop<From, float>;
    case kDouble:
      return Loop<From, double>;
    default:
      return nullptr;
  }
}
template <class Narrow>
UnaryLoop FromNarrowFloat(DType to) {
  if (to == kFloat) return Loop<Narrow, float>;
  if (to == kDouble) return Loop<Narrow, double>;
  return nullptr;
}
template <class From>
UnaryLoop ToNarrowFloat(DType to) {
  if (to == kHalf) return Loop<From, half>;
  if (to == kBFloat16) return Loop<From, bfloat16>;
  return nullptr;
}

void WidenHalf(const void* x, void* y, int64_t n) { WidenInto(static_cast<const half*>(x), static_cast<float*>(y), n); }
void NarrowToHalf(const void* x, void* y, int64_t n) {
  NarrowInto(static_cast<const float*>(x), static_cast<half*>(y), n);
}

UnaryLoop FloatLoop(DType to) {
  if (to == kHalf) return NarrowToHalf;
  if (to == kComplex64) return ToComplex<float>;
  if (UnaryLoop loop = ToNarrowFloat<float>(to)) return loop;
  return FromType<float>(to);
}
UnaryLoop DoubleLoop(DType to) {
  if (to == kComplex128) return ToComplex<double>;
  if (UnaryLoop loop = ToNarrowFloat<double>(to)) return loop;
  return FromType<double>(to);
}

// The intermediate type of a two-step cast, or kInvalidType.
DType MiddleType(DType from, DType to) {
  auto leads = [&](DType middle) { return CastLoop(from, middle) != nullptr && CastLoop(middle, to) != nullptr; };
  const bool wide = from == kComplex128 || to == kComplex128;
  if (!wide && leads(kFloat)) return kFloat;
  if (leads(kDouble)) return kDouble;
  return leads(kFloat) ? kFloat : kInvalidType;
}

// Rounds toward zero before a conversion to fewer mantissa bits, by clearing the bits that will be lost.
void ClearLowBits(DType from, DType to, void* data, int64_t n) {
  auto bits_of = [](DType t) {
    return t == kDouble ? 52 : t == kFloat ? 23 : t == kHalf ? 10 : t == kBFloat16 ? 7 : -1;
  };
  const int lost = bits_of(from) - bits_of(to);
  if (bits_of(from) < 0 || bits_of(to) < 0 || lost <= 0) return;
  if (from == kDouble) {
    uint64_t* bits = static_cast<uint64_t*>(data);
    for (int64_t i = 0; i < n; ++i) bits[i] &= ~uint64_t{0} << lost;
  } else if (from == kFloat) {
    uint32_t* bits = static_cast<uint32_t*>(data);
    for (int64_t i = 0; i < n; ++i) bits[i] &= ~uint32_t{0} << lost;
  }
}

struct CastPlan {
  UnaryLoop first = nullptr;   // the whole cast, or to the intermediate type
  UnaryLoop second = nullptr;  // from the intermediate type
  DType from = kInvalidType;
  DType to = kInvalidType;
  DType middle = kInvalidType;
  bool truncate = false;

  void Run(const char* x, char* y, int64_t n) const {
    if (second == nullptr && !truncate) return first(x, y, n);
    constexpr int64_t kBlock = 512;
    alignas(64) char block[kBlock * 16];
    const int64_t in = static_cast<int64_t>(ElementSize(from));
    const int64_t out = static_cast<int64_t>(ElementSize(to));
    for (int64_t i = 0; i < n; i += kBlock) {
      const int64_t count = std::min(kBlock, n - i);
      if (truncate) {
        std::memcpy(block, x + i * in, count * in);
        ClearLowBits(from, to, block, count);
        first(block, y + i * out, count);
      } else {
        first(x + i * in, block, count);
        second(block, y + i * out, count);
      }
    }
  }
};

// Quantized types are treated as their integers.
DType Unquantized(DType t) {
  switch (t) {
    case kQint8:
      return kInt8;
    case kQuint8:
      return kUint8;
    case kQint16:
      return kInt16;
    case kQuint16:
      return kUint16;
    case kQint32:
      return kInt32;
    default:
      return t;
  }
}

Result<Kernel> MakeCast(KernelSetup& setup) {
  CastPlan plan;
  plan.from = Unquantized(BaseType(setup.input_type(0)));
  plan.to = Unquantized(BaseType(setup.output_type(0)));
  if (setup.input_type(0) == setup.output_type(0) || plan.from == plan.to) {
    return Kernel::Sync([](KernelContext& ctx) -> Status {
             ctx.set_output(0, ctx.input(0).BitcastTo(ctx.output_type(0)));
             return OkStatus();
           })
        .Cheap();
  }
  WEIR_ASSIGN(plan.truncate, setup.Attr<bool>("Truncate"));
  plan.first = CastLoop(plan.from, plan.to);
  if (plan.first == nullptr) {
    plan.middle = MiddleType(plan.from, plan.to);
    if (plan.middle == kInvalidType) {
      return Unimplemented("Cast {} to {} is not supported", KernelTypeText(setup.input_type(0)),
                           KernelTypeText(setup.output_type(0)));
    }
    plan.first = CastLoop(plan.from, plan.middle);
    plan.second = CastLoop(plan.middle, plan.to);
    plan.truncate = false;
  }
  return Kernel::Sync([plan](KernelContext& ctx) -> Status {
           const Tensor& x = ctx.input(0);
           WEIR_ASSIGN(Tensor y, ctx.Allocate(0, x.shape()));
           const int64_t in = static_cast<int64_t>(ElementSize(plan.from));
           const int64_t out = static_cast<int64_t>(ElementSize(plan.to));
           return ctx.ParallelFor(x.num_elements(), 1, [&](int64_t begin, int64_t end) {
             plan.Run(static_cast<const char*>(x.raw()) + begin * in, static_cast<char*>(y.raw()) + begin * out,
                      end - begin);
           });
         })
      .Cheap();
}

// The loop of a one-step cast.
ElementLoop LoopOfCast(const AttrMap& attrs, DType input, DType output) {
  const DType from = Unquantized(input);
  const DType to = Unquantized(output);
  Result<bool> truncate = GetAttr<bool>(attrs, "Truncate");
  if (from == to || !truncate.ok() || *truncate) return {};
  return {.unary = CastLoop(from, to)};
}

Result<Gradients> CastGradient(GradientContext& g) {
  const DType from = g.input(0).base_dtype();
  const DType to = g.output(0).base_dtype();
  auto differentiable = [](DType t) { return IsFloating(t) || IsComplex(t); };
  if (!differentiable(from) || !differentiable(to)) return Gradients{std::monostate{}};
  return Gradients{Cast(g.d_output(0), from)};
}

}  // namespace

UnaryLoop CastLoop(DType from, DType to) {
  switch (from) {
    case kBool:
      return to == kBool ? UnaryLoop(Copy<1>) : FromType<uint8_t>(to);  // a bool is a byte of value 0 or 1
    case kInt8:
      return FromType<int8_t>(to);
    case kUint8:
      return FromType<uint8_t>(to);
    case kInt16:
      return FromType<int16_t>(to);
    case kUint16:
      return FromType<uint16_t>(to);
    case kInt32:
      return FromType<int32_t>(to);
    case kUint32:
      return FromType<uint32_t>(to);
    case kInt64:
      return FromType<int64_t>(to);
    case kUint64:
      return FromType<uint64_t>(to);
    case kFloat:
      return FloatLoop(to);
    case kDouble:
      return DoubleLoop(to);
    case kHalf:
      return to == kFloat ? UnaryLoop(WidenHalf) : FromNarrowFloat<half>(to);
    case kBFloat16:
      return FromNarrowFloat<bfloat16>(to);
    case kComplex64:
      if (to == kComplex128) return Loop<std::complex<float>, std::complex<double>>;
      return to == kFloat ? RealPart<float> : nullptr;
    case kComplex128:
      if (to == kComplex64) return Loop<std::complex<double>, std::complex<float>>;
      return to == kDouble ? RealPart<double> : nullptr;
    default:
      return nullptr;
  }
}

void RegisterCast(OpRegistry& registry) {
  registry.Add({
      .name = "Cast",
      .signature = "x: SrcT -> y: DstT",
      .attrs = {"SrcT: type", "DstT: type", "Truncate: bool = false"},
      .shape = SameAsInput(0),
      .gradient = CastGradient,
      .kernels = WithGpu(CpuKernel(KernelWithLoop{.loop = {}, .choose = LoopOfCast, .make = MakeCast}), GpuCast()),
      .traits = {.memory = OutputMemory::kMayShareAnyType, .shape_value = ShapeValue::kSame},
  });
}

}  // namespace weir::ops
