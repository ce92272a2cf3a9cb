// KeptPlan: a plan that keeps the resources of its session while it lives. The thread that ends a step may be the last
// to let go of its plan, after the session itself, and kernels take what is theirs out of the resources when they go.
#ifndef WEIR_RUNTIME_KEPT_PLAN_H_
#define WEIR_RUNTIME_KEPT_PLAN_H_

#include <memory>
#include <utility>

#include "op/resource.h"
#include "runtime/plan.h"

namespace weir {

inline std::shared_ptr<const Plan> KeptPlan(std::shared_ptr<const Plan> plan,
                                            std::shared_ptr<ResourceManager> resources) {
  const Plan* raw = plan.get();
  return {raw, [plan = std::move(plan), resources = std::move(resources)](const Plan*) mutable {
            plan = nullptr;  // first
            resources = nullptr;
          }};
}

}  // namespace weir

#endif  // WEIR_RUNTIME_KEPT_PLAN_H_
