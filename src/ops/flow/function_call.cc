// Ops that run functions of the graph's library: calls, the functional If, Case and While, SymbolicGradient. A function
// is instantiated on its first run, which allows functions to be recursive.
#include <mutex>

#include "graph/build/flow_ops.h"
#include "op/gradient_context.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

class LazyFunction {
 public:
  explicit LazyFunction(FuncAttr function) : function_(std::move(function)) {}

  void Run(KernelContext& ctx, std::vector<Tensor> args, FunctionRunner::Done done) {
    Result<FunctionRunner::Handle> handle = HandleIn(ctx.step().functions);
    if (!handle.ok()) {
      done(handle.status());
    } else {
      ctx.step().functions->Run(*handle, ctx.step(), std::move(args), std::move(done));
    }
  }

 private:
  Result<FunctionRunner::Handle> HandleIn(FunctionRunner* runner) {
    if (runner == nullptr)
      return FailedPrecondition("function '{}' cannot run in this context: no function library is available",
                                function_.name);
    std::lock_guard lock(mu_);
    if (runner_ != runner) {
      WEIR_ASSIGN(handle_, runner->Instantiate(function_));
      runner_ = runner;
    }
    return handle_;
  }

  const FuncAttr function_;
  std::mutex mu_;
  FunctionRunner* runner_ = nullptr;
  FunctionRunner::Handle handle_ = 0;
};
using FunctionPtr = std::shared_ptr<LazyFunction>;

Result<FunctionPtr> FunctionOf(KernelSetup& setup, std::string_view attr) {
  WEIR_ASSIGN(FuncAttr function, setup.Attr<FuncAttr>(attr));
  return std::make_shared<LazyFunction>(std::move(function));
}

std::vector<Tensor> InputsFrom(KernelContext& ctx, int first) {
  std::vector<Tensor> inputs;
  for (int i = first; i < ctx.num_inputs(); ++i) inputs.push_back(ctx.input(i));
  return inputs;
}

Status SetOutputs(KernelContext& ctx, Result<std::vector<Tensor>> results) {
  if (!results.ok()) return results.status();
  if (static_cast<int>(results->size()) != ctx.num_outputs())
    return InvalidArgument("the function returns {} values, but node '{}' has {} outputs", results->size(), ctx.name(),
                           ctx.num_outputs());
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    if ((*results)[i].dtype() != ctx.output_type(i))
      return InvalidArgument("result {} of the function has type {}, but node '{}' expects {}", i,
                             (*results)[i].dtype(), ctx.name(), ctx.output_type(i));
    ctx.set_output(i, std::move((*results)[i]));
  }
  return OkStatus();
}

void RunAndSet(KernelContext& ctx, const FunctionPtr& function, std::vector<Tensor> args, Done done) {
  function->Run(ctx, std::move(args), [&ctx, done = std::move(done)](Result<std::vector<Tensor>> results) {
    done(SetOutputs(ctx, std::move(results)));
  });
}

// TensorFlow's truth value: a scalar is true unless it is zero or ""; any other tensor is true if it has elements.
Result<bool> IsTrue(const Tensor& t) {
  if (t.rank() != 0) return t.num_elements() > 0;
  if (t.dtype() == kString) return !t.scalar<std::string>().empty();
  bool is_true = false;
  const bool known = ForType(t.dtype(), kSignedTypes + TypeList<bool, float, double, uint8_t>(),
                             [&]<class T>(TypeTag<T>) { is_true = t.scalar<T>() != T(0); });
  if (!known) return InvalidArgument("a tensor of type {} cannot be converted to bool", t.dtype());
  return is_true;
}

template <int first_arg>
Result<Kernel> MakeCall(KernelSetup& setup) {
  WEIR_ASSIGN(FunctionPtr function, FunctionOf(setup, "f"));
  return Kernel::Async([function](KernelContext& ctx, Done done) {
    RunAndSet(ctx, function, InputsFrom(ctx, first_arg), std::move(done));
  });
}

