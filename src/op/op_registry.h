// Internal version of the public header: adds formatters and packed tensors.
#ifndef WEIR_OP_FORMATTED_OP_REGISTRY_H_
#define WEIR_OP_FORMATTED_OP_REGISTRY_H_

#include "op/op_def.h"
#include "weir/op/op_registry.h"

#endif  // WEIR_OP_FORMATTED_OP_REGISTRY_H_
