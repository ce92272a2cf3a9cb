#include "runtime/function_runner.h"

#include <condition_variable>
#include <limits>
#include <optional>

#include "base/environment.h"
#include "base/out_of_memory.h"
#include "graph/function_gradient.h"
#include "runtime/call_starter.h"

namespace weir {
namespace {

constexpr char kDepthVariable[] = "WEIR_MAX_CALL_DEPTH";
constexpr char kCallsVariable[] = "WEIR_MAX_CALLS";
// Calls up to this nesting depth are not counted as calls in flight.
constexpr int kUncountedDepth = 8;

// The result of a call that a thread waits for. If there are no other threads, the waiting thread also runs the work
// that the call schedules.
class BlockingResult final {
 public:
  void Set(Result<std::vector<Tensor>> result) {
    std::lock_guard lock(mu_);
    result_ = std::move(result);
    changed_.notify_all();
  }
  void Schedule(std::function<void()> work) {
    std::lock_guard lock(mu_);
    work_.push_back(std::move(work));
    changed_.notify_all();
  }
  Result<std::vector<Tensor>> Wait() {
    std::unique_lock lock(mu_);
    for (;;) {
      changed_.wait(lock, [this] { return !work_.empty() || result_.has_value(); });
      if (work_.empty()) return *std::move(result_);
      std::function<void()> work = std::move(work_.front());
      work_.pop_front();
      lock.unlock();
      work();
      work = nullptr;
      lock.lock();
    }
  }

 private:
  std::mutex mu_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  std::optional<Result<std::vector<Tensor>>> result_;
};

std::string CanonicalName(const FuncAttr& function) {
  std::string name = function.name;
  if (function.attrs != nullptr) {
    for (const auto& [key, value] : *function.attrs) {
      if (!key.starts_with("_")) name += fmt::format("\n{}={}", key, value.ToString());
    }
  }
  return name;
}

}  // namespace

CallLimits CallLimits::FromEnvironment() {
  const CallLimits otherwise;
  constexpr int kMostDepth = std::numeric_limits<int>::max();
  return {.depth = static_cast<int>(ReadEnvironmentOr({kDepthVariable, "calls", 1, kMostDepth}, otherwise.depth)),
          .in_flight = ReadEnvironmentOr({kCallsVariable, "calls", 1}, otherwise.in_flight)};
}

struct LocalFunctionRunner::Function {
  FuncAttr attr;
  std::mutex mu;  // held during compilation
  FunctionBody body;
  std::shared_ptr<Executor> executor;
  Status error;
};

LocalFunctionRunner::LocalFunctionRunner(std::shared_ptr<const Graph> graph, std::shared_ptr<const Devices> devices,
                                         std::shared_ptr<ResourceManager> resources, Options options)
    : graph_(std::move(graph)),
      library_(graph_->functions()),
      registry_(graph_->registry()),
      devices_(std::move(devices)),
      resources_(std::move(resources)),
      options_(std::move(options)),
      kernels_(options_.env, resources_.get(), this) {}

LocalFunctionRunner::~LocalFunctionRunner() {
  // Destroy kernels first: the objects that they own may call functions until then.
  std::vector<std::shared_ptr<Executor>> executors;
  for (const std::unique_ptr<Function>& function : functions_) {
    std::lock_guard lock(function->mu);
    executors.push_back(std::move(function->executor));
    function->error = Cancelled("the session of the function is closed");
  }
  executors.clear();
  kernels_.Clear();
}

Result<FunctionRunner::Handle> LocalFunctionRunner::Instantiate(const FuncAttr& function) {
  if (library_.Find(function.name) == nullptr && !NamesGradient(registry_, function.name))
    return NotFound("Function {} is not defined.", function.name);
  std::string name = CanonicalName(function);
  std::lock_guard lock(mu_);
  auto [it, is_new] = by_name_.try_emplace(std::move(name), static_cast<Handle>(functions_.size()));
  if (is_new) {
    functions_.push_back(std::make_unique<Function>());
    functions_.back()->attr = function;
  }
  return it->second;
}

std::shared_ptr<FunctionRunner> LocalFunctionRunner::WithFreshKernels() {
  for (const std::string& name : library_.Names()) {
    const std::shared_ptr<const tensorflow::FunctionDef> function = library_.Find(name);
    if (function == nullptr) continue;
    for (const tensorflow::NodeDef& node : function->node_def()) {
      if (node.attr().contains("seed2"))
        return std::make_shared<LocalFunctionRunner>(graph_, devices_, resources_, options_);
    }
  }
  return nullptr;
}

Result<std::shared_ptr<Executor>> LocalFunctionRunner::Compile(Function& function) {
  std::lock_guard lock(function.mu);
  if (function.executor != nullptr) return function.executor;
  if (!function.error.ok()) return function.error;
  static const AttrMap no_attrs;
  auto compile = [&]() -> Result<std::shared_ptr<Executor>> {
    const AttrMap& attrs = function.attr.attrs == nullptr ? no_attrs : *function.attr.attrs;
    if (NamesGradient(registry_, function.attr.name)) {
      WEIR_ASSIGN(const FuncAttr differentiated, GetAttr<FuncAttr>(attrs, "f"));
      WEIR_ASSIGN(function.body, InstantiateGradient(library_, registry_, differentiated));
    } else {
      WEIR_ASSIGN(function.body, InstantiateFunction(library_, registry_, function.attr.name, attrs));
    }
    PlanSignature signature;
    for (Node* arg : function.body.args) signature.feeds.push_back(arg->output(0));
    for (Node* result : function.body.results) signature.fetches.push_back(result->input(0));
    signature.targets = function.body.control_results;
    for (Node* node : function.body.graph->Nodes()) {  // nodes with side effects run even if no result needs them
      if (node->op().stateful && !node->op().traits.function_edge) signature.targets.push_back(node);
    }
    WEIR_ASSIGN(std::shared_ptr<const Plan> plan,
                CompilePlan(*function.body.graph, signature,
                            PlanEnvironment{*devices_, kernels_, options_.placer, options_.passes}));
    return std::make_shared<Executor>(std::move(plan));
  };
  Result<std::shared_ptr<Executor>> executor = CatchOutOfMemory("the body of a function", compile);
  if (executor.ok()) {
    function.executor = *executor;
  } else {
    const Status error = WithContext(executor.status(), fmt::format("function '{}'", function.attr.name));
    if (error.code() != StatusCode::kResourceExhausted)
      function.error = error;  // out of memory: retry on the next call
    return error;
  }
  return executor;
}

Result<std::shared_ptr<Executor>> LocalFunctionRunner::Prepare(Handle handle, int depth,
                                                               const std::vector<Tensor>& args) {
  Function* function = nullptr;
  {
    std::lock_guard lock(mu_);
    if (handle >= 0 && handle < static_cast<Handle>(functions_.size())) function = functions_[handle].get();
  }
  if (function == nullptr) return InvalidArgument("there is no function with handle {}", handle);
  const std::string& name = function->attr.name;
  if (depth > options_.limits.depth)
    return ResourceExhausted(
        "Calls of function '{}' are nested more than {} levels deep: it may recurse endlessly. Set {} to change the "
        "limit.",
        name, depth - 1, kDepthVariable);
  WEIR_ASSIGN(std::shared_ptr<Executor> executor, Compile(*function));
  const std::vector<PlanFeed>& feeds = executor->plan().feeds;
  if (args.size() != feeds.size())
    return InvalidArgument("Function '{}' expects {} arguments, but got {}", name, feeds.size(), args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].dtype() != feeds[i].what.dtype)
      return InvalidArgument("Argument {} of function '{}' is {}, but should be {}", i, name, args[i].dtype(),
                             feeds[i].what.dtype);
  }
  if (depth > kUncountedDepth &&
      calls_in_flight_.fetch_add(1, std::memory_order_relaxed) >= options_.limits.in_flight) {
    calls_in_flight_.fetch_sub(1, std::memory_order_relaxed);
    return ResourceExhausted(
        "Function '{}' was called while {} calls were in flight, which is the limit: it may recurse endlessly. Set {} "
        "to change the limit.",
        name, options_.limits.in_flight, kCallsVariable);
  }
  return executor;
}

