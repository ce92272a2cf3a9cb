// Starts function calls on the calling thread without deep nesting: beyond a few levels, calls are queued in a
// thread-local list until the outer ones have returned. The list is last in, first out, so that a recursion runs depth
// first and few of its calls are in flight at a time.
#pragma once

#include <memory>
#include <vector>

#include "runtime/executor.h"

namespace weir {

struct FunctionCall {
  std::shared_ptr<Executor> executor;
  StepArgs args;  // REQUIRES: a pool
  std::vector<Tensor> feeds;
  Executor::FetchDone done;
};

// Starts the call at once, or before the outermost StartCall of this thread returns, or on args.pool.
void StartCall(FunctionCall call);

// For a thread that blocks inside of a call until another call has ended: the other call must not be queued behind the
// first. In this scope StartCall treats the calls of this thread as outermost ones.
class CallStarterPause final {
 public:
  CallStarterPause();
  ~CallStarterPause();
  CallStarterPause(const CallStarterPause&) = delete;
  CallStarterPause& operator=(const CallStarterPause&) = delete;

 private:
  void* const outer_;
};

}  // namespace weir
