// The ops of this folder, one line per file.
#include "ops/register.h"

namespace weir::ops {

void RegisterAddN(OpRegistry& registry);
void RegisterArithmetic(OpRegistry& registry);
void RegisterCast(OpRegistry& registry);
void RegisterComparison(OpRegistry& registry);
void RegisterDivision(OpRegistry& registry);
void RegisterElementary(OpRegistry& registry);
void RegisterMatMul(OpRegistry& registry);
void RegisterReduceExtremes(OpRegistry& registry);
void RegisterReduceSum(OpRegistry& registry);
void RegisterUnaryArithmetic(OpRegistry& registry);

void RegisterMathOps(OpRegistry& registry) {
  RegisterAddN(registry);
  RegisterArithmetic(registry);
  RegisterCast(registry);
  RegisterComparison(registry);
  RegisterDivision(registry);
  RegisterElementary(registry);
  RegisterMatMul(registry);
  RegisterReduceExtremes(registry);
  RegisterReduceSum(registry);
  RegisterUnaryArithmetic(registry);
}

}  // namespace weir::ops
