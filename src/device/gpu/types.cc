#include "device/gpu/types.h"

namespace weir::gpu {

std::string_view TypeText(DType type) {
  switch (type) {
    case kFloat:
      return "float";
    case kDouble:
      return "double";
    case kHalf:
      return "Half";
    case kBFloat16:
      return "BFloat16";
    case kInt8:
    case kQint8:
      return "int8";
    case kUint8:
    case kQuint8:
      return "uint8";
    case kInt16:
    case kQint16:
      return "short";
    case kUint16:
    case kQuint16:
      return "uint16";
    case kInt32:
    case kQint32:
      return "int";
    case kUint32:
      return "uint32";
    case kInt64:
      return "int64";
    case kUint64:
      return "uint64";
    case kBool:
      return "bool";
    case kComplex64:
      return "Complex64";
    case kComplex128:
      return "Complex128";
    default:
      return "";
  }
}

DType WideType(DType type) { return type == kHalf || type == kBFloat16 ? kFloat : type; }

std::string_view BitsText(size_t bytes) {
  switch (bytes) {
    case 1:
      return "Bits8";
    case 2:
      return "Bits16";
    case 4:
      return "Bits32";
    case 8:
      return "Bits64";
    case 16:
      return "Bits128";
    default:
      return "";
  }
}

}  // namespace weir::gpu
