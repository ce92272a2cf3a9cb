#include "ops/data/dataset_function.h"

#include <condition_variable>
#include <mutex>

#include "ops/data/background.h"

namespace weir::ops {
namespace {

// Pools that run what they are given at once: without threads, nobody else would while the caller waits.
struct AtOnce {
  static void Run(const std::function<void()>& work) { work(); }
  ThreadPool pool{Runner(Run)};
  ElasticPool blocking_pool{Runner(Run)};
};

}  // namespace

Result<FunctionPtr> DatasetFunction::Make(KernelContext& ctx, std::string_view attr, int first, int count) {
  WEIR_ASSIGN(const FuncAttr function, NodeAttr<FuncAttr>(ctx, attr));
  FunctionRunner* runner = ctx.step().functions;
  if (runner == nullptr)
    return FailedPrecondition("function '{}' cannot run here: there is no function runner", function.name);
  WEIR_ASSIGN(const FunctionRunner::Handle handle, runner->Instantiate(function));
  WEIR_ASSIGN(std::vector<Tensor> captured, KeptInputs(ctx, first, count));
  return FunctionPtr(new DatasetFunction(ctx.step(), function, handle, std::move(captured)));
}

Result<FunctionPtr> DatasetFunction::In(const DatasetHome& home) const {
  WEIR_ASSIGN(const FunctionRunner::Handle handle, home.functions->Instantiate(function_));
  return FunctionPtr(new DatasetFunction(home, function_, handle, captured_));
}

Result<Element> DatasetFunction::Call(StepContext& step, Element args) const {
  AddCaptured(&args);
  StepContext here = step;
  std::optional<AtOnce> at_once;
  if (!HasThreads(step)) {
    at_once.emplace();
    here.pool = &at_once->pool;
    here.blocking_pool = &at_once->blocking_pool;
  }
  std::mutex mu;
  std::condition_variable ended;
  std::optional<Result<Element>> result;
  runner_.Run(handle_, here, std::move(args), [&](Result<Element> given) {
    std::lock_guard lock(mu);
    result = std::move(given);
    ended.notify_one();
  });
  std::unique_lock lock(mu);
  ended.wait(lock, [&] { return result.has_value(); });
  return *std::move(result);
}

void DatasetFunction::Start(StepContext& step, Element args, FunctionRunner::Done done) const {
  AddCaptured(&args);
  runner_.Run(handle_, step, std::move(args), std::move(done));
}

Result<int> NumTypes(const KernelContext& ctx, std::string_view attr) {
  WEIR_ASSIGN(const std::vector<DType> types, NodeAttr<std::vector<DType>>(ctx, attr));
  return static_cast<int>(types.size());
}

Result<FunctionPtr> FunctionWithArguments(KernelContext& ctx, std::string_view attr, int first) {
  WEIR_ASSIGN(const int count, NumTypes(ctx, "Targuments"));
  return DatasetFunction::Make(ctx, attr, first, count);
}

Result<bool> Truth(const Result<Element>& result) {
  if (!result.ok()) return result.status();
  if (result->size() != 1 || result->front().dtype() != kBool || result->front().num_elements() != 1)
    return InvalidArgument("`predicate` must return a scalar bool tensor.");
  return result->front().scalar<bool>();
}

}  // namespace weir::ops
