// A call starts on the calling thread: cheap bodies end there, and costly nodes go to the pool. Calls that nest too
// deeply on one thread (recursion, a loop whose iterations end at once) go to the pool as a whole, so that no stack
// overflows.
#include "runtime/function_runner.h"

#include "base/out_of_memory.h"
#include "graph/function_gradient.h"

namespace weir {
namespace {

constexpr int kMaxInlineCalls = 8;

int& InlineCalls() {
  thread_local int depth = 0;
  return depth;
}

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

struct LocalFunctionRunner::Function {
  FuncAttr attr;
  std::mutex mu;  // held while it is compiled
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
      kernels_(resources_.get(), this) {}

LocalFunctionRunner::~LocalFunctionRunner() {
  // Kernels go first: what they keep may call functions until then.
  std::vector<std::shared_ptr<Executor>> executors;
  for (const std::unique_ptr<Function>& function : functions_) {
    std::lock_guard lock(function->mu);
    executors.push_back(std::move(function->executor));
    function->error = Cancelled("the session of the function has ended");
  }
  executors.clear();
  kernels_.Clear();
}

Result<FunctionRunner::Handle> LocalFunctionRunner::Instantiate(const FuncAttr& function) {
  if (function.name != kSymbolicGradient && library_.Find(function.name) == nullptr)
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

std::shared_ptr<FunctionRunner> LocalFunctionRunner::Anew() {
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
    if (function.attr.name == kSymbolicGradient) {
      WEIR_ASSIGN(const FuncAttr differentiated, GetAttr<FuncAttr>(attrs, "f"));
      WEIR_ASSIGN(function.body, InstantiateGradient(library_, registry_, differentiated));
    } else {
      WEIR_ASSIGN(function.body, InstantiateFunction(library_, registry_, function.attr.name, attrs));
    }
    PlanSignature signature;
    for (Node* arg : function.body.args) signature.feeds.push_back(arg->output(0));
    for (Node* result : function.body.results) signature.fetches.push_back(result->input(0));
    signature.targets = function.body.control_results;
    for (Node* node : function.body.graph->Nodes()) {  // what has an effect runs, needed or not
      if (node->op().stateful && node->type() != "_Arg" && node->type() != "_Retval") signature.targets.push_back(node);
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
    if (error.code() != StatusCode::kResourceExhausted) function.error = error;  // there may be memory next time
    return error;
  }
  return executor;
}

void LocalFunctionRunner::Run(Handle handle, StepContext& step, std::vector<Tensor> args, Done done) {
  Function* function = nullptr;
  {
    std::lock_guard lock(mu_);
    if (handle >= 0 && handle < static_cast<Handle>(functions_.size())) function = functions_[handle].get();
  }
  if (function == nullptr) return done(InvalidArgument("there is no function with handle {}", handle));
  Result<std::shared_ptr<Executor>> executor = Compile(*function);
  if (!executor.ok()) return done(executor.status());
  const Plan& plan = (*executor)->plan();
  if (args.size() != plan.feeds.size())
    return done(InvalidArgument("Function '{}' expects {} arguments, but got {}", function->attr.name,
                                plan.feeds.size(), args.size()));
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].dtype() != plan.feeds[i].what.dtype)
      return done(InvalidArgument("Argument {} of function '{}' is {}, but should be {}", i, function->attr.name,
                                  args[i].dtype(), plan.feeds[i].what.dtype));
  }
  StepArgs step_args;
  step_args.context = step;
  step_args.pool = step.pool;
  if (step.cancel != nullptr) step_args.cancelled_by.push_back(step.cancel);
  if (InlineCalls() < kMaxInlineCalls) {
    ++InlineCalls();
    (*executor)->Start(step_args, std::move(args), std::move(done));
    --InlineCalls();
  } else {
    step.pool->Schedule([executor = *executor, step_args, args = std::move(args), done = std::move(done)]() mutable {
      executor->Start(step_args, std::move(args), std::move(done));
    });
  }
}

}  // namespace weir
