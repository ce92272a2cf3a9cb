// DatasetFunction: a function of the user with the values that it captured, called for elements of a dataset.
// Thread-safe.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "ops/data/dataset.h"

namespace weir::ops {

class DatasetFunction final {
 public:
  // The function in attribute `attr`; what it captured are the inputs [first, first + count).
  static Result<std::shared_ptr<const DatasetFunction>> Make(KernelContext& ctx, std::string_view attr, int first,
                                                             int count);
  // The same function for the iterators of a pass: kernels of its body that keep a state share it within the pass.
  Result<std::shared_ptr<const DatasetFunction>> In(const DatasetHome& home) const;
  // Waits for the result; what is cheap runs on this thread.
  Result<Element> Call(StepContext& step, Element args) const;
  // `done` may run on any thread, also on this one before Start returns. `step` outlives the call.
  void Start(StepContext& step, Element args, FunctionRunner::Done done) const;

 private:
  DatasetFunction(const StepContext& step, FuncAttr function, FunctionRunner::Handle handle,
                  std::vector<Tensor> captured)
      : runner_(*step.functions),
        kept_(step.kept),
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
using FunctionPtr = std::shared_ptr<const DatasetFunction>;

// The function in attribute `attr`, of a node whose inputs from `first` on as many as "Targuments" says were captured.
Result<FunctionPtr> FunctionWithArguments(KernelContext& ctx, std::string_view attr, int first);
Result<int> NumTypes(const KernelContext& ctx, std::string_view attr);

// What a predicate said.
Result<bool> Truth(const Result<Element>& result);

}  // namespace weir::ops
