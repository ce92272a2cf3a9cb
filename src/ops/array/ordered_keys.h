// A total order on real numbers for selection and sorting: NaN sorts before everything else, so that comparisons are
// consistent. Rows are widened to one of four types, and only positions are moved.
#pragma once

#include <vector>

#include "op/kernel.h"

namespace weir::ops {

template <class K>
bool KeyLess(K a, K b) {
  if constexpr (std::is_floating_point_v<K>) {
    if (a != a) return b == b;
  }
  return a < b;
}

template <class K, class T>
void WidenRow(const Tensor& t, int64_t begin, int64_t count, K* out) {
  const T* from = t.data<T>() + begin;
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<K>(from[i]);
}

// Calls f(TypeTag<K>{}, load), where load(begin, count, K* out) reads elements of `t`. Returns false for types without
// an order.
template <class F>
bool WithOrderedKeys(const Tensor& t, F&& f) {
  auto with = [&](auto key, auto element) {
    using K = typename decltype(key)::type;
    using T = typename decltype(element)::type;
    f(key, [&t](int64_t begin, int64_t count, K* out) { WidenRow<K, T>(t, begin, count, out); });
    return true;
  };
  switch (t.dtype()) {
    case kFloat:
      return with(TypeTag<float>{}, TypeTag<float>{});
    case kDouble:
      return with(TypeTag<double>{}, TypeTag<double>{});
    default:
      break;
  }
  // The rarer types share one instantiation; they load through a function pointer.
  auto shared = [&](auto key, void (*load)(const Tensor&, int64_t, int64_t, typename decltype(key)::type*)) {
    using K = typename decltype(key)::type;
    f(key, [&t, load](int64_t begin, int64_t count, K* out) { load(t, begin, count, out); });
    return true;
  };
  using I = int64_t;
  auto ints = [&](void (*load)(const Tensor&, int64_t, int64_t, I*)) { return shared(TypeTag<I>{}, load); };
  auto doubles = [&](void (*load)(const Tensor&, int64_t, int64_t, double*)) {
    return shared(TypeTag<double>{}, load);
  };
  switch (t.dtype()) {
    case kHalf:
      return doubles(WidenRow<double, half>);
    case kBFloat16:
      return doubles(WidenRow<double, bfloat16>);
    case kInt8:
      return ints(WidenRow<I, int8_t>);
    case kUint8:
      return ints(WidenRow<I, uint8_t>);
    case kInt16:
      return ints(WidenRow<I, int16_t>);
    case kUint16:
      return ints(WidenRow<I, uint16_t>);
    case kInt32:
      return ints(WidenRow<I, int32_t>);
    case kUint32:
      return ints(WidenRow<I, uint32_t>);
    case kInt64:
      return ints(WidenRow<I, int64_t>);
    case kUint64:  // offset by half the range, which keeps the order
      return ints([](const Tensor& u, int64_t begin, int64_t count, I* out) {
        for (int64_t i = 0; i < count; ++i)
          out[i] = static_cast<I>(u.data<uint64_t>()[begin + i] ^ (uint64_t{1} << 63));
      });
    default:
      return false;
  }
}

}  // namespace weir::ops
