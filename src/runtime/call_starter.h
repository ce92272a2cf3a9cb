// Starts function calls on the calling thread without nesting deeply: a call made inside of a few others waits in a
// list of the thread until those have returned. The last call put there starts first, so a recursion runs depth first,
// and few of its calls are in flight at the same time.
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

// Starts the call now, or before the outermost StartCall of this thread returns, or on the pool of the call.
void StartCall(FunctionCall call);

// For a thread that blocks inside of a call until another call has ended: that one must not wait for the first to
// return. While it lives, StartCall takes the calls of this thread as outermost ones.
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
