// Reductions over any axes, as tables: a Reducer is a set of loops per op and compute type on untyped memory. Merging
// dimensions and splitting work over threads is shared code. Results do not depend on the number of threads.
#pragma once

#include "ops/math/elementwise.h"

namespace weir::ops {

struct Reducer {
  size_t accumulator_size = 0;
  void (*init)(void* acc, int64_t n) = nullptr;
  // Adds x[0, n) to acc[0].
  void (*fold)(const void* x, int64_t n, void* acc) = nullptr;
  // Adds x[r * stride + j] to acc[j] for all r < rows, j < n.
  void (*rows)(const void* x, int64_t rows, int64_t stride, int64_t n, void* acc) = nullptr;
  // Adds other[j] to acc[j].
  void (*merge)(const void* other, int64_t n, void* acc) = nullptr;
  // Computes out[j] from acc[j], which has accumulated `count` elements.
  void (*finish)(const void* acc, int64_t n, int64_t count, void* out) = nullptr;
};
struct Reducers {
  std::vector<std::pair<DType, Reducer>> list;
};

// Op: `using Acc`, `Acc Init()`, `Acc Take(Acc, T)`, `Acc Merge(Acc, Acc)`, `T Finish(Acc, int64_t count)`; optionally
// `Acc Fold(const T*, int64_t)` for a contiguous run, whose result is merged like any other accumulator. T is the type
// of the elements.
template <class T, class Op>
struct ReducerLoops {
  using Acc = typename Op::Acc;

  static void Init(void* acc, int64_t n) {
    Acc* a = static_cast<Acc*>(acc);
    for (int64_t i = 0; i < n; ++i) a[i] = Op::Init();
  }
  static void Fold(const void* in, int64_t n, void* acc) {
    const T* x = static_cast<const T*>(in);
    Acc* a = static_cast<Acc*>(acc);
    if constexpr (requires { Op::Fold(x, n); }) {
      *a = Op::Merge(*a, Op::Fold(x, n));
    } else {
      constexpr int kLanes = 8;
      Acc lanes[kLanes];
      for (Acc& lane : lanes) lane = Op::Init();
      int64_t i = 0;
      for (; i + kLanes <= n; i += kLanes) {
        for (int k = 0; k < kLanes; ++k) lanes[k] = Op::Take(lanes[k], x[i + k]);
      }
      for (; i < n; ++i) lanes[0] = Op::Take(lanes[0], x[i]);
      for (int k = 0; k < kLanes; ++k) *a = Op::Merge(*a, lanes[k]);
    }
  }
  static void Rows(const void* in, int64_t rows, int64_t stride, int64_t n, void* acc) {
    const T* x = static_cast<const T*>(in);
    Acc* a = static_cast<Acc*>(acc);
    int64_t r = 0;
    if constexpr (requires { Op::TakeFour(*a, *x, *x, *x, *x); }) {
      for (; r + 4 <= rows; r += 4, x += 4 * stride) {
        WEIR_INDEPENDENT
        for (int64_t j = 0; j < n; ++j) {
          a[j] = Op::TakeFour(a[j], x[j], x[j + stride], x[j + 2 * stride], x[j + 3 * stride]);
        }
      }
    }
    for (; r < rows; ++r, x += stride) {
      WEIR_INDEPENDENT
      for (int64_t j = 0; j < n; ++j) a[j] = Op::Take(a[j], x[j]);
    }
  }
  static void Merge(const void* other, int64_t n, void* acc) {
    const Acc* b = static_cast<const Acc*>(other);
    Acc* a = static_cast<Acc*>(acc);
    for (int64_t i = 0; i < n; ++i) a[i] = Op::Merge(a[i], b[i]);
  }
  static void Finish(const void* acc, int64_t n, int64_t count, void* out) {
    const Acc* a = static_cast<const Acc*>(acc);
    T* y = static_cast<T*>(out);
    for (int64_t i = 0; i < n; ++i) y[i] = Op::Finish(a[i], count);
  }
  static constexpr Reducer Make() {
    return {
        .accumulator_size = sizeof(Acc), .init = Init, .fold = Fold, .rows = Rows, .merge = Merge, .finish = Finish};
  }
};

// ReducersFor<SumOp, float, double>(): Op<T> for every T.
template <template <class> class Op, class... Ts>
Reducers ReducersFor() {
  Reducers reducers;
  auto add = [&]<class T>(TypeTag<T>) {
    if constexpr (kCompiled<T>) reducers.list.emplace_back(DTypeOf<T>(), ReducerLoops<T, Op<T>>::Make());
  };
  (add(TypeTag<Ts>{}), ...);
  return reducers;
}
Reducers Join(Reducers a, const Reducers& b);
// Registers the reducers of unsigned integers for the signed ones of the same width, too.
Reducers AlsoSigned(Reducers reducers);

// A row of the table of reductions. `types` as in schemas; empty: the input is bool.
struct ReductionOp {
  std::string name;
  std::string types;
  Reducers reducers;
  GradientFn gradient = {};
  NoGradient no_gradient = NoGradient::kNone;
};
void AddReduction(OpRegistry& registry, ReductionOp op);

// The shape function of a reduction of input 0 over the axes in input 1, with attribute keep_dims.
Status ReductionShape(ShapeContext& c);

}  // namespace weir::ops
