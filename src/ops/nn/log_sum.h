// Sums of probabilities that are given as logarithms.
#ifndef WEIR_OPS_NN_LOG_SUM_H_
#define WEIR_OPS_NN_LOG_SUM_H_

#include <cmath>
#include <limits>

namespace weir::ops {

// The logarithm of probability zero.
template <class T>
constexpr T kLogZero = -std::numeric_limits<T>::infinity();

// log(exp(a) + exp(b))
template <class T>
T LogSum(T a, T b) {
  if (a == kLogZero<T>) return b;
  if (b == kLogZero<T>) return a;
  return a > b ? a + std::log1p(std::exp(b - a)) : b + std::log1p(std::exp(a - b));
}

}  // namespace weir::ops

#endif  // WEIR_OPS_NN_LOG_SUM_H_
