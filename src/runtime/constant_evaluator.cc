// Runs the shape function first, to reject large results before they are computed.
#include "runtime/constant_evaluator.h"

#include "base/out_of_memory.h"
#include "op/kernel.h"
#include "op/shape_context.h"
#include "runtime/frames.h"
#include "runtime/kernel_cache.h"

namespace weir {
namespace {

constexpr int64_t kMaxBytes = 10 << 20;

class KnownInputs final : public ShapeContext::Constants {
 public:
  explicit KnownInputs(const std::vector<Tensor>& inputs) : inputs_(inputs) {}
  const Tensor* Value(int input) override { return &inputs_[input]; }
  PartialShape AsShape(int input) override {
    Result<PartialShape> shape = ShapeFromTensor(inputs_[input]);
    return shape.ok() ? *std::move(shape) : PartialShape();
  }

 private:
  const std::vector<Tensor>& inputs_;
};

Status CheckEvaluable(const NodeProps& node, const std::vector<Tensor>& inputs) {
  const OpDef& op = *node.op;
  if (op.stateful || op.is_function || IsFlow(op.traits.kind))
    return Unimplemented("'{}' ({}) cannot be evaluated before a run", node.name, op.name);
  if (inputs.size() != node.input_types.size())
    return InvalidArgument("'{}' ({}) needs {} inputs, got {}", node.name, op.name, node.input_types.size(),
                           inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].dtype() != node.input_types[i])
      return InvalidArgument("input {} of '{}' ({}) must be {}, got {}", i, node.name, op.name, node.input_types[i],
                             inputs[i].dtype());
  }
  for (DType t : node.output_types) {
    if (IsRef(t))
      return Unimplemented("'{}' ({}) has a reference output and cannot be evaluated before a run", node.name, op.name);
  }
  return OkStatus();
}

// An estimate: for strings it counts only the string objects, not their contents.
Status CheckSize(const NodeProps& node, const std::vector<PartialShape>& shapes) {
  int64_t bytes = 0;
  for (size_t i = 0; i < shapes.size() && i < node.output_types.size(); ++i) {
    const int64_t elements = shapes[i].num_elements();
    if (elements < 0) continue;
    const auto size = static_cast<int64_t>(ElementSize(node.output_types[i]));
    if (size > 0 && elements > (kMaxBytes - bytes) / size)
      return ResourceExhausted("the value of '{}' ({}) is too large to evaluate before a run: shape {}", node.name,
                               node.op->name, shapes[i]);
    bytes += elements * size;
  }
  return OkStatus();
}

class LocalConstantEvaluator final : public ConstantEvaluator {
 public:
  explicit LocalConstantEvaluator(Env& env) : env_(env) {}
  Result<std::vector<Tensor>> Evaluate(const NodeProps& node, const std::vector<Tensor>& inputs) override {
    WEIR_TRY(CheckEvaluable(node, inputs));
    const auto num_outputs = static_cast<int>(node.output_types.size());
    if (node.op->shape) {
      std::vector<PartialShape> shapes;
      for (const Tensor& input : inputs) shapes.emplace_back(input.shape());
      KnownInputs known(inputs);
      ShapeContext ctx(*node.attrs, std::move(shapes), node.input_types, num_outputs, &known);
      WEIR_TRY(RunShapeFn(node.op->shape, ctx));
      WEIR_TRY(CheckSize(node, ctx.outputs()));
    }

    const NodeInfo info = MakeNodeInfo(node, "/device:CPU:0");
    WEIR_ASSIGN(const KernelDef* def, FindKernel(info, "CPU"));
    KernelSetup setup(info, env_, nullptr, nullptr);
    WEIR_ASSIGN(Kernel kernel, MakeKernel(*def, setup));
    if (kernel.is_async() || kernel.blocking())
      return Unimplemented("'{}' ({}) cannot be evaluated before a run", node.name, node.op->name);

    const auto resources = std::make_shared<ResourceManager>();
    CancelToken cancel;
    StepContext step{
        .pool = &pool_, .env = &env_, .resources = resources.get(), .step_resources = resources, .cancel = &cancel};
    std::vector<EdgeValue> in(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) in[i].tensor = inputs[i];
    std::vector<EdgeValue> out(num_outputs);
    KernelContext ctx(info, step, absl::MakeSpan(in), absl::MakeSpan(out));
    try {
      WEIR_TRY(kernel.Run(ctx));
    } catch (...) {
      return WithContext(StatusFromCurrentException(node.op->name), fmt::format("'{}'", node.name));
    }
    std::vector<Tensor> values;
    std::vector<PartialShape> shapes;
    for (int i = 0; i < num_outputs; ++i) {
      if (!out[i].tensor.valid() || out[i].tensor.dtype() != node.output_types[i])
        return Internal("'{}' ({}) did not set its output {} with the right type", node.name, node.op->name, i);
      shapes.emplace_back(out[i].tensor.shape());
      values.push_back(std::move(out[i].tensor));
    }
    WEIR_TRY(CheckSize(node, shapes));
    return values;
  }

 private:
  Env& env_;
  ThreadPool pool_{"weir_constants", 1};  // with one thread, ParallelFor runs on the caller
};

}  // namespace

std::shared_ptr<ConstantEvaluator> MakeLocalConstantEvaluator(Env& env) {
  return std::make_shared<LocalConstantEvaluator>(env);
}

}  // namespace weir
