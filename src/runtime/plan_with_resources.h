// PlanWithResources: a plan that keeps the resources of its session alive. The thread that ends a step may drop the
// last reference to the plan after the session is destroyed, and kernels remove their resources from the
// ResourceManager when they are destroyed.
#ifndef WEIR_RUNTIME_PLAN_WITH_RESOURCES_H_
#define WEIR_RUNTIME_PLAN_WITH_RESOURCES_H_

#include <memory>
#include <utility>

#include "op/resource.h"
#include "runtime/plan.h"

namespace weir {

inline std::shared_ptr<const Plan> PlanWithResources(std::shared_ptr<const Plan> plan,
                                                     std::shared_ptr<ResourceManager> resources) {
  const Plan* raw = plan.get();
  return {raw, [plan = std::move(plan), resources = std::move(resources)](const Plan*) mutable {
            plan = nullptr;  // before the resources: destroys kernels
            resources = nullptr;
          }};
}

}  // namespace weir

#endif  // WEIR_RUNTIME_PLAN_WITH_RESOURCES_H_
