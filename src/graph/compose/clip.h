// Clipping of values and gradients, with TensorFlow's formulas. IndexedSlices are clipped by their values.
#pragma once

#include "graph/input.h"

namespace weir {

Output ClipByValueBounds(const Input& t, const Input& low, const Input& high, std::string name = "");
// t scaled to an L2 norm of at most clip_norm. The norm is taken over `axes`: all of them when absent, and each element
// alone when there are none.
Output ClipByNorm(const Input& t, const Input& clip_norm, const Input& axes = {}, std::string name = "");
Output ClipByAverageNorm(const Input& t, const Input& clip_norm, std::string name = "");
// sqrt(sum of the squared L2 norms); absent gradients do not count.
Output GlobalNorm(const std::vector<Grad>& list, std::string name = "");
struct ClippedByGlobalNorm {
  std::vector<Grad> list;
  Output global_norm;
};
// All scaled by clip_norm / max(norm, clip_norm). NaN everywhere when the norm is not finite.
ClippedByGlobalNorm ClipByGlobalNorm(const std::vector<Grad>& list, const Input& clip_norm, Output use_norm = {},
                                     std::string name = "");

}  // namespace weir
