// LocalConstantEvaluator: runs the CPU kernel of a node on known inputs, on the calling thread. Rejects nodes with
// state or references, asynchronous or blocking kernels, and large results. Thread-safe.
#pragma once

#include <memory>

#include "base/env.h"
#include "graph/constant_evaluator.h"

namespace weir {

// Kernels use the files of `env`, which outlives the evaluator.
std::shared_ptr<ConstantEvaluator> MakeLocalConstantEvaluator(Env& env);

}  // namespace weir
