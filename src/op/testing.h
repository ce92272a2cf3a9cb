// Helpers for unit tests of ops, without a graph or a session:
//   EXPECT_EQ(ShapeTest(registry, "MatMul", "[2,?];[?,3]"), "[2,3]");
//   EXPECT_EQ(CheckShapes(registry, "BiasAdd", "[2,?];[3]", "[d0_0,3]"), "");
//   WEIR_ASSIGN(auto out, RunKernel(registry, "Add", {Tensor::Scalar(1.f), Tensor::Scalar(2.f)}));
// Attributes that follow from the inputs (T, N, type lists) may be omitted. A type that nothing determines is float.
#ifndef WEIR_OP_TESTING_H_
#define WEIR_OP_TESTING_H_

#include <algorithm>
#include <future>
#include <map>

#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir {

// Constant input values for shape functions.
class KnownInputs final : public ShapeContext::Constants {
 public:
  explicit KnownInputs(std::map<int, Tensor> values) : values_(std::move(values)) {}
  const Tensor* Value(int input) override {
    auto it = values_.find(input);
    return it == values_.end() ? nullptr : &it->second;
  }
  PartialShape AsShape(int input) override {
    const Tensor* value = Value(input);
    if (value == nullptr) return PartialShape();
    return ShapeFromTensor(*value).value_or(PartialShape());
  }

 private:
  std::map<int, Tensor> values_;
};

// Adds to `attrs` the types and list lengths that follow from the input types (kInvalidType: unknown).
inline Status InferTestAttrs(const OpDef& op, const std::vector<DType>& types, AttrMap* attrs) {
  size_t next = 0;
  auto take = [&](DType fallback) {
    const DType type = next < types.size() ? BaseType(types[next]) : kInvalidType;
    ++next;
    return type == kInvalidType ? fallback : type;
  };
  for (size_t a = 0; a < op.inputs.size(); ++a) {
    const ArgDef& arg = op.inputs[a];
    const std::string& list_attr = arg.number_attr.empty() ? arg.type_list_attr : arg.number_attr;
    if (arg.is_list() && attrs->count(list_attr) == 0) {
      // The list gets all inputs that the other arguments do not use. Lists with the same number_attr share them.
      int64_t left = static_cast<int64_t>(types.size()) - static_cast<int64_t>(next);
      int64_t sharing = 0;
      for (size_t b = a; b < op.inputs.size(); ++b) {
        const ArgDef& other = op.inputs[b];
        if (!arg.number_attr.empty() && other.number_attr == arg.number_attr) {
          ++sharing;
        } else if (b != a) {
          Result<int> count = ArgCount(other, *attrs);
          if (!count.ok()) return InvalidArgument("give the attribute that says how long '{}' is", other.name);
          left -= *count;
        }
      }
      const int64_t count = std::max<int64_t>(0, left) / std::max<int64_t>(1, sharing);
      if (!arg.number_attr.empty()) {
        attrs->emplace(arg.number_attr, AttrValue(count));
      } else {
        std::vector<DType> list;
        for (int64_t i = 0; i < count; ++i) list.push_back(take(kFloat));
        attrs->emplace(arg.type_list_attr, AttrValue(std::move(list)));
        continue;
      }
    }
    WEIR_ASSIGN(const int count, ArgCount(arg, *attrs));
    for (int i = 0; i < count; ++i) {
      const DType type = take(kInvalidType);
      if (!arg.type_attr.empty() && type != kInvalidType) attrs->emplace(arg.type_attr, AttrValue(type));
    }
  }
  for (const AttrDef& def : op.attrs) {
    if (def.type != "type" || def.default_value || attrs->count(def.name) != 0) continue;
    const auto& allowed = def.allowed_types;
    const bool floats = allowed.empty() || std::find(allowed.begin(), allowed.end(), kFloat) != allowed.end();
    attrs->emplace(def.name, AttrValue(floats ? kFloat : allowed[0]));
  }
  return CheckAndCompleteAttrs(op, attrs);
}

// The output shapes from the op's shape function. Unknown shapes if the op has none.
inline Result<std::vector<PartialShape>> InferShapes(const OpDef& op, std::vector<PartialShape> inputs,
                                                     const AttrMap& attrs, std::map<int, Tensor> constants) {
  WEIR_ASSIGN(std::vector<DType> in_types, ArgTypes(op.inputs, attrs));
  WEIR_ASSIGN(const std::vector<DType> out_types, ArgTypes(op.outputs, attrs));
  if (in_types.size() != inputs.size()) {
    return InvalidArgument("op '{}' takes {} inputs, {} given", op.name, in_types.size(), inputs.size());
  }
  KnownInputs known(std::move(constants));
  ShapeContext context(attrs, std::move(inputs), std::move(in_types), static_cast<int>(out_types.size()), &known);
  if (op.shape) WEIR_TRY(RunShapeFn(op.shape, context));
  if (context.outputs().size() != out_types.size()) {
    return Internal("op '{}': the shape function gave {} shapes for {} outputs", op.name, context.outputs().size(),
                    out_types.size());
  }
  return std::move(context.outputs());
}

