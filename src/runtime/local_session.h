// LocalSession: a session that runs in this process. Each signature is compiled once and cached. Kernels and resources
// live as long as the session. Thread-safe.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "runtime/executor.h"
#include "runtime/function_runner.h"
#include "session/session.h"

namespace weir {

class LocalSession final : public Session {
 public:
  struct Dependencies {
    ThreadPool& pool;  // both pools outlive the session
    ElasticPool& blocking_pool;
    Env& env;                                    // the files that kernels use; outlives the session
    std::shared_ptr<ResourceManager> resources;  // null: the session creates its own
    tensorflow::ConfigProto config;
    std::string device_prefix = "/job:localhost/replica:0/task:0";
    PyFuncRunner* py_functions = nullptr;  // outlives the session; null: PyFunc fails
  };

  LocalSession(std::shared_ptr<Graph> graph, Dependencies dependencies);
  ~LocalSession() override;
  LocalSession(const LocalSession&) = delete;
  LocalSession& operator=(const LocalSession&) = delete;

  Result<std::vector<Tensor>> Run(const RunRequest& request) override;
  // The callable must not outlive the session.
  Result<std::shared_ptr<Callable>> MakeCallable(const std::vector<Output>& feeds, const std::vector<Output>& fetches,
                                                 const std::vector<Node*>& targets) override;
  Result<std::string> PartialRunSetup(const std::vector<Output>& feeds, const std::vector<Output>& fetches,
                                      const std::vector<Node*>& targets, CancelToken* cancel = nullptr) override;
  Result<std::vector<Tensor>> PartialRun(const std::string& handle, const std::vector<Feed>& feeds,
                                         const std::vector<Output>& fetches, CancelToken* cancel = nullptr) override;
  Result<std::vector<DeviceInfo>> ListDevices(CancelToken* cancel = nullptr) override;
  Status Close() override;

  const std::shared_ptr<Graph>& graph() const { return graph_; }

 private:
  class LocalCallable;
  struct Partial;
  class ActiveRun;
  // A signature as numbers. Contains addresses of nodes, which live as long as the graph.
  using Key = absl::InlinedVector<uintptr_t, 16>;

  // Null if the signature is not compiled yet.
  std::shared_ptr<Executor> FindExecutor(const Key& key);
  Result<std::shared_ptr<Executor>> GetExecutor(const Key& key, const PlanSignature& signature);
  Result<std::shared_ptr<Executor>> Compile(const PlanSignature& signature);
  Result<std::vector<Tensor>> Execute(Executor& executor, absl::Span<const Tensor> feeds,
                                      const tensorflow::RunOptions* options, tensorflow::RunMetadata* metadata,
                                      CancelToken* cancel);
  StepArgs ArgsForStep();
  Status CheckPool(const tensorflow::RunOptions& options) const;
  bool Enter();  // false once the session is closed
  void Leave();

  // Objects that kernels use. A kernel that cannot be interrupted may keep them alive after the session is destroyed.
  struct SessionKernelState {
    std::string handle;
    std::unique_ptr<ThreadPool> intra_pool;  // null: the shared pool is used
    std::unique_ptr<ThreadPool> inter_pool;
    std::unique_ptr<LocalFunctionRunner> functions;
  };

  const std::shared_ptr<Graph> graph_;
  const tensorflow::ConfigProto config_;
  ThreadPool& shared_pool_;
  ElasticPool& blocking_pool_;
  Env& env_;
  const std::shared_ptr<SessionKernelState> kernel_state_ = std::make_shared<SessionKernelState>();
  ThreadPool* intra_pool_;  // for parallelism inside kernels
  ThreadPool* inter_pool_;  // for parallelism between kernels; null: the caller runs all kernels
  PyFuncRunner* const py_functions_;
  const bool owns_resources_;
  const std::shared_ptr<ResourceManager> resources_;
  const std::shared_ptr<const LocalFunctionRunner::Devices> devices_;
  const std::shared_ptr<ConstantEvaluator> evaluator_;
  std::unique_ptr<KernelCache> kernels_;
  SessionPlacements placements_;

  CancelToken cancel_;
  std::atomic<int64_t> next_step_{1};
  std::mutex compile_mu_;  // serializes compilation
  std::mutex mu_;
  std::condition_variable idle_;
  bool closed_ = false;
  int active_ = 0;
  absl::flat_hash_map<Key, std::shared_ptr<Executor>> executors_;
  absl::flat_hash_map<std::string, std::shared_ptr<Partial>> partials_;
  int64_t next_partial_ = 0;
};

}  // namespace weir