// The function runner implements the function named "SymbolicGradient": it differentiates the body of attribute "f".
Result<Kernel> MakeSymbolicGradient(KernelSetup& setup) {
  auto function = std::make_shared<LazyFunction>(FuncAttr{"SymbolicGradient", setup.node().attrs});
  return Kernel::Async(
      [function](KernelContext& ctx, Done done) { RunAndSet(ctx, function, InputsFrom(ctx, 0), std::move(done)); });
}

Result<Kernel> MakeIf(KernelSetup& setup) {
  WEIR_ASSIGN(FunctionPtr then_branch, FunctionOf(setup, "then_branch"));
  WEIR_ASSIGN(FunctionPtr else_branch, FunctionOf(setup, "else_branch"));
  return Kernel::Async([then_branch, else_branch](KernelContext& ctx, Done done) {
    const Result<bool> condition = IsTrue(ctx.input(0));
    if (!condition.ok()) {
      done(condition.status());
    } else {
      RunAndSet(ctx, *condition ? then_branch : else_branch, InputsFrom(ctx, 1), std::move(done));
    }
  });
}

Result<Kernel> MakeCase(KernelSetup& setup) {
  WEIR_ASSIGN(std::vector<FuncAttr> attrs, setup.Attr<std::vector<FuncAttr>>("branches"));
  std::vector<FunctionPtr> branches;
  for (FuncAttr& attr : attrs) branches.push_back(std::make_shared<LazyFunction>(std::move(attr)));
  return Kernel::Async([branches](KernelContext& ctx, Done done) {
    const Tensor& index = ctx.input(0);
    if (index.num_elements() != 1) {
      done(InvalidArgument("branch_index must be a scalar, but has shape {}", index.shape()));
      return;
    }
    const int32_t last = static_cast<int32_t>(branches.size()) - 1;
    const int32_t which = *index.data<int32_t>();
    RunAndSet(ctx, branches[which < 0 || which > last ? last : which], InputsFrom(ctx, 1), std::move(done));
  });
}

// One run of a functional While: alternates between condition and body. Functions that complete synchronously are
// handled in a loop, so the stack does not grow with the number of iterations.
class WhileRun : public std::enable_shared_from_this<WhileRun> {
 public:
  WhileRun(KernelContext& ctx, FunctionPtr condition, FunctionPtr body, Done done)
      : ctx_(ctx),
        condition_(std::move(condition)),
        body_(std::move(body)),
        done_(std::move(done)),
        values_(InputsFrom(ctx, 0)) {}

  void Go() {
    while (true) {
      state_.store(kRunning);
      auto self = shared_from_this();
      FunctionPtr next = evaluating_ ? condition_ : body_;
      std::vector<Tensor> args = evaluating_ ? values_ : std::move(values_);
      next->Run(ctx_, std::move(args), [self](Result<std::vector<Tensor>> results) {
        self->results_ = std::move(results);
        // Whichever of this callback and Go() finishes second continues the loop.
        if (self->state_.exchange(kDone) == kLeft && self->Advance()) self->Go();
      });
      if (state_.exchange(kLeft) != kDone) return;
      if (!Advance()) return;
    }
  }

 private:
  enum State { kRunning, kLeft, kDone };

  // Processes the results of the last function. Returns false when the loop has ended.
  bool Advance() {
    if (!results_.ok()) return End(results_.status());
    if (ctx_.cancel().cancelled()) return End(ctx_.cancel().reason());
    if (!evaluating_) {
      if (results_->size() != static_cast<size_t>(ctx_.num_inputs()))
        return End(InvalidArgument("the body of loop '{}' returns {} values, but the loop has {} variables",
                                   ctx_.name(), results_->size(), ctx_.num_inputs()));
      values_ = std::move(*results_);
      evaluating_ = true;
      return true;
    }
    if (results_->size() != 1)
      return End(InvalidArgument("the condition of loop '{}' must return one value, but returns {}", ctx_.name(),
                                 results_->size()));
    const Result<bool> goes_on = IsTrue(results_->front());
    if (!goes_on.ok()) return End(goes_on.status());
    if (!*goes_on) return End(SetOutputs(ctx_, std::move(values_)));
    evaluating_ = false;
    return true;
  }
  bool End(Status status) {
    std::exchange(done_, nullptr)(std::move(status));
    return false;
  }

