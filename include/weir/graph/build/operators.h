// Arithmetic on Outputs as in NumPy: x * w + b. Numbers adapt to the type of the other side. Names are TensorFlow's
// ("add", "mul", ...). Errors stay with the graph's build state.
#pragma once

#include "weir/graph/input.h"

namespace weir {

Output operator+(Output a, Output b);
Output operator-(Output a, Output b);
Output operator*(Output a, Output b);
Output operator/(Output a, Output b);
Output operator-(Output a);
template <class L>
concept NumberLike = std::is_arithmetic_v<L>;
Output AddInput(Input a, Input b);
Output SubInput(Input a, Input b);
Output MulInput(Input a, Input b);
Output DivInput(Input a, Input b);
template <NumberLike L>
Output operator+(Output a, L b) {
  return AddInput(a, Input(b));
}
template <NumberLike L>
Output operator+(L a, Output b) {
  return AddInput(Input(a), b);
}
template <NumberLike L>
Output operator-(Output a, L b) {
  return SubInput(a, Input(b));
}
template <NumberLike L>
Output operator-(L a, Output b) {
  return SubInput(Input(a), b);
}
template <NumberLike L>
Output operator*(Output a, L b) {
  return MulInput(a, Input(b));
}
template <NumberLike L>
Output operator*(L a, Output b) {
  return MulInput(Input(a), b);
}
template <NumberLike L>
Output operator/(Output a, L b) {
  return DivInput(a, Input(b));
}
template <NumberLike L>
Output operator/(L a, Output b) {
  return DivInput(Input(a), b);
}

}  // namespace weir
