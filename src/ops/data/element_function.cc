#include "ops/data/element_function.h"

namespace weir::ops {

Result<FunctionPtr> ElementFunction::Make(KernelContext& ctx, std::string_view attr, int first, int count) {
  WEIR_ASSIGN(const FuncAttr function, NodeAttr<FuncAttr>(ctx, attr));
  FunctionRunner* runner = ctx.step().functions;
  if (runner == nullptr)
    return FailedPrecondition("function '{}' cannot run in this context: no function library is available",
                              function.name);
  WEIR_ASSIGN(const FunctionRunner::Handle handle, runner->Instantiate(function));
  WEIR_ASSIGN(std::vector<Tensor> captured, OwnedInputs(ctx, first, count));
  return FunctionPtr(new ElementFunction(ctx.step(), function, handle, std::move(captured)));
}

Result<FunctionPtr> ElementFunction::In(const PassContext& pass) const {
  WEIR_ASSIGN(const FunctionRunner::Handle handle, pass.functions->Instantiate(function_));
  return FunctionPtr(new ElementFunction(pass, function_, handle, captured_));
}

Result<Element> ElementFunction::Call(StepContext& step, Element args) const {
  AddCaptured(&args);
  return runner_.RunAndWait(handle_, step, std::move(args));
}

void ElementFunction::Start(StepContext& step, Element args, FunctionRunner::Done done) const {
  AddCaptured(&args);
  StepContext waited_for = step;  // GetNext blocks a thread while it waits for the result
  waited_for.call_depth += kBlockingCallDepth - 1;
  runner_.Run(handle_, waited_for, std::move(args), std::move(done));
}

Result<int> NumTypes(const KernelContext& ctx, std::string_view attr) {
  WEIR_ASSIGN(const std::vector<DType> types, NodeAttr<std::vector<DType>>(ctx, attr));
  return static_cast<int>(types.size());
}

Result<FunctionPtr> FunctionWithArguments(KernelContext& ctx, std::string_view attr, int first) {
  WEIR_ASSIGN(const int count, NumTypes(ctx, "Targuments"));
  return ElementFunction::Make(ctx, attr, first, count);
}

Result<IteratorPtr> IterateResult(PassContext& pass, const Result<Element>& result) {
  if (!result.ok()) return result.status();
  if (result->size() != 1)
    return InvalidArgument("the function must return one dataset, but returned {} values", result->size());
  WEIR_ASSIGN(DatasetPtr dataset, DatasetOf(result->front()));
  return dataset->Iterate(pass);
}

Result<int64_t> ScalarResult(const Result<Element>& result, std::string_view what) {
  if (!result.ok()) return result.status();
  if (result->size() != 1 || result->front().dtype() != kInt64 || result->front().rank() != 0)
    return InvalidArgument("`{}` must return a scalar int64.", what);
  return result->front().scalar<int64_t>();
}

Result<bool> PredicateValue(const Result<Element>& result) {
  if (!result.ok()) return result.status();
  if (result->size() != 1 || result->front().dtype() != kBool || result->front().num_elements() != 1)
    return InvalidArgument("`predicate` must return a scalar bool tensor.");
  return result->front().scalar<bool>();
}

}  // namespace weir::ops
