#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/math/simd_loops.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // must be the first include
#include <hwy/highway.h>

#include "ops/math/simd_loops.h"

#ifndef WEIR_SIMD_TABLE
#define WEIR_SIMD_TABLE
namespace weir::ops {
struct SimdTable {
  BinaryLoop f32 = nullptr;
  BinaryLoop f64 = nullptr;
  BinaryLoop i32 = nullptr;
  BinaryLoop i64 = nullptr;
};
}  // namespace weir::ops
#endif

HWY_BEFORE_NAMESPACE();
namespace weir::ops::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T, class F>
void Apply(const T* x, const T* y, T* z, int64_t n, ScalarOperand moving, F f) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> d1;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  if (moving == ScalarOperand::kNone) {
    for (; i + lanes <= n; i += lanes) StoreU(f(d, LoadU(d, x + i), LoadU(d, y + i)), d, z + i);
    for (; i < n; ++i) StoreU(f(d1, LoadU(d1, x + i), LoadU(d1, y + i)), d1, z + i);
  } else if (moving == ScalarOperand::kY) {
    const T c = *y;
    const auto cs = Set(d, c);
    for (; i + lanes <= n; i += lanes) StoreU(f(d, LoadU(d, x + i), cs), d, z + i);
    for (; i < n; ++i) StoreU(f(d1, LoadU(d1, x + i), Set(d1, c)), d1, z + i);
  } else {
    const T c = *x;
    const auto cs = Set(d, c);
    for (; i + lanes <= n; i += lanes) StoreU(f(d, cs, LoadU(d, y + i)), d, z + i);
    for (; i < n; ++i) StoreU(f(d1, Set(d1, c), LoadU(d1, y + i)), d1, z + i);
  }
}

template <class T, SimdOp op>
LoopError Loop(const void* x, const void* y, void* z, int64_t n, ScalarOperand moving) {
  Apply(static_cast<const T*>(x), static_cast<const T*>(y), static_cast<T*>(z), n, moving, [](auto d, auto a, auto b) {
    if constexpr (op == SimdOp::kAdd) return Add(a, b);
    if constexpr (op == SimdOp::kSub) return Sub(a, b);
    if constexpr (op == SimdOp::kMul) return Mul(a, b);
    if constexpr (op == SimdOp::kDiv) return Div(a, b);
    if constexpr (op == SimdOp::kSquaredDifference) {
      const auto c = Sub(a, b);
      return Mul(c, c);
    }
    // Equal operands (0 and -0) give the first. NaN propagates.
    if constexpr (op == SimdOp::kMax || op == SimdOp::kMin) {
      const auto best = IfThenElse(op == SimdOp::kMax ? Lt(a, b) : Lt(b, a), b, a);
      if constexpr (hwy::IsFloat<T>()) {
        return IfThenElse(hn::IsNaN(b), b, best);
      } else {
        return best;
      }
    }
  });
  return LoopError::kNone;
}

template <SimdOp op>
SimdTable Table() {
  SimdTable table{.f32 = &Loop<float, op>, .f64 = &Loop<double, op>};
  if constexpr (op != SimdOp::kDiv) table.i32 = &Loop<int32_t, op>;
  if constexpr (op == SimdOp::kAdd || op == SimdOp::kSub) table.i64 = &Loop<int64_t, op>;
  return table;
}

SimdTable LoopsFor(SimdOp op) {
  switch (op) {
    case SimdOp::kAdd:
      return Table<SimdOp::kAdd>();
    case SimdOp::kSub:
      return Table<SimdOp::kSub>();
    case SimdOp::kMul:
      return Table<SimdOp::kMul>();
    case SimdOp::kDiv:
      return Table<SimdOp::kDiv>();
    case SimdOp::kMax:
      return Table<SimdOp::kMax>();
    case SimdOp::kMin:
      return Table<SimdOp::kMin>();
    case SimdOp::kSquaredDifference:
      return Table<SimdOp::kSquaredDifference>();
  }
  return {};
}

}  // namespace weir::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weir::ops {
namespace {
HWY_EXPORT(LoopsFor);
}
BinaryLoops SimdLoops(SimdOp op) {
  const SimdTable table = HWY_DYNAMIC_DISPATCH(LoopsFor)(op);
  BinaryLoops loops{{{kFloat, table.f32}, {kDouble, table.f64}}};
  if (table.i32 != nullptr) loops.loops.emplace_back(kInt32, table.i32);
  if (table.i64 != nullptr) loops.loops.emplace_back(kInt64, table.i64);
  return loops;
}
}  // namespace weir::ops
#endif
