// Clipping of values and gradients, with TensorFlow's formulas. Clipping IndexedSlices changes only their values.
#pragma once

#include "weir/graph/input.h"

namespace weir {

Output ClipByValueBounds(const Input& t, const Input& low, const Input& high, std::string name = "");
// Scales t to an L2 norm of at most clip_norm. The norm is over `axes`: all axes if absent, none (per element) if
// empty.
Output ClipByNorm(const Input& t, const Input& clip_norm, const Input& axes = {}, std::string name = "");
Output ClipByAverageNorm(const Input& t, const Input& clip_norm, std::string name = "");
// sqrt(sum of the squared L2 norms). Absent gradients are skipped.
Output GlobalNorm(const std::vector<Grad>& list, std::string name = "");
struct ClippedByGlobalNorm {
  std::vector<Grad> list;
  Output global_norm;
};
// Scales all gradients by clip_norm / max(norm, clip_norm). If the norm is not finite, all become NaN.
ClippedByGlobalNorm ClipByGlobalNorm(const std::vector<Grad>& list, const Input& clip_norm, Output use_norm = {},
                                     std::string name = "");

}  // namespace weir
