// ElementLoop: the inner loop of an elementwise op over contiguous memory. A kernel factory publishes its loop
// (KernelWithLoop), so that the runtime can fuse several ops into one pass over memory.
#pragma once

#include <array>
#include <cstdint>

#include "op/kernel.h"

namespace weir {

// y[i] = f(x[i]). x and y may be the same memory if their elements have the same size.
using UnaryLoop = void (*)(const void* x, void* y, int64_t n);

// An error inside a loop. The loop still processes all elements.
enum class LoopError { kNone, kDivisionByZero, kNegativePower };
Status FaultStatus(LoopError fault);

// z[i] = f(x[i], y[i]). With kX or kY, that operand is a single element. z may be the memory of x or y.
enum class ScalarOperand { kNone, kX, kY };
using BinaryLoop = LoopError (*)(const void* x, const void* y, void* z, int64_t n, ScalarOperand moving);

// out[i] = f(a[i], b[i], c[i]). An operand with stride 0 is a single element. `out` may be the memory of an operand
// with the same element size.
using Strides = std::array<int64_t, 3>;
using TernaryLoop = void (*)(const void* a, const void* b, const void* c, void* out, int64_t n, Strides strides);

// One of the three loops and its calling convention. The result has the common shape of the inputs that are not single
// elements.
struct ElementLoop {
  UnaryLoop unary = nullptr;
  BinaryLoop binary = nullptr;
  TernaryLoop ternary = nullptr;
  bool swapped = false;       // f(in[1], in[0])
  bool folds = false;         // f(f(in[0], in[1]), in[2]) and so on, for two or more inputs
  uint8_t may_be_scalar = 0;  // bit i: input i may be a single element
  int cost = 1;               // nanoseconds per element, roughly
  bool valid() const { return unary != nullptr || binary != nullptr || ternary != nullptr; }
};

// A factory of kernels that are implemented with a loop. If the loop depends on the node, `choose` returns it; the
// result is not valid() if there is none.
struct KernelWithLoop {
  using Choose = ElementLoop (*)(const AttrMap& attrs, DType input, DType output);
  ElementLoop loop;
  Choose choose = nullptr;
  KernelFactory make;
  Result<Kernel> operator()(KernelSetup& setup) const { return make(setup); }
};

// The KernelWithLoop of `def`, or null if its factory publishes no loop.
inline const KernelWithLoop* LoopOf(const KernelDef& def) { return def.make.target<KernelWithLoop>(); }

}  // namespace weir
