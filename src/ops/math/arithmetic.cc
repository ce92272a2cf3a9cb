// Addition, subtraction, multiplication, division, maximum and minimum with broadcasting. Integers wrap around.
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "ops/math/broadcast_gradient.h"
#include "ops/math/division.h"
#include "ops/math/elementwise.h"
#include "ops/math/simd_loops.h"

namespace weir::ops {
namespace {

using C64 = std::complex<float>;
using C128 = std::complex<double>;

// Unsigned, and wide enough not to be promoted to a signed type.
template <class T>
using Wide = std::common_type_t<T, unsigned>;

struct Plus {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return static_cast<T>(a + b);
  }
};
struct Minus {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a - b);
  }
};
struct Times {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
    } else if constexpr (std::is_same_v<T, C64> || std::is_same_v<T, C128>) {
      return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
    } else {
      return a * b;
    }
  }
};

// SIMD loops where available, plain loops for the other types.
template <class F>
BinaryLoops Wrapping(SimdOp op, F f) {
  BinaryLoops simd = SimdLoops(op);
  BinaryLoops plain = AlsoSigned(BinaryFor<uint8_t, uint16_t, uint32_t, uint64_t, C64, C128>(f));
  return std::move(simd).And(plain);
}

template <class F>
BinaryLoops Extremes(SimdOp op, F f) {
  return std::move(SimdLoops(op)).And(BinaryFor<int8_t, uint8_t, int16_t, uint16_t, uint32_t, int64_t, uint64_t>(f));
}

Result<Gradients> AddGradient(GradientContext& g) {
  Output dz = g.d_output(0);
  return Unbroadcast(g, dz, dz);
}
Result<Gradients> SubGradient(GradientContext& g) {
  Output dz = g.d_output(0);
  return Unbroadcast(g, dz, -dz);
}
Result<Gradients> MulGradient(GradientContext& g) {
  Output dz = g.d_output(0);
  return Unbroadcast(g, dz * ConjOf(g.input(1)), ConjOf(g.input(0)) * dz);
}
Result<Gradients> MulNoNanGradient(GradientContext& g) {
  Output dz = g.d_output(0);
  return Unbroadcast(g, MulNoNan(dz, g.input(1)), MulNoNan(g.input(0), dz));
}
Result<Gradients> DivGradient(GradientContext& g) {
  Output dz = g.d_output(0);
  Output x = ConjOf(g.input(0));
  Output y = ConjOf(g.input(1));
  return Unbroadcast(g, RealDiv(dz, y), dz * RealDiv(RealDiv(-x, y), y));
}
Result<Gradients> DivNoNanGradient(GradientContext& g) {
  Output dz = g.d_output(0);
  Output x = ConjOf(g.input(0));
  Output y = ConjOf(g.input(1));
  return Unbroadcast(g, DivNoNan(dz, y), dz * DivNoNan(DivNoNan(-x, y), y));
}
Result<Gradients> SquaredDifferenceGradient(GradientContext& g) {
  Output gx = (g.d_output(0) * 2) * (g.input(0) - g.input(1));
  return Unbroadcast(g, gx, -gx);
}
// The selected operand gets the whole gradient. If the operands are equal, the first one gets it.
template <bool kMax>
Result<Gradients> ExtremeGradient(GradientContext& g) {
  Output dz = g.d_output(0);
  Output first = kMax ? GreaterEqual(g.input(0), g.input(1)) : LessEqual(g.input(0), g.input(1));
  return Unbroadcast(g, SelectV2(first, dz, 0), SelectV2(first, 0, dz));
}

}  // namespace

void RegisterArithmetic(OpRegistry& registry) {
  const BinaryLoops add = Wrapping(SimdOp::kAdd, Plus());
  BinaryLoops add_strings = BinaryFor<std::string>(Plus());
  AddBinary(registry,
            {.name = "Add",
             .types = "bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128, "
                      "string",
             .loops = std::move(add_strings).And(add),
             .gradient = AddGradient,
             .fold = FoldStage::kSum});
  AddBinary(registry, {.name = "AddV2",
                       .types = "bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, int32, "
                                "int64, complex64, complex128",
                       .loops = add,
                       .gradient = AddGradient,
                       .commutative = true,
                       .aggregate = true,
                       .fold = FoldStage::kSum});
  AddBinary(registry, {.name = "Sub",
                       .types = "bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, complex64, "
                                "complex128, uint32, uint64",
                       .loops = Wrapping(SimdOp::kSub, Minus()),
                       .gradient = SubGradient});
  AddBinary(registry, {.name = "Mul",
                       .types = kNumberTypes,
                       .loops = Wrapping(SimdOp::kMul, Times()),
                       .gradient = MulGradient,
                       .commutative = true});
  AddBinary(registry, {.name = "MulNoNan",
                       .types = "bfloat16, half, float, double, complex64, complex128",
                       .loops = BinaryFor<float, double, C64, C128>(
                           [](auto x, auto y) { return y == decltype(y)(0) ? decltype(x)(0) : Times()(x, y); }),
                       .gradient = MulNoNanGradient});
  AddBinary(registry, {.name = "DivNoNan",
                       .types = "half, float, bfloat16, double, complex64, complex128",
                       .loops = BinaryFor<float, double, C64, C128>(
                           [](auto x, auto y) { return y == decltype(y)(0) ? decltype(x)(0) : x / y; }),
                       .gradient = DivNoNanGradient});
  BinaryLoops quotient =
      std::move(SimdLoops(SimdOp::kDiv)).And(BinaryFor<C64, C128>([](auto x, auto y) { return x / y; }));
  AddBinary(registry, {.name = "RealDiv", .types = kNumberTypes, .loops = quotient, .gradient = DivGradient});
  AddBinary(registry, {.name = "Div",
                       .types = kNumberTypes,
                       .loops = std::move(quotient).And(IntegerQuotients()),
                       .gradient = DivGradient,
                       .cost = 2});
  AddBinary(registry,
            {.name = "SquaredDifference",
             .types = "bfloat16, half, float, double, int32, int64, complex64, complex128",
             .loops = std::move(SimdLoops(SimdOp::kSquaredDifference))
                          .And(AlsoSigned(BinaryFor<uint64_t>([](auto x, auto y) { return (x - y) * (x - y); })))
                          .And(BinaryFor<C64, C128>([](auto x, auto y) {
                            return decltype(x)(std::norm(x - y));  // (x - y) times its conjugate
                          })),
             .gradient = SquaredDifferenceGradient,
             .commutative = true});
  const std::string ordered = "bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64";
  AddBinary(registry, {.name = "Maximum",
                       .types = ordered,
                       .loops = Extremes(SimdOp::kMax, [](auto x, auto y) { return x < y ? y : x; }),
                       .gradient = ExtremeGradient<true>});
  AddBinary(registry, {.name = "Minimum",
                       .types = ordered,
                       .loops = Extremes(SimdOp::kMin, [](auto x, auto y) { return y < x ? y : x; }),
                       .gradient = ExtremeGradient<false>});
}

}  // namespace weir::ops
