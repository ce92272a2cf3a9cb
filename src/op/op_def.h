// Internal version of the public header: adds formatters and packed tensors.
#ifndef WEIR_OP_FORMATTED_OP_DEF_H_
#define WEIR_OP_FORMATTED_OP_DEF_H_

#include "op/attr_value.h"
#include "weir/op/op_def.h"

#endif  // WEIR_OP_FORMATTED_OP_DEF_H_
