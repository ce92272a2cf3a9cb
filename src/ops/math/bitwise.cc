// Bitwise operations on integers. Shift amounts are clamped to the width of the type.
#include <algorithm>
#include <bit>

#include "op/shape_context.h"
#include "ops/math/elementwise.h"

namespace weir::ops {
namespace {

constexpr char kIntegers[] = "int8, int16, int32, int64, uint8, uint16, uint32, uint64";

template <class F>
BinaryLoops OnBits(F f) {
  return AlsoSigned(BinaryFor<uint8_t, uint16_t, uint32_t, uint64_t>(f));
}
template <class F>
BinaryLoops OnIntegers(F f) {
  return BinaryFor<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(f);
}

template <class T>
int Amount(T y) {
  constexpr int kLast = static_cast<int>(sizeof(T)) * 8 - 1;
  return y < T(0) ? 0 : y > T(kLast) ? kLast : static_cast<int>(y);
}

void AddBitwise(OpRegistry& registry, const std::string& name, const BinaryLoops& loops, bool commutative) {
  registry.Add({
      .name = name,
      .signature = "x: T, y: T -> z: T",
      .attrs = {fmt::format("T: {{{}}}", kIntegers)},
      .shape = BroadcastInputs(),
      .no_gradient = kNoGradient,
      .kernels = BinaryKernels(TypesNamed(kIntegers), loops),
      .commutative = commutative,
  });
}

}  // namespace

void RegisterBitwise(OpRegistry& registry) {
  AddBitwise(registry, "BitwiseAnd", OnBits([](auto x, auto y) { return static_cast<decltype(x)>(x & y); }), true);
  AddBitwise(registry, "BitwiseOr", OnBits([](auto x, auto y) { return static_cast<decltype(x)>(x | y); }), true);
  AddBitwise(registry, "BitwiseXor", OnBits([](auto x, auto y) { return static_cast<decltype(x)>(x ^ y); }), true);
  AddBitwise(registry, "LeftShift",
             OnIntegers([](auto x, auto y) { return static_cast<decltype(x)>(static_cast<uint64_t>(x) << Amount(y)); }),
             false);
  AddBitwise(registry, "RightShift",
             OnIntegers([](auto x, auto y) { return static_cast<decltype(x)>(x >> Amount(y)); }), false);
  AddUnary(registry, {.name = "Invert",
                      .types = kIntegers,
                      .loops = AlsoSigned(UnaryFor<uint8_t, uint16_t, uint32_t, uint64_t>(
                          [](auto x) { return static_cast<decltype(x)>(~x); })),
                      .no_gradient = kNoGradient});
  registry.Add({
      .name = "PopulationCount",
      .signature = "x: T -> y: uint8",
      .attrs = {fmt::format("T: {{{}}}", kIntegers)},
      .shape = SameAsInput(0),
      .no_gradient = kNoGradient,
      .kernels =
          UnaryKernels(TypesNamed(kIntegers), AlsoSigned(UnaryFor<uint8_t, uint16_t, uint32_t, uint64_t>(
                                                  [](auto x) { return static_cast<uint8_t>(std::popcount(x)); }))),
  });
}

}  // namespace weir::ops
