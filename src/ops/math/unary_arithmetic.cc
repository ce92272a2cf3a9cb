// Unary ops without elementary functions: signs, squares, rounding, reciprocals, tests for NaN and infinity.
#include <cmath>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "op/shape_context.h"
#include "ops/math/broadcast_gradient.h"
#include "ops/math/elementwise.h"

namespace weir::ops {
namespace {

using C64 = std::complex<float>;
using C128 = std::complex<double>;

template <class T>
T SignOf(T x) {
  if constexpr (std::is_same_v<T, C64> || std::is_same_v<T, C128>) {
    const auto size = std::abs(x);
    return size == 0 ? T(0) : x / size;
  } else if constexpr (std::is_floating_point_v<T>) {
    return x != x ? x : static_cast<T>((x > 0) - (x < 0));
  } else {
    return static_cast<T>((x > 0) - (x < 0));
  }
}

// For ops that return integers unchanged.
UnaryLoops SameIntegers() {
  return AlsoSigned(UnaryFor<uint8_t, uint16_t, uint32_t, uint64_t>([](auto x) { return x; }));
}

Output AbsGradient(Output x, Output, Output dy) { return dy * Sign(x); }
Output NegGradient(Output, Output, Output dy) { return -dy; }
Output InvGradient(Output, Output y, Output dy) { return ReciprocalGrad(y, dy); }
Output SquareGradient(Output x, Output, Output dy) { return dy * (ConjOf(x) * 2); }
Output SignGradient(Output x, Output, Output) { return ZerosLike(x); }
Result<Gradients> NoneGradient(GradientContext&) { return Gradients{std::monostate{}}; }

// Inputs y and dy of InvGrad: z = -dy * y * y.
Result<Gradients> InvGradGradient(GradientContext& g) {
  Output b = g.input(1);
  Output ca = ConjOf(g.input(0));
  Output cg = ConjOf(g.d_output(0));
  return Gradients{cg * -2 * b * ca, ReciprocalGrad(ca, g.d_output(0))};
}

void AddTest(OpRegistry& registry, const std::string& name, const UnaryLoops& loops) {
  registry.Add({
      .name = name,
      .signature = "x: T -> y: bool",
      .attrs = {"T: {bfloat16, half, float, double}"},
      .shape = SameAsInput(0),
      .no_gradient = kNoGradient,
      .kernels = UnaryKernels({kBFloat16, kHalf, kFloat, kDouble}, loops),
  });
}

}  // namespace

void RegisterUnaryArithmetic(OpRegistry& registry) {
  const std::string signed_numbers = "bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128";
  const std::string reals = "bfloat16, half, float, double";
  AddUnary(registry, {.name = "Abs",
                      .types = "bfloat16, half, float, double, int8, int16, int32, int64",
                      .loops = UnaryFor<float, double>([](auto x) {
                                 return std::abs(x);
                               }).And(UnaryFor<int8_t, int16_t, int32_t, int64_t>([](auto x) {
                        using T = decltype(x);
                        using U = std::make_unsigned_t<T>;
                        return x < 0 ? static_cast<T>(static_cast<U>(0 - static_cast<U>(x))) : x;
                      })),
                      .gradient = FromXAndY(AbsGradient)});
  AddUnary(registry, {.name = "Neg",
                      .types = signed_numbers,
                      .loops = UnaryFor<float, double, C64, C128>([](auto x) {
                                 return -x;
                               }).And(AlsoSigned(UnaryFor<uint8_t, uint16_t, uint32_t, uint64_t>([](auto x) {
                        return static_cast<decltype(x)>(0 - x);
                      }))),
                      .gradient = FromXAndY(NegGradient)});
  const UnaryLoops reciprocal = UnaryFor<float, double, C64, C128>([](auto x) { return decltype(x)(1) / x; });
  AddUnary(registry, {.name = "Inv", .types = signed_numbers, .loops = reciprocal, .gradient = FromXAndY(InvGradient)});
  AddUnary(registry,
           {.name = "Reciprocal", .types = signed_numbers, .loops = reciprocal, .gradient = FromXAndY(InvGradient)});
  const BinaryLoops reciprocal_grad = BinaryFor<float, double, C64, C128>([](auto y, auto dy) {
    if constexpr (std::is_floating_point_v<decltype(y)>)
      return -dy * y * y;
    else
      return -dy * std::conj(y * y);
  });
  for (const char* name : {"InvGrad", "ReciprocalGrad"}) {
    AddGradientOfUnary(registry, {.name = name,
                                  .types = "bfloat16, half, float, double, complex64, complex128",
                                  .loops = reciprocal_grad,
                                  .gradient = InvGradGradient,
                                  .signature = "y: T, dy: T -> z: T"});
  }
  AddUnary(registry,
           {.name = "Square",
            .types = "bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, "
                     "complex64, complex128",
            .loops = UnaryFor<float, double, C64, C128>([](auto x) {
                       return x * x;
                     }).And(AlsoSigned(UnaryFor<uint8_t, uint16_t, uint32_t, uint64_t>([](auto x) {
              using Wide = std::common_type_t<decltype(x), unsigned>;
              return static_cast<decltype(x)>(static_cast<Wide>(x) * static_cast<Wide>(x));
            }))),
            .gradient = FromXAndY(SquareGradient)});
  AddUnary(
      registry,
      {.name = "Sign",
       .types = signed_numbers,
       .loops = UnaryFor<float, double, int8_t, int16_t, int32_t, int64_t, C64, C128>([](auto x) { return SignOf(x); }),
       .gradient = FromXAndY(SignGradient)});
  AddUnary(registry, {.name = "Floor",
                      .types = reals,
                      .loops = UnaryFor<float, double>([](auto x) { return std::floor(x); }),
                      .gradient = NoneGradient});
  AddUnary(registry, {.name = "Ceil",
                      .types = reals,
                      .loops = UnaryFor<float, double>([](auto x) { return std::ceil(x); }),
                      .gradient = NoneGradient});
  const UnaryLoops to_even = UnaryFor<float, double>([](auto x) { return std::nearbyint(x); });
  AddUnary(registry, {.name = "Rint", .types = reals, .loops = to_even, .gradient = NoneGradient});
  AddUnary(registry, {.name = "Round",
                      .types = signed_numbers,
                      .loops = UnaryLoops(to_even).And(SameIntegers()),
                      .gradient = NoneGradient});
  AddTest(registry, "IsNan", UnaryFor<float, double>([](auto x) -> bool { return x != x; }));
  AddTest(registry, "IsInf", UnaryFor<float, double>([](auto x) -> bool { return std::isinf(x); }));
  AddTest(registry, "IsFinite", UnaryFor<float, double>([](auto x) -> bool { return std::isfinite(x); }));
}

}  // namespace weir::ops
