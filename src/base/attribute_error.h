// Errors that Python raises as AttributeError while a graph is built: a few functions of TensorFlow do so for a wrong
// type.
#ifndef WEIR_BASE_ATTRIBUTE_ERROR_H_
#define WEIR_BASE_ATTRIBUTE_ERROR_H_

#include "weir/base/status.h"

namespace weir {

Status MarkAttributeError(const Status& status);
bool IsAttributeError(const Status& status);

}  // namespace weir

#endif  // WEIR_BASE_ATTRIBUTE_ERROR_H_
