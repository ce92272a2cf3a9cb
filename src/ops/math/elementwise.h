// Elementwise ops as tables: one loop over contiguous elements per op and compute type. Everything else (broadcasting,
// threads, reuse of input memory, computing narrow types in wider ones) is shared code on untyped memory.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "op/element_loop.h"
#include "op/op_registry.h"

namespace weir::ops {

template <class Loop>
struct LoopTable {
  std::vector<std::pair<DType, Loop>> loops;

  Loop Find(DType type) const {
    for (const auto& [t, loop] : loops) {
      if (t == type) return loop;
    }
    return nullptr;
  }
  LoopTable And(const LoopTable& other) && {
    loops.insert(loops.end(), other.loops.begin(), other.loops.end());
    return std::move(*this);
  }
};
using UnaryLoops = LoopTable<UnaryLoop>;
using BinaryLoops = LoopTable<BinaryLoop>;

// The type in which values of `type` are computed, given the available loops: the same type or a wider one (half ->
// float, float -> double, complex64 -> complex128); kInvalidType if there is none.
DType ComputeType(DType type, const std::vector<DType>& available);

// "float, double" -> {kFloat, kDouble}. Also groups: "numbertype". REQUIRES: known names.
std::vector<DType> TypesNamed(std::string_view names);

// Kernels for all of `types` that the loops support. `cost` in nanoseconds per element.
KernelList UnaryKernels(const std::vector<DType>& types, const UnaryLoops& loops, int cost = 1, std::string attr = "T");
KernelList BinaryKernels(const std::vector<DType>& types, const BinaryLoops& loops, int cost = 1);
// z[i] = f(y[i], x[i]), e.g. Greater from Less.
KernelList SwappedBinaryKernels(const std::vector<DType>& types, const BinaryLoops& loops, int cost = 1);

// For ops with fixed types: the same kernels, selected without an attribute.
KernelList UntypedKernels(KernelList kernels);

// One row of a table of ops. `types` as in schemas: "half, float".
struct UnaryOp {
  std::string name;
  std::string types;
  UnaryLoops loops;
  GradientFn gradient = {};
  int cost = 1;
  NoGradient no_gradient = NoGradient::kNone;
  OpTraits traits = {};
};
void AddUnary(OpRegistry& registry, UnaryOp op);
struct BinaryOp {
  std::string name;
  std::string types;
  BinaryLoops loops;
  GradientFn gradient = {};
  int cost = 1;
  bool commutative = false;
  bool aggregate = false;
  std::string signature = "x: T, y: T -> z: T";
  FoldStage fold = FoldStage::kNone;
};
void AddBinary(OpRegistry& registry, BinaryOp op);
// The types of sums, products and quotients, in TensorFlow's order.
inline constexpr char kNumberTypes[] =
    "bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128";
// The gradient of a unary op, from y and dy. They have the same number of elements, and the result the shape of y.
void AddGradientOfUnary(OpRegistry& registry, BinaryOp op);

// A gradient of a unary op as a function of x, y and dy.
using UnaryGradient = Output (*)(Output x, Output y, Output dy);
GradientFn FromXAndY(UnaryGradient gradient);

// --- loops from scalar functions

// Loops of unsigned types also serve the signed ones, and those of complex128 serve complex64.
template <class T>
constexpr bool kCompiled = kCompiledType<T> || std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t> ||
                           std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

// Each element is written only after the inputs at the same index were read, so iterations are independent.
#if defined(__clang__)
#define WEIR_INDEPENDENT
#else
#define WEIR_INDEPENDENT _Pragma("GCC ivdep")
#endif

template <class T, class F>
void UnaryLoopOf(const void* in, void* out, int64_t n) {
  using R = decltype(F{}(std::declval<T>()));
  const T* x = static_cast<const T*>(in);
  R* y = static_cast<R*>(out);
  WEIR_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) y[i] = F{}(x[i]);
}

// Calls f(x, y) for each element, for the three cases of scalar operands.
template <class T, class R, class F>
LoopError BinaryLoopOver(const void* a, const void* b, void* out, int64_t n, ScalarOperand moving, F f) {
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  R* z = static_cast<R*>(out);
  if (moving == ScalarOperand::kNone) {
    WEIR_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) z[i] = f(x[i], y[i]);
  } else if (moving == ScalarOperand::kY) {
    const T c = *y;
    WEIR_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) z[i] = f(x[i], c);
  } else {
    const T c = *x;
    WEIR_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) z[i] = f(c, y[i]);
  }
  return LoopError::kNone;
}

// F: R(T, T), or R(T, T, Fault&) for functions that can fail on some values.
template <class T, class F>
LoopError BinaryLoopOf(const void* x, const void* y, void* z, int64_t n, ScalarOperand moving) {
  if constexpr (std::is_invocable_v<F, T, T, LoopError&>) {
    using R = decltype(F{}(std::declval<T>(), std::declval<T>(), std::declval<LoopError&>()));
    LoopError fault = LoopError::kNone;
    BinaryLoopOver<T, R>(x, y, z, n, moving, [&fault](const T& a, const T& b) { return F{}(a, b, fault); });
    return fault;
  } else {
    using R = decltype(F{}(std::declval<T>(), std::declval<T>()));
    return BinaryLoopOver<T, R>(x, y, z, n, moving, F{});
  }
}

// UnaryFor<float, double>([](auto x) { return -x; })
template <class... Ts, class F>
UnaryLoops UnaryFor(F) {
  UnaryLoops table;
  auto add = [&]<class T>(TypeTag<T>) {
    if constexpr (kCompiled<T>) table.loops.emplace_back(DTypeOf<T>(), &UnaryLoopOf<T, F>);
  };
  (add(TypeTag<Ts>{}), ...);
  return table;
}
template <class... Ts, class F>
BinaryLoops BinaryFor(F) {
  BinaryLoops table;
  auto add = [&]<class T>(TypeTag<T>) {
    if constexpr (kCompiled<T>) table.loops.emplace_back(DTypeOf<T>(), &BinaryLoopOf<T, F>);
  };
  (add(TypeTag<Ts>{}), ...);
  return table;
}
// Registers the loops of unsigned integers for the signed ones of the same width, too (wrapping arithmetic).
template <class Loop>
LoopTable<Loop> AlsoSigned(LoopTable<Loop> table) {
  const std::pair<DType, DType> pairs[] = {{kUint8, kInt8}, {kUint16, kInt16}, {kUint32, kInt32}, {kUint64, kInt64}};
  for (auto [u, s] : pairs) {
    if (Loop loop = table.Find(u)) table.loops.emplace_back(s, loop);
  }
  return table;
}

// Wraps a function over spans as a UnaryLoop.
template <class T, void (*F)(const T*, T*, int64_t)>
void SpanLoop(const void* x, void* y, int64_t n) {
  F(static_cast<const T*>(x), static_cast<T*>(y), n);
}

}  // namespace weir::ops
