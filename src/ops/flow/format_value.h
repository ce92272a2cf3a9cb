// Formats a tensor like tf.print: nested brackets, one line per row, long dimensions shortened in the middle.
#pragma once

#include <string>

#include "tensor/tensor.h"

namespace weir::ops {

// Shows `summarize` elements at each end of every dimension, or all elements if it is negative.
std::string FormatValue(const Tensor& value, int summarize);

}  // namespace weir::ops
