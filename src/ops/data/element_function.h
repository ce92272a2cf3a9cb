// ElementFunction: a user function with its captured values, called for elements of a dataset. Thread-safe.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "ops/data/dataset.h"

namespace weir::ops {

class ElementFunction final {
 public:
  // Returns the function in attribute `attr`. Inputs [first, first + count) are its captured values.
  static Result<std::shared_ptr<const ElementFunction>> Make(KernelContext& ctx, std::string_view attr, int first,
                                                             int count);
  // Returns the same function bound to a pass. Stateful kernels of its body share their state within the pass.
  Result<std::shared_ptr<const ElementFunction>> In(const PassContext& pass) const;
  // Blocks until the result is available. Cheap kernels run on this thread.
  Result<Element> Call(StepContext& step, Element args) const;
  // `done` may run on any thread, also on this one before Start returns. REQUIRES: `step` lives until `done` was
  // called.
  void Start(StepContext& step, Element args, FunctionRunner::Done done) const;

 private:
  ElementFunction(const StepContext& step, FuncAttr function, FunctionRunner::Handle handle,
                  std::vector<Tensor> captured)
      : runner_(*step.functions),
        kept_(step.keep_alive),
        function_(std::move(function)),
        handle_(handle),
        captured_(std::move(captured)) {}
  void AddCaptured(Element* args) const { args->insert(args->end(), captured_.begin(), captured_.end()); }

  FunctionRunner& runner_;
  const std::shared_ptr<const void> kept_;  // owns the runner
  const FuncAttr function_;
  const FunctionRunner::Handle handle_;
  const std::vector<Tensor> captured_;
};
using FunctionPtr = std::shared_ptr<const ElementFunction>;

// Returns the function in attribute `attr`. Its captured values are the inputs from `first` on; their number is the
// length of the attribute "Targuments".
Result<FunctionPtr> FunctionWithArguments(KernelContext& ctx, std::string_view attr, int first);
Result<int> NumTypes(const KernelContext& ctx, std::string_view attr);

// Returns an iterator over the dataset that a function returned.
Result<IteratorPtr> IterateResult(PassContext& pass, const Result<Element>& result);
// The context for datasets that a function returns. They call each other recursively, so each level counts as a call.
template <class Context>
Context Nested(const Context& step) {
  Context nested = step;
  nested.call_depth += kBlockingCallDepth;
  return nested;
}

// Returns the result of a function whose only output is an int64 scalar. `what` names the function in errors.
Result<int64_t> ScalarResult(const Result<Element>& result, std::string_view what);
// Returns the result of a predicate.
Result<bool> PredicateValue(const Result<Element>& result);

}  // namespace weir::ops
