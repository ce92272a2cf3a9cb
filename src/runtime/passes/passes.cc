// The list of passes, in the order in which they help each other.
#include "runtime/passes/passes.h"

namespace weir {

Status RunPasses(PlanGraph& graph, const PassOptions& options) {
  return OkStatus();
}

}  // namespace weir
