#include "op/element_loop.h"

namespace weir {

Status FaultStatus(Fault fault) {
  switch (fault) {
    case Fault::kDivisionByZero:
      return InvalidArgument("Integer division by zero");
    case Fault::kNegativePower:
      return InvalidArgument("Integers to negative integer powers are not allowed");
    case Fault::kNone:
      break;
  }
  return OkStatus();
}

}  // namespace weir
