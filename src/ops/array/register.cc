// The ops of this folder, one line per file.
#include "ops/register.h"

namespace weir::ops {

void RegisterBroadcast(OpRegistry& registry);
void RegisterConcat(OpRegistry& registry);
void RegisterConstant(OpRegistry& registry);
void RegisterFill(OpRegistry& registry);
void RegisterGather(OpRegistry& registry);
void RegisterIdentity(OpRegistry& registry);
void RegisterReshape(OpRegistry& registry);
void RegisterShape(OpRegistry& registry);
void RegisterSlice(OpRegistry& registry);
void RegisterSplit(OpRegistry& registry);
void RegisterStridedSlice(OpRegistry& registry);
void RegisterTile(OpRegistry& registry);
void RegisterTranspose(OpRegistry& registry);

void RegisterArrayOps(OpRegistry& registry) {
  RegisterBroadcast(registry);
  RegisterConcat(registry);
  RegisterConstant(registry);
  RegisterFill(registry);
  RegisterGather(registry);
  RegisterIdentity(registry);
  RegisterReshape(registry);
  RegisterShape(registry);
  RegisterSlice(registry);
  RegisterSplit(registry);
  RegisterStridedSlice(registry);
  RegisterTile(registry);
  RegisterTranspose(registry);
}

}  // namespace weir::ops