namespace testing_internal {
struct ShapeOutcome {
  std::vector<PartialShape> inputs;
  Result<std::vector<PartialShape>> outputs;
};
inline ShapeOutcome InferFromText(const OpRegistry& registry, std::string_view op_name, std::string_view inputs,
                                  AttrMap attrs, std::map<int, Tensor> constants) {
  const OpDef* op = registry.Find(op_name);
  if (op == nullptr) return {{}, NotFound("there is no op '{}'", op_name)};
  Result<std::vector<PartialShape>> shapes = ParseShapes(inputs);
  if (!shapes.ok()) return {{}, shapes.status()};
  std::vector<DType> types(shapes->size(), kInvalidType);
  for (const auto& [i, value] : constants) {
    if (i >= 0 && i < static_cast<int>(types.size())) types[i] = value.dtype();
  }
  if (Status status = InferTestAttrs(*op, types, &attrs); !status.ok()) return {*shapes, status};
  return {*shapes, InferShapes(*op, *shapes, attrs, std::move(constants))};
}
}  // namespace testing_internal

// The output shapes as text, "[2,3];?", or "error: <message>".
inline std::string ShapeTest(const OpRegistry& registry, std::string_view op, std::string_view inputs,
                             AttrMap attrs = {}, std::map<int, Tensor> constants = {}) {
  auto outcome = testing_internal::InferFromText(registry, op, inputs, std::move(attrs), std::move(constants));
  if (!outcome.outputs.ok()) return fmt::format("error: {}", std::string(outcome.outputs.status().message()));
  return ShapesToText(*outcome.outputs);
}

// Empty if the output shapes equal `expected` ("in0" and "d0_1" refer to the inputs), else a description of the
// difference.
inline std::string CheckShapes(const OpRegistry& registry, std::string_view op, std::string_view inputs,
                               std::string_view expected, AttrMap attrs = {}, std::map<int, Tensor> constants = {}) {
  auto outcome = testing_internal::InferFromText(registry, op, inputs, std::move(attrs), std::move(constants));
  if (!outcome.outputs.ok())
    return fmt::format("{}({}): {}", op, inputs, std::string(outcome.outputs.status().message()));
  Result<std::vector<PartialShape>> wanted = ParseShapes(expected, outcome.inputs);
  if (!wanted.ok()) return fmt::format("'{}': {}", expected, std::string(wanted.status().message()));
  if (*wanted == *outcome.outputs) return "";
  return fmt::format("{}({}) gives {}, not {}", op, inputs, ShapesToText(*outcome.outputs), ShapesToText(*wanted));
}

// Runs single CPU kernels. State in its ResourceManagers persists between runs.
class KernelTester final {
 public:
  // num_threads == 0: everything runs on the calling thread.
  explicit KernelTester(const OpRegistry& registry, int num_threads = 2) : registry_(registry) {
    if (num_threads > 0) pool_ = std::make_unique<ThreadPool>("test", num_threads);
    step_.step_id = 1;
    step_.pool = pool_.get();
    step_.blocking_pool = &blocking_pool_;
    step_.env = &RealEnv();
    step_.resources = &resources_;
    step_.step_resources = step_resources_;
    step_.cancel = &cancel_;
    step_.session_handle = &session_handle_;
  }
  StepContext& step() { return step_; }
  // Sets the Env of later runs.
  void set_env(Env& env) { step_.env = &env; }
  ResourceManager& resources() { return resources_; }
  CancelToken& cancel() { return cancel_; }
  // Sets the node name of later runs. Variables and resources are often named after their nodes.
  void set_node_name(std::string name) { node_name_ = std::move(name); }

  // A value for a reference input: a variable, uninitialized if `value` is an invalid tensor.
  static EdgeValue Variable(DType dtype, Tensor value = {}) {
    EdgeValue edge;
    edge.ref = MakeIntrusive<VariableState>(dtype);
    if (value.valid()) edge.ref->Write(value);
    edge.tensor = std::move(value);
    return edge;
  }
  static EdgeValue Value(Tensor value) {
    EdgeValue edge;
    edge.tensor = std::move(value);
    return edge;
  }

  // Wraps tensors for reference inputs in variables. Returns reference outputs as their values.
  Result<std::vector<Tensor>> Run(std::string_view op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    std::vector<EdgeValue> edges;
    for (Tensor& input : inputs) edges.push_back(Value(std::move(input)));
    inputs.clear();
    WEIR_ASSIGN(std::vector<EdgeValue> outputs, RunEdges(op, std::move(edges), std::move(attrs)));
    std::vector<Tensor> tensors;
    for (EdgeValue& output : outputs)
      tensors.push_back(output.is_ref() ? output.ref->Read() : std::move(output.tensor));
    return tensors;
  }

