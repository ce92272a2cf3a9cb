// Internal version of the public header: adds formatters of types and shapes.
#ifndef WEIR_TENSOR_FORMATTED_TENSOR_H_
#define WEIR_TENSOR_FORMATTED_TENSOR_H_

#include "tensor/dtype.h"
#include "tensor/shape.h"
#include "weir/tensor/tensor.h"

#endif  // WEIR_TENSOR_FORMATTED_TENSOR_H_
