#include "ops/state/element_arithmetic.h"

namespace weir::ops {
namespace {

constexpr DType kAllNumbers[] = {kHalf,  kBFloat16, kFloat,  kDouble, kInt8,   kInt16,     kInt32,
                                 kInt64, kUint8,    kUint16, kUint32, kUint64, kComplex64, kComplex128};

}  // namespace

std::vector<DType> RealTypes() {
  std::vector<DType> types;
  for (DType t : kAllNumbers) {
    if (WithRealType(t, [](auto) {})) types.push_back(t);
  }
  return types;
}

std::vector<DType> NumberTypes() {
  std::vector<DType> types;
  for (DType t : kAllNumbers) {
    if (WithNumberType(t, [](auto) {})) types.push_back(t);
  }
  return types;
}

}  // namespace weir::ops