  // Checks the outputs against the types of the schema and against the shape function.
  Result<std::vector<EdgeValue>> RunEdges(std::string_view op_name, std::vector<EdgeValue> inputs, AttrMap attrs = {}) {
    const OpDef* op = registry_.Find(op_name);
    if (op == nullptr) return NotFound("there is no op '{}'", op_name);
    std::vector<DType> given;
    for (const EdgeValue& in : inputs) given.push_back(in.is_ref() ? in.ref->dtype() : in.tensor.dtype());
    WEIR_TRY(InferTestAttrs(*op, given, &attrs));
    NodeInfo node;
    node.name = node_name_.empty() ? std::string(op_name) : node_name_;
    node.op = op;
    node.device = "/job:localhost/replica:0/task:0/device:CPU:0";
    WEIR_ASSIGN(node.input_types, ArgTypes(op->inputs, attrs));
    WEIR_ASSIGN(node.output_types, ArgTypes(op->outputs, attrs));
    node.attrs = std::make_shared<const AttrMap>(attrs);
    WEIR_TRY(PrepareInputs(node, inputs));
    WEIR_ASSIGN(const std::vector<PartialShape> expected, ExpectedShapes(*op, attrs, inputs));

    WEIR_ASSIGN(const KernelDef* def, FindKernel(node, "CPU"));
    KernelSetup setup(node, *step_.env, &resources_, step_.functions);
    WEIR_ASSIGN(const Kernel kernel, MakeKernel(*def, setup));
    std::vector<EdgeValue> outputs(node.output_types.size());
    KernelContext context(node, step_, absl::MakeSpan(inputs), absl::MakeSpan(outputs));
    if (kernel.is_async()) {
      std::promise<Status> finished;
      kernel.RunAsync(context, [&](Status status) { finished.set_value(std::move(status)); });
      WEIR_TRY(finished.get_future().get());
      WEIR_TRY(context.access_error());
    } else {
      WEIR_TRY(kernel.Run(context));
    }
    WEIR_TRY(CheckOutputs(node, context, outputs, expected));
    return outputs;
  }

 private:
  static Status PrepareInputs(const NodeInfo& node, std::vector<EdgeValue>& inputs) {
    if (inputs.size() != node.input_types.size()) {
      return InvalidArgument("op '{}' takes {} inputs, {} given", node.op->name, node.input_types.size(),
                             inputs.size());
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      EdgeValue& in = inputs[i];
      const DType wanted = node.input_types[i];
      if (IsRef(wanted) && !in.is_ref()) in = Variable(BaseType(wanted), in.tensor);
      if (in.is_ref()) in.tensor = in.ref->Read();
      const DType type = in.is_ref() ? in.ref->dtype() : in.tensor.dtype();
      if (type != BaseType(wanted)) {
        return InvalidArgument("op '{}': input {} must be {}, but is {}", node.op->name, i, wanted, type);
      }
      if (!in.tensor.valid() && !node.op->allows_uninitialized_input) {
        return FailedPrecondition("Attempting to use uninitialized value {}", node.name);
      }
    }
    return OkStatus();
  }
  static Result<std::vector<PartialShape>> ExpectedShapes(const OpDef& op, const AttrMap& attrs,
                                                          const std::vector<EdgeValue>& inputs) {
    std::vector<PartialShape> shapes;
    std::map<int, Tensor> constants;
    for (const EdgeValue& in : inputs) {
      if (in.tensor.valid()) constants.emplace(static_cast<int>(shapes.size()), in.tensor);
      shapes.push_back(in.tensor.valid() ? PartialShape(in.tensor.shape()) : PartialShape());
    }
    return InferShapes(op, std::move(shapes), attrs, std::move(constants));
  }
  static Status CheckOutputs(const NodeInfo& node, const KernelContext& context, const std::vector<EdgeValue>& outputs,
                             const std::vector<PartialShape>& expected) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (context.is_dead(static_cast<int>(i))) continue;
      const Tensor value = outputs[i].is_ref() ? outputs[i].ref->Read() : outputs[i].tensor;
      if (IsRef(node.output_types[i]) && !value.valid()) continue;  // a variable may be uninitialized
      if (!value.valid()) return Internal("op '{}': the kernel did not set output {}", node.op->name, i);
      if (value.dtype() != BaseType(node.output_types[i])) {
        return Internal("op '{}': output {} must be {}, but is {}", node.op->name, i, node.output_types[i],
                        value.dtype());
      }
      if (!expected[i].CompatibleWith(value.shape())) {
        return Internal("op '{}': the shape function says {} for output {}, the kernel gave {}", node.op->name,
                        expected[i], i, value.shape());
      }
    }
    return OkStatus();
  }

  const OpRegistry& registry_;
  std::string node_name_;
  std::string session_handle_ = "test";
  ResourceManager resources_;
  const std::shared_ptr<ResourceManager> step_resources_ = std::make_shared<ResourceManager>();
  CancelToken cancel_;
  StepContext step_;
  std::unique_ptr<ThreadPool> pool_;
  ElasticPool blocking_pool_{"test_blocking"};
};

// Runs one kernel once, without keeping state.
inline Result<std::vector<Tensor>> RunKernel(const OpRegistry& registry, std::string_view op,
                                             std::vector<Tensor> inputs, AttrMap attrs = {}) {
  return KernelTester(registry).Run(op, std::move(inputs), std::move(attrs));
}

}  // namespace weir

#endif  // WEIR_OP_TESTING_H_
