// PassOptions: which passes rewrite a plan graph. A value.
#pragma once

#include <string>

#include "graph/constant_evaluator.h"

namespace tensorflow {
class ConfigProto;
class GraphOptions;
}  // namespace tensorflow

namespace weir {

struct PassOptions {
  bool order_updates = false;  // orders uses and updates of variables: of whole plans
  bool fold_constants = false;
  bool optimize = false;                   // merges duplicates, skips unused values
  bool fuse = false;                       // several nodes become one that only this process knows
  bool fold_activations = false;           // with `fuse`: biases and activations into products
  bool plan_memory = false;                // steps keep memory for their values (memory_plan.h)
  bool explain = false;                    // says on standard error what was done
  std::string part_of = {};                // the task, where it is only its part of a plan
  ConstantEvaluator* evaluator = nullptr;  // needed to fold
};

// What the config of a session asks for, and the environment.
PassOptions PassOptionsOf(const tensorflow::ConfigProto& config, ConstantEvaluator* evaluator);
// What is left to do for a graph that a master has rewritten as these options ask.
PassOptions LocalPassOptionsOf(const tensorflow::GraphOptions& graph);

}  // namespace weir
