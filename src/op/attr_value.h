// Internal version of the public header: adds the packed tensors that an attribute may hold.
#ifndef WEIR_OP_PACKED_ATTR_VALUE_H_
#define WEIR_OP_PACKED_ATTR_VALUE_H_

#include "tensor/packed_tensor.h"
#include "tensor/tensor.h"
#include "weir/op/attr_value.h"

#endif  // WEIR_OP_PACKED_ATTR_VALUE_H_