  KernelContext& ctx_;
  const FunctionPtr condition_;
  const FunctionPtr body_;
  Done done_;
  std::vector<Tensor> values_;
  Result<std::vector<Tensor>> results_ = std::vector<Tensor>();
  bool evaluating_ = true;
  std::atomic<State> state_{kRunning};
};

Result<Kernel> MakeWhile(KernelSetup& setup) {
  WEIR_ASSIGN(FunctionPtr condition, FunctionOf(setup, "cond"));
  WEIR_ASSIGN(FunctionPtr body, FunctionOf(setup, "body"));
  return Kernel::Async([condition, body](KernelContext& ctx, Done done) {
    std::make_shared<WhileRun>(ctx, condition, body, std::move(done))->Go();
  });
}

Result<Kernel> MakeFunctionBoundary(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    return FailedPrecondition(
        "'{}' is an argument or result of a function body and cannot run outside of a function call", ctx.name());
  });
}

Status OutputShapesFromAttr(ShapeContext& c) {
  WEIR_ASSIGN(const std::vector<PartialShape> shapes, c.Attr<std::vector<PartialShape>>("output_shapes"));
  if (shapes.empty()) return OkStatus();
  if (static_cast<int>(shapes.size()) != c.num_outputs())
    return InvalidArgument("`output_shapes` must be the same length as num outputs ({} vs. {})", shapes.size(),
                           c.num_outputs());
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shapes[i]);
  return OkStatus();
}

// --- gradients
FuncAttr GradientFunction(const FuncAttr& function) {
  AttrMap attrs;
  attrs.emplace("f", AttrValue(function));
  return {"SymbolicGradient", std::make_shared<const AttrMap>(std::move(attrs))};
}

// The gradient of If and Case makes the same choice between the gradient functions of the branches. Their arguments are
// the branch arguments followed by the gradients of the outputs.
template <class Choose>
Result<Gradients> ChoiceGradient(GradientContext& g, Choose choose) {
  InputList args;
  std::vector<DType> types;
  for (int i = 1; i < g.num_inputs(); ++i) {
    args.push_back(g.input(i));
    types.push_back(g.input(i).base_dtype() == kResource ? kFloat : g.input(i).base_dtype());
  }
  for (int i = 0; i < g.num_outputs(); ++i) args.push_back(g.d_output(i));
  const OutputList chosen = choose(g.input(0), args, types);
  Gradients result(g.num_inputs());
  for (size_t i = 0; i < chosen.size() && i < types.size(); ++i)
    if (IsFloating(types[i]) || IsComplex(types[i])) result[i + 1] = chosen[i];
  return result;
}

template <bool stateful>
Result<Gradients> IfGrad(GradientContext& g) {
  WEIR_ASSIGN(const FuncAttr then_branch, g.Attr<FuncAttr>("then_branch"));
  WEIR_ASSIGN(const FuncAttr else_branch, g.Attr<FuncAttr>("else_branch"));
  return ChoiceGradient(g, [&](Output cond, const InputList& args, const std::vector<DType>& types) {
    const FuncAttr on = GradientFunction(then_branch);
    const FuncAttr off = GradientFunction(else_branch);
    return stateful ? If(cond, args, types, on, off) : StatelessIf(cond, args, types, on, off);
  });
}

Result<Gradients> CaseGrad(GradientContext& g) {
  WEIR_ASSIGN(std::vector<FuncAttr> branches, g.Attr<std::vector<FuncAttr>>("branches"));
  for (FuncAttr& branch : branches) branch = GradientFunction(branch);
  return ChoiceGradient(g, [&](Output index, const InputList& args, const std::vector<DType>& types) {
    return Case(index, args, types, branches);
  });
}

}  // namespace