void LocalFunctionRunner::Run(Handle handle, StepContext& step, std::vector<Tensor> args, Done done) {
  const int depth = step.call_depth + 1;
  Result<std::shared_ptr<Executor>> executor = Prepare(handle, depth, args);
  if (!executor.ok()) return done(executor.status());
  FunctionCall call{.executor = *std::move(executor), .feeds = std::move(args), .done = std::move(done)};
  call.args.context = step;
  call.args.context.call_depth = depth;
  call.args.pool = step.pool;
  if (step.cancel != nullptr) call.args.cancelled_by.push_back(step.cancel);
  if (depth > kUncountedDepth) {
    call.done = [this, counted = std::move(call.done)](Result<std::vector<Tensor>> results) {
      calls_in_flight_.fetch_sub(1, std::memory_order_relaxed);
      counted(std::move(results));
    };
  }
  StartCall(std::move(call));
}

Result<std::vector<Tensor>> LocalFunctionRunner::RunAndWait(Handle handle, StepContext& step,
                                                            std::vector<Tensor> args) {
  BlockingResult result;
  StepContext here = step;
  here.call_depth += kBlockingCallDepth - 1;
  std::optional<ThreadPool> pool;
  std::optional<ElasticPool> blocking_pool;
  if (step.pool == nullptr || step.pool->num_threads() == 0 || step.blocking_pool == nullptr) {
    const auto run_here = [&result](std::function<void()> work) { result.Schedule(std::move(work)); };
    here.pool = &pool.emplace(Runner(run_here));
    here.blocking_pool = &blocking_pool.emplace(Runner(run_here));
  }
  const CallStarterPause pause;
  Run(handle, here, std::move(args), [&result](Result<std::vector<Tensor>> given) { result.Set(std::move(given)); });
  return result.Wait();
}

}  // namespace weir
