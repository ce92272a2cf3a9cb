// ElementLoop: how an op computes its elements, each from those at the same place of its inputs, over contiguous
// memory. Kernels are made of loops, and so are passes over memory that do the work of several ops: the loop that a
// kernel computes with is told beside it (LoopedKernel), where the runtime finds it.
#pragma once

#include <array>
#include <cstdint>

#include "op/kernel.h"

namespace weir {

// y[i] = f(x[i]). x and y may be the same memory, where their elements have one size.
using UnaryLoop = void (*)(const void* x, void* y, int64_t n);

// What went wrong inside of a loop; the loop itself always finishes.
enum class Fault { kNone, kDivisionByZero, kNegativePower };
Status FaultStatus(Fault fault);

// z[i] = f(x[i], y[i]); with kXStands or kYStands that operand is one element. z may be the memory of x or y.
enum class Moving { kBoth, kXStands, kYStands };
using BinaryLoop = Fault (*)(const void* x, const void* y, void* z, int64_t n, Moving moving);

// out[i] = f(a[i], b[i], c[i]), where an operand with stride 0 is one element. `out` may be the memory of an operand
// whose elements have its size.
using Strides = std::array<int64_t, 3>;
using TernaryLoop = void (*)(const void* a, const void* b, const void* c, void* out, int64_t n, Strides strides);

// One of the three, and what holds for the op's inputs. The result has the shape of the inputs, or of those that do not
// stand.
struct ElementLoop {
  UnaryLoop unary = nullptr;
  BinaryLoop binary = nullptr;
  TernaryLoop ternary = nullptr;
  bool swapped = false;   // f(in[1], in[0])
  bool folds = false;     // f(f(in[0], in[1]), in[2]) and so on, of two inputs or more
  uint8_t may_stand = 0;  // by bit: inputs that may be one element
  int cost = 1;           // nanoseconds per element, roughly
  bool valid() const { return unary != nullptr || binary != nullptr || ternary != nullptr; }
};

// A factory of kernels that compute with a loop. Where that depends on the node, `choose` says which, if any.
struct LoopedKernel {
  using Choose = ElementLoop (*)(const AttrMap& attrs, DType input, DType output);
  ElementLoop loop;
  Choose choose = nullptr;
  KernelFactory make;
  Result<Kernel> operator()(KernelSetup& setup) const { return make(setup); }
};

// What the factory of `def` tells of its loop; null: nothing.
inline const LoopedKernel* LoopOf(const KernelDef& def) { return def.make.target<LoopedKernel>(); }

}  // namespace weir
