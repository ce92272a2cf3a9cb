// Quotients and remainders: Truncate* round toward zero like C, Floor* round down like Python.
#include "ops/math/division.h"

#include <cmath>

#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "ops/math/broadcast_gradient.h"

namespace weir::ops {
namespace {

struct TruncateQuotient {
  template <class T>
  T operator()(T x, T y, LoopError& fault) const {
    if (y == 0) {
      fault = LoopError::kDivisionByZero;
      return 0;
    }
    if constexpr (std::is_signed_v<T>) {
      if (y == T(-1)) return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(x));
    }
    return static_cast<T>(x / y);
  }
};
struct TruncateRemainder {
  template <class T>
  T operator()(T x, T y, LoopError& fault) const {
    if (y == 0) {
      fault = LoopError::kDivisionByZero;
      return 0;
    }
    if constexpr (std::is_signed_v<T>) {
      if (y == T(-1)) return 0;
    }
    return static_cast<T>(x % y);
  }
};
struct FloorQuotient {
  template <class T>
  T operator()(T x, T y, LoopError& fault) const {
    const T q = TruncateQuotient()(x, y, fault);
    if constexpr (std::is_signed_v<T>) {
      if ((x < 0) != (y < 0) && TruncateRemainder()(x, y, fault) != 0) return static_cast<T>(q - 1);
    }
    return q;
  }
};
struct FloorRemainder {
  template <class T>
  T operator()(T x, T y, LoopError& fault) const {
    const T r = TruncateRemainder()(x, y, fault);
    if constexpr (std::is_signed_v<T>) {
      if (r != 0 && (r < 0) != (y < 0)) return static_cast<T>(r + y);
    }
    return r;
  }
};

template <class F>
BinaryLoops Integers(F f) {
  return BinaryFor<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>(f);
}

Result<Gradients> NoGradients(GradientContext&) { return Gradients{std::monostate{}, std::monostate{}}; }

Result<Gradients> FloorModGradient(GradientContext& g) {
  Output dz = g.d_output(0);
  return Unbroadcast(g, dz, dz * -FloorDiv(g.input(0), g.input(1)));
}

}  // namespace

BinaryLoops IntegerQuotients() { return Integers(TruncateQuotient()); }

void RegisterDivision(OpRegistry& registry) {
  AddBinary(
      registry,
      {.name = "TruncateDiv",
       .types = kNumberTypes,
       .loops = IntegerQuotients().And(BinaryFor<float, double>([](auto x, auto y) { return std::trunc(x / y); })),
       .gradient = NoGradients,
       .cost = 3});
  AddBinary(registry, {.name = "FloorDiv",
                       .types = kNumberTypes,
                       .loops = Integers(FloorQuotient()).And(BinaryFor<float, double>([](auto x, auto y) {
                         return std::floor(x / y);
                       })),
                       .gradient = NoGradients,
                       .cost = 3});
  BinaryLoops remainder =
      Integers(TruncateRemainder()).And(BinaryFor<float, double>([](auto x, auto y) { return std::fmod(x, y); }));
  AddBinary(
      registry,
      {.name = "Mod", .types = "int32, int64, half, half, bfloat16, float, double", .loops = remainder, .cost = 5});
  AddBinary(
      registry,
      {.name = "TruncateMod", .types = "int32, int64, bfloat16, half, float, double", .loops = remainder, .cost = 5});
  AddBinary(registry,
            {.name = "FloorMod",
             .types = "int8, int16, int32, int64, uint8, uint16, uint32, uint64, bfloat16, half, float, double",
             .loops = Integers(FloorRemainder()).And(BinaryFor<float, double>([](auto x, auto y) {
               const auto r = std::fmod(x, y);
               return r != 0 && (r < 0) != (y < 0) ? r + y : r;
             })),
             .gradient = FloorModGradient,
             .cost = 5});
}

}  // namespace weir::ops
