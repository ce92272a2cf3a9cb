// The registry for the tests of this folder.
#pragma once

#include "op/op_registry.h"
#include "ops/register.h"

namespace weir::ops {

inline const OpRegistry& StateOps() {
  static const OpRegistry* ops = [] {
    auto* registry = new OpRegistry;
    RegisterStateOps(*registry);
    return registry;
  }();
  return *ops;
}

}  // namespace weir::ops
