// PassOptions: which passes rewrite a plan graph. A value.
#pragma once

#include "graph/constant_evaluator.h"

namespace tensorflow {
class ConfigProto;
}  // namespace tensorflow

namespace weir {

struct PassOptions {
  bool fold_constants = false;
  bool optimize = false;                   // merges duplicates, skips unused values
  ConstantEvaluator* evaluator = nullptr;  // needed to fold
};

// What the config of a session asks for.
PassOptions PassOptionsOf(const tensorflow::ConfigProto& config, ConstantEvaluator* evaluator);

}  // namespace weir
