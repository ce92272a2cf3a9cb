// Pow, Xlogy, Xlog1py, Xdivy, Atan2 and NextAfter.
#include <cmath>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "op/shape_context.h"
#include "ops/math/broadcast_gradient.h"
#include "ops/math/elementwise.h"

namespace weir::ops {
namespace {

using C128 = std::complex<double>;

struct IntegerPower {
  template <class T>
  T operator()(T x, T y, LoopError& fault) const {
    if (y < 0) {
      fault = LoopError::kNegativePower;
      return 0;
    }
    uint64_t base = static_cast<uint64_t>(x);
    uint64_t result = 1;
    for (uint64_t rest = static_cast<uint64_t>(y); rest != 0; rest >>= 1) {
      if (rest & 1) result *= base;
      base *= base;
    }
    return static_cast<T>(result);
  }
};

// The exponent is usually one small constant for all elements.
template <class T>
LoopError PowLoop(const void* a, const void* b, void* out, int64_t n, ScalarOperand moving) {
  if (moving == ScalarOperand::kY) {
    const T y = *static_cast<const T*>(b);
    if (y == T(2)) return BinaryLoopOver<T, T>(a, b, out, n, moving, [](T x, T) { return x * x; });
    if (y == T(1)) return BinaryLoopOver<T, T>(a, b, out, n, moving, [](T x, T) { return x; });
  }
  return BinaryLoopOver<T, T>(a, b, out, n, moving, [](T x, T y) { return std::pow(x, y); });
}

Result<Gradients> PowGradient(GradientContext& g) {
  Output x = ConjOf(g.input(0));
  Output y = ConjOf(g.input(1));
  Output z = ConjOf(g.output(0));
  Output dz = g.d_output(0);
  // Where the logarithm is undefined, the derivative is zero.
  Output defined = IsComplex(x.base_dtype()) ? NotEqual(x, 0) : Greater(x, 0);
  Output log_x = SelectV2(defined, Log(SelectV2(defined, x, 1)), 0);
  return Unbroadcast(g, dz * y * Pow(x, y - 1), dz * z * log_x);
}

Output NotZero(Output x) { return Cast(NotEqual(x, 0), x.base_dtype()); }

Result<Gradients> XlogyGradient(GradientContext& g) {
  Output x = g.input(0);
  Output y = g.input(1);
  Output dz = g.d_output(0);
  return Unbroadcast(g, Xlogy(NotZero(x), y) * dz, Xdivy(x, y) * dz);
}
Result<Gradients> Xlog1pyGradient(GradientContext& g) {
  Output x = g.input(0);
  Output y = g.input(1);
  Output dz = g.d_output(0);
  return Unbroadcast(g, Xlog1py(NotZero(x), y) * dz, Xdivy(x, y + 1) * dz);
}
Result<Gradients> XdivyGradient(GradientContext& g) {
  Output x = g.input(0);
  Output y = g.input(1);
  Output dz = g.d_output(0);
  return Unbroadcast(g, Xdivy(NotZero(x), y) * dz, Xdivy(-x, Square(y)) * dz);
}
Result<Gradients> Atan2Gradient(GradientContext& g) {
  Output y = g.input(0);
  Output x = g.input(1);
  Output share = g.d_output(0) / (Square(x) + Square(y));
  return Unbroadcast(g, x * share, -y * share);
}
Result<Gradients> NextAfterGradient(GradientContext& g) {
  Output dz = g.d_output(0);
  return Unbroadcast(g, dz, ZerosLike(dz));
}

template <class T>
constexpr bool kIsReal = std::is_floating_point_v<T>;

}  // namespace

void RegisterPower(OpRegistry& registry) {
  AddBinary(registry, {.name = "Pow",
                       .types = "bfloat16, float, half, double, int8, int16, int32, int64, complex64, complex128",
                       .loops = BinaryLoops{{{kFloat, PowLoop<float>}, {kDouble, PowLoop<double>}}}
                                    .And(BinaryFor<C128>([](C128 x, C128 y) { return std::pow(x, y); }))
                                    .And(BinaryFor<int8_t, int16_t, int32_t, int64_t>(IntegerPower())),
                       .gradient = PowGradient,
                       .cost = 20});
  const std::string types = "half, bfloat16, float, double, complex64, complex128";
  AddBinary(registry, {.name = "Xlogy",
                       .types = types,
                       .loops = BinaryFor<float, double, C128>(
                           [](auto x, auto y) { return x == decltype(x)(0) ? x : x * std::log(y); }),
                       .gradient = XlogyGradient,
                       .cost = 10});
  AddBinary(registry, {.name = "Xlog1py",
                       .types = types,
                       .loops = BinaryFor<float, double, C128>([](auto x, auto y) {
                         if (x == decltype(x)(0)) return x;
                         if constexpr (kIsReal<decltype(x)>)
                           return x * std::log1p(y);
                         else
                           return x * std::log(1.0 + y);
                       }),
                       .gradient = Xlog1pyGradient,
                       .cost = 10});
  AddBinary(registry,
            {.name = "Xdivy",
             .types = types,
             .loops = BinaryFor<float, double, C128>([](auto x, auto y) { return x == decltype(x)(0) ? x : x / y; }),
             .gradient = XdivyGradient,
             .cost = 2});
  AddBinary(registry, {.name = "Atan2",
                       .types = "bfloat16, half, float, double",
                       .loops = BinaryFor<float, double>([](auto y, auto x) { return std::atan2(y, x); }),
                       .gradient = Atan2Gradient,
                       .cost = 20,
                       .signature = "y: T, x: T -> z: T"});
  registry.Add({
      .name = "NextAfter",
      .signature = "x1: T, x2: T -> output: T",
      .attrs = {"T: {double, float} = DT_FLOAT"},
      .shape = BroadcastInputs(),
      .gradient = NextAfterGradient,
      .kernels = BinaryKernels({kDouble, kFloat},
                               BinaryFor<float, double>([](auto x, auto y) { return std::nextafter(x, y); }), 5),
  });
}

}  // namespace weir::ops
