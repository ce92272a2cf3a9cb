// ProcessParts: the objects of a process that all of its tasks use.
#pragma once

#include "base/env.h"

namespace weir {

class ElasticPool;
class OpRegistry;
class PyFuncRunner;
class ThreadPool;

// REQUIRES: all of them outlive the tasks.
struct ProcessParts {
  const OpRegistry& registry;
  ThreadPool& pool;
  ElasticPool& blocking_pool;            // for kernels and calls that may block
  Env& env;                              // the files that kernels use
  PyFuncRunner* py_functions = nullptr;  // null: PyFunc fails
  bool may_end_process = false;          // whether the op Abort may end the process: not if remote callers can run it
};

}  // namespace weir
