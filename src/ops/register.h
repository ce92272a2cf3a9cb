// Registration of all ops, by group. Each group's folder has its own list, e.g. ops/math/register.cc.
#pragma once

#include "op/op_registry.h"

namespace weir::ops {

void RegisterAllOps(OpRegistry& registry);

void RegisterMathOps(OpRegistry& registry);
void RegisterArrayOps(OpRegistry& registry);
void RegisterNnOps(OpRegistry& registry);
void RegisterStateOps(OpRegistry& registry);
void RegisterFlowOps(OpRegistry& registry);
void RegisterQueueOps(OpRegistry& registry);
void RegisterDataOps(OpRegistry& registry);
void RegisterStringOps(OpRegistry& registry);
void RegisterIoOps(OpRegistry& registry);
void RegisterCommOps(OpRegistry& registry);
void RegisterImageOps(OpRegistry& registry);
void RegisterSignalOps(OpRegistry& registry);

}  // namespace weir::ops
