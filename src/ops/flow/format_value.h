// A tensor as text the way tf.print shows it: nested brackets, rows on their own lines, long dimensions shortened in
// the middle.
#pragma once

#include <string>

#include "tensor/tensor.h"

namespace weir::ops {

// `summarize` elements at both ends of every dimension; all of them when it is negative.
std::string FormatValue(const Tensor& value, int summarize);

}  // namespace weir::ops