void RegisterFunctionCall(OpRegistry& registry) {
  const std::vector<std::string> if_attrs = {"Tcond: type",           "Tin: list(type) >= 0",
                                             "Tout: list(type) >= 0", "then_branch: func",
                                             "else_branch: func",     "output_shapes: list(shape) = []"};
  const std::vector<std::string> while_attrs = {"T: list(type) >= 0", "cond: func", "body: func",
                                                "output_shapes: list(shape) = []", "parallel_iterations: int = 10"};
  const std::vector<std::string> call_attrs = {
      "Tin: list(type) >= 0", "Tout: list(type) >= 0",     "f: func",
      "config: string = ''",  "config_proto: string = ''", "executor_type: string = ''"};
  for (const bool stateful : {true, false}) {
    registry.Add({
        .name = stateful ? "If" : "StatelessIf",
        .signature = "cond: Tcond, input: Tin -> output: Tout",
        .attrs = if_attrs,
        .shape = OutputShapesFromAttr,
        .gradient = stateful ? IfGrad<true> : IfGrad<false>,
        .kernels = CpuKernel(MakeIf),
        .traits = {.may_block = true},
        .stateful = stateful,
    });
    registry.Add({
        .name = stateful ? "While" : "StatelessWhile",
        .signature = "input: T -> output: T",
        .attrs = while_attrs,
        .shape = OutputShapesFromAttr,
        .kernels = CpuKernel(MakeWhile),
        .traits = {.may_block = true},
        .stateful = stateful,
    });
    registry.Add({
        .name = stateful ? "StatefulPartitionedCall" : "PartitionedCall",
        .signature = "args: Tin -> output: Tout",
        .attrs = call_attrs,
        .shape = UnknownOutputs(),
        .kernels = CpuKernel(MakeCall<0>),
        .traits = {.may_block = true, .calls_f = true},
        .stateful = stateful,
    });
  }
  registry.Add({
      .name = "Case",
      .signature = "branch_index: int32, input: Tin -> output: Tout",
      .attrs = {"Tin: list(type) >= 0", "Tout: list(type) >= 0", "branches: list(func) >= 1",
                "output_shapes: list(shape) = []"},
      .shape = OutputShapesFromAttr,
      .gradient = CaseGrad,
      .kernels = CpuKernel(MakeCase),
      .traits = {.may_block = true},
      .stateful = true,
  });
  registry.Add({
      .name = "SymbolicGradient",
      .signature = "input: Tin -> output: Tout",
      .attrs = {"Tin: list(type) >= 1", "Tout: list(type) >= 1", "f: func"},
      .shape = [](ShapeContext& c) -> Status {
        // Each output is the gradient of an argument and has its shape. The inputs after the arguments are the
        // gradients of the function's results.
        for (int i = 0; i < c.num_outputs() && i < c.num_inputs(); ++i) c.set_output(i, c.input(i));
        return OkStatus();
      },
      .kernels = CpuKernel(MakeSymbolicGradient),
      .traits = {.calls_gradient_of_f = true},
  });
  registry.Add({
      .name = "RemoteCall",
      .signature = "target: string, args: Tin -> output: Tout",
      .attrs = {"Tin: list(type) >= 1", "Tout: list(type) >= 1", "f: func"},
      .shape = UnknownOutputs(),
      .kernels = CpuKernel(MakeCall<1>),
      .traits = {.may_block = true},
      .stateful = true,
  });
  registry.Add({
      .name = "_Arg",
      .signature = "-> output: T",
      .attrs = {"T: type", "index: int >= 0"},
      .shape = UnknownOutputs(),
      .kernels = CpuKernel(MakeFunctionBoundary),
      .traits = {.may_block = false, .function_edge = true},
      .stateful = true,
  });
  registry.Add({
      .name = "_Retval",
      .signature = "input: T ->",
      .attrs = {"T: type", "index: int >= 0"},
      .shape = NoOutputs(),
      .kernels = CpuKernel(MakeFunctionBoundary),
      .traits = {.may_block = false, .function_edge = true},
      .stateful = true,
  });
}

}  // namespace weir::ops
