// The ops of this folder, one line per file.
#include "ops/register.h"

namespace weir::ops {

void RegisterAddN(OpRegistry& registry);
void RegisterArgExtremes(OpRegistry& registry);
void RegisterArithmetic(OpRegistry& registry);
void RegisterBatchMatMul(OpRegistry& registry);
void RegisterBins(OpRegistry& registry);
void RegisterBitwise(OpRegistry& registry);
void RegisterCast(OpRegistry& registry);
void RegisterComparison(OpRegistry& registry);
void RegisterComplexParts(OpRegistry& registry);
void RegisterCross(OpRegistry& registry);
void RegisterCumulative(OpRegistry& registry);
void RegisterCumulativeLogsumexp(OpRegistry& registry);
void RegisterDivision(OpRegistry& registry);
void RegisterEinsum(OpRegistry& registry);
void RegisterElementary(OpRegistry& registry);
void RegisterLinalgCholesky(OpRegistry& registry);
void RegisterLinalgEigen(OpRegistry& registry);
void RegisterLinalgFunctions(OpRegistry& registry);
void RegisterLinalgLu(OpRegistry& registry);
void RegisterLinalgSolve(OpRegistry& registry);
void RegisterLinalgSvd(OpRegistry& registry);
void RegisterLinalgTriangular(OpRegistry& registry);
void RegisterLinalgTridiagonal(OpRegistry& registry);
void RegisterMatMul(OpRegistry& registry);
void RegisterPower(OpRegistry& registry);
void RegisterRandomGamma(OpRegistry& registry);
void RegisterRandomMultinomial(OpRegistry& registry);
void RegisterRandomShuffle(OpRegistry& registry);
void RegisterRandomTruncated(OpRegistry& registry);
void RegisterRandomUniform(OpRegistry& registry);
void RegisterReduceExtremes(OpRegistry& registry);
void RegisterReduceSum(OpRegistry& registry);
void RegisterSegment(OpRegistry& registry);
void RegisterSelect(OpRegistry& registry);
void RegisterSequences(OpRegistry& registry);
void RegisterSparseSegment(OpRegistry& registry);
void RegisterSpecial(OpRegistry& registry);
void RegisterUnaryArithmetic(OpRegistry& registry);

void RegisterMathOps(OpRegistry& registry) {
  RegisterAddN(registry);
  RegisterArgExtremes(registry);
  RegisterArithmetic(registry);
  RegisterBatchMatMul(registry);
  RegisterBins(registry);
  RegisterBitwise(registry);
  RegisterCast(registry);
  RegisterComparison(registry);
  RegisterComplexParts(registry);
  RegisterCross(registry);
  RegisterCumulative(registry);
  RegisterCumulativeLogsumexp(registry);
  RegisterDivision(registry);
  RegisterEinsum(registry);
  RegisterElementary(registry);
  RegisterLinalgCholesky(registry);
  RegisterLinalgEigen(registry);
  RegisterLinalgFunctions(registry);
  RegisterLinalgLu(registry);
  RegisterLinalgSolve(registry);
  RegisterLinalgSvd(registry);
  RegisterLinalgTriangular(registry);
  RegisterLinalgTridiagonal(registry);
  RegisterMatMul(registry);
  RegisterPower(registry);
  RegisterRandomGamma(registry);
  RegisterRandomMultinomial(registry);
  RegisterRandomShuffle(registry);
  RegisterRandomTruncated(registry);
  RegisterRandomUniform(registry);
  RegisterReduceExtremes(registry);
  RegisterReduceSum(registry);
  RegisterSegment(registry);
  RegisterSelect(registry);
  RegisterSequences(registry);
  RegisterSparseSegment(registry);
  RegisterSpecial(registry);
  RegisterUnaryArithmetic(registry);
}

}  // namespace weir::ops
