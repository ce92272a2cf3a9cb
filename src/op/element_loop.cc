#include "op/element_loop.h"

namespace weir {

Status FaultStatus(LoopError fault) {
  switch (fault) {
    case LoopError::kDivisionByZero:
      return InvalidArgument("Integer division by zero");
    case LoopError::kNegativePower:
      return InvalidArgument("Integers to negative integer powers are not allowed");
    case LoopError::kNone:
      break;
  }
  return OkStatus();
}

}  // namespace weir
