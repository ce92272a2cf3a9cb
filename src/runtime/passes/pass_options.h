// PassOptions: which passes rewrite a plan graph. A value type.
#pragma once

#include <string>

#include "graph/constant_evaluator.h"

namespace tensorflow {
class ConfigProto;
class GraphOptions;
}  // namespace tensorflow

namespace weir {

struct PassOptions {
  bool order_updates = false;  // order uses and updates of variables; only for whole plans
  bool fold_constants = false;
  bool optimize = false;                   // merge duplicates, skip unused values
  bool fuse = false;                       // fuse nodes into ops that only this process knows
  bool fold_activations = false;           // with `fuse`: fold biases and activations into products
  bool form_gpu_regions = false;           // record the work of GPUs as graphs (gpu_region.h)
  bool plan_memory = false;                // steps reuse memory for their values (memory_plan.h)
  bool explain = false;                    // print a report to standard error
  std::string part_of = {};                // the task, if the graph is only its part of a plan
  ConstantEvaluator* evaluator = nullptr;  // needed by fold_constants
};

// The options from the config of a session and from the environment.
PassOptions PassOptionsOf(const tensorflow::ConfigProto& config, ConstantEvaluator* evaluator);
// The options for a worker's part of a plan that a master has already rewritten according to these options.
PassOptions LocalPassOptionsOf(const tensorflow::GraphOptions& graph);

}  // namespace weir
