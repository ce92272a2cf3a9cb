// RegisteredGraph: a part of a graph that a master has registered with this worker, compiled. The client's feeds and
// fetches are the feeds and fetches of the plan, identified by their rendezvous keys. Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "proto/worker.pb.h"
#include "runtime/executor.h"
#include "runtime/function_runner.h"

namespace weir {

// True if a node of this op changes nothing and exchanges no values with other tasks, so that it may run again.
bool IsRepeatable(const OpDef& op);

class RegisteredGraph final {
 public:
  struct Dependencies {
    const OpRegistry& registry;
    Env& env;  // the files that kernels use
    std::shared_ptr<const std::vector<std::unique_ptr<Device>>> devices;
    std::shared_ptr<ResourceManager> resources;
    std::shared_ptr<NamedKernels> stateful;  // kernels that the graphs of the session share
    std::string session_handle = {};
  };
  // State that kernels may use while they run. A kernel that cannot be interrupted, and an iterator with a shared name,
  // may keep it alive after the session has ended.
  struct GraphKernelState {
    std::string session_handle;
    std::unique_ptr<LocalFunctionRunner> functions;
  };
  // `cancel` may be null.
  static Result<std::shared_ptr<RegisteredGraph>> Make(const tensorflow::RegisterGraphRequest& request,
                                                       Dependencies dependencies, const CancelToken* cancel);

  Executor& executor() { return *executor_; }
  const std::shared_ptr<const GraphKernelState>& kernel_state() const { return kernel_state_; }
  // The index of the feed or fetch with that key, or -1.
  int FeedNumber(const std::string& key) const { return Number(feeds_, key); }
  int FetchNumber(const std::string& key) const { return Number(fetches_, key); }
  size_t num_feeds() const { return signature_.feeds.size(); }
  // True if a run changes nothing and exchanges values with its caller only, so that it may run again.
  bool repeatable() const { return repeatable_; }
  // The same graph with late feeds, for partial runs. Compiled on first use.
  Result<std::shared_ptr<Executor>> PartialExecutor();

 private:
  using Numbers = absl::flat_hash_map<std::string, int>;
  explicit RegisteredGraph(Dependencies dependencies) : dependencies_(std::move(dependencies)) {}
  Status Compile(const tensorflow::RegisterGraphRequest& request, const CancelToken* cancel);
  Result<std::shared_ptr<Executor>> MakeExecutor(bool late_feeds);
  static int Number(const Numbers& numbers, const std::string& key) {
    auto it = numbers.find(key);
    return it == numbers.end() ? -1 : it->second;
  }

  const Dependencies dependencies_;
  std::shared_ptr<Graph> graph_;
  std::shared_ptr<const GraphKernelState> kernel_state_;
  std::unique_ptr<KernelCache> kernels_;
  PlanSignature signature_;
  bool repeatable_ = true;
  PassOptions passes_;  // the master has placed and rewritten the graph already
  Numbers feeds_;
  Numbers fetches_;
  std::shared_ptr<Executor> executor_;
  std::mutex partial_mu_;
  std::shared_ptr<Executor> partial_executor_;
};

}  // namespace weir
