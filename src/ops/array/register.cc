// The ops of this folder, one line per file.
#include "ops/register.h"

namespace weir::ops {

void RegisterBandDiagonals(OpRegistry& registry);
void RegisterBitcast(OpRegistry& registry);
void RegisterBounds(OpRegistry& registry);
void RegisterBroadcast(OpRegistry& registry);
void RegisterCheckNumerics(OpRegistry& registry);
void RegisterConcat(OpRegistry& registry);
void RegisterConstant(OpRegistry& registry);
void RegisterDiag(OpRegistry& registry);
void RegisterDynamicStitch(OpRegistry& registry);
void RegisterEditDistance(OpRegistry& registry);
void RegisterFakeQuant(OpRegistry& registry);
void RegisterFill(OpRegistry& registry);
void RegisterGather(OpRegistry& registry);
void RegisterGatherNd(OpRegistry& registry);
void RegisterIdentity(OpRegistry& registry);
void RegisterImagePatches(OpRegistry& registry);
void RegisterImmutableConst(OpRegistry& registry);
void RegisterMirrorPad(OpRegistry& registry);
void RegisterOneHot(OpRegistry& registry);
void RegisterPad(OpRegistry& registry);
void RegisterQuantize(OpRegistry& registry);
void RegisterQuantizeValues(OpRegistry& registry);
void RegisterQuantizedConcat(OpRegistry& registry);
void RegisterReshape(OpRegistry& registry);
void RegisterReverse(OpRegistry& registry);
void RegisterRoll(OpRegistry& registry);
void RegisterScatterNd(OpRegistry& registry);
void RegisterSetOperations(OpRegistry& registry);
void RegisterShape(OpRegistry& registry);
void RegisterSlice(OpRegistry& registry);
void RegisterSpaceBatch(OpRegistry& registry);
void RegisterSpaceDepth(OpRegistry& registry);
void RegisterSparseArithmetic(OpRegistry& registry);
void RegisterSparseCross(OpRegistry& registry);
void RegisterSparseDense(OpRegistry& registry);
void RegisterSparseGradients(OpRegistry& registry);
void RegisterSparseRearrange(OpRegistry& registry);
void RegisterSparseReduce(OpRegistry& registry);
void RegisterSplit(OpRegistry& registry);
void RegisterStridedSlice(OpRegistry& registry);
void RegisterTile(OpRegistry& registry);
void RegisterTopK(OpRegistry& registry);
void RegisterTranspose(OpRegistry& registry);
void RegisterUnique(OpRegistry& registry);
void RegisterUnravelIndex(OpRegistry& registry);
void RegisterVolumePatches(OpRegistry& registry);
void RegisterWhere(OpRegistry& registry);

void RegisterArrayOps(OpRegistry& registry) {
  RegisterBandDiagonals(registry);
  RegisterBitcast(registry);
  RegisterBounds(registry);
  RegisterBroadcast(registry);
  RegisterCheckNumerics(registry);
  RegisterConcat(registry);
  RegisterConstant(registry);
  RegisterDiag(registry);
  RegisterDynamicStitch(registry);
  RegisterEditDistance(registry);
  RegisterFakeQuant(registry);
  RegisterFill(registry);
  RegisterGather(registry);
  RegisterGatherNd(registry);
  RegisterIdentity(registry);
  RegisterImagePatches(registry);
  RegisterImmutableConst(registry);
  RegisterMirrorPad(registry);
  RegisterOneHot(registry);
  RegisterPad(registry);
  RegisterQuantize(registry);
  RegisterQuantizeValues(registry);
  RegisterQuantizedConcat(registry);
  RegisterReshape(registry);
  RegisterReverse(registry);
  RegisterRoll(registry);
  RegisterScatterNd(registry);
  RegisterSetOperations(registry);
  RegisterShape(registry);
  RegisterSlice(registry);
  RegisterSpaceBatch(registry);
  RegisterSpaceDepth(registry);
  RegisterSparseArithmetic(registry);
  RegisterSparseCross(registry);
  RegisterSparseDense(registry);
  RegisterSparseGradients(registry);
  RegisterSparseRearrange(registry);
  RegisterSparseReduce(registry);
  RegisterSplit(registry);
  RegisterStridedSlice(registry);
  RegisterTile(registry);
  RegisterTopK(registry);
  RegisterTranspose(registry);
  RegisterUnique(registry);
  RegisterUnravelIndex(registry);
  RegisterVolumePatches(registry);
  RegisterWhere(registry);
}

}  // namespace weir::ops
