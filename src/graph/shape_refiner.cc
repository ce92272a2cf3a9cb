// Shape inference during graph construction. Runs an op's shape function on the known shapes and values of its inputs,
// and finds the values of constant inputs: Consts, shapes of fully defined tensors, and values that the evaluator
// computes from them.
#include "graph/constant_evaluator.h"
#include "graph/graph.h"
#include "op/shape_context.h"

namespace weir {
namespace {

constexpr int kNodeBudget = 64;            // nodes visited per query
constexpr int64_t kMaxElements = 1 << 10;  // larger values are data, not shapes

bool IsSmall(const PartialShape& shape) { return shape.fully_defined() && shape.num_elements() <= kMaxElements; }

Tensor ShapeTensor(const PartialShape& shape, DType dtype) {
  const Shape vector{static_cast<int64_t>(shape.rank())};
  Result<Tensor> t = Tensor::Allocate(dtype, vector);
  if (!t.ok()) return Tensor();
  for (int i = 0; i < shape.rank(); ++i) {
    if (dtype == kInt32) {
      if (shape[i] > INT32_MAX) return Tensor();
      t->data<int32_t>()[i] = static_cast<int32_t>(shape[i]);
    } else {
      t->data<int64_t>()[i] = shape[i];
    }
  }
  return *std::move(t);
}

Tensor IntScalar(int64_t value, DType dtype) {
  return dtype == kInt32 ? Tensor::Scalar(static_cast<int32_t>(value)) : Tensor::Scalar(value);
}

// The variable that a handle originates from, through nodes that only forward it.
HandleInfo VariableBehind(Output handle) {
  for (int budget = kNodeBudget; handle.valid() && budget > 0; --budget) {
    const Node& node = *handle.node;
    const std::string& type = node.type();
    if (type == "VarHandleOp") {
      return {node.Attr<DType>("dtype").value_or(kInvalidType),
              node.Attr<PartialShape>("shape").value_or(PartialShape())};
    }
    if (type != "Identity" && type != "Enter" && type != "Switch") break;
    handle = node.input(0);
  }
  return {};
}

}  // namespace

class GraphConstants final : public ShapeContext::Constants {
 public:
  GraphConstants(Graph& graph, const std::vector<Output>& inputs)
      : graph_(graph), inputs_(inputs), values_(inputs.size()) {}
  const Tensor* Value(int input) override {
    if (!values_[input].valid()) values_[input] = graph_.ConstantValue(inputs_[input]);
    return values_[input].valid() ? &values_[input] : nullptr;
  }
  PartialShape AsShape(int input) override { return graph_.ConstantShape(inputs_[input]); }
  HandleInfo Handle(int input) override { return VariableBehind(inputs_[input]); }

 private:
  Graph& graph_;
  const std::vector<Output>& inputs_;
  std::vector<Tensor> values_;
};

Result<std::vector<PartialShape>> Graph::InferShapes(const NodeProps& props, const std::vector<Output>& inputs) {
  std::lock_guard<std::recursive_mutex> lock(mu_);
  return InferShapesLocked(props, inputs);
}

Result<std::vector<PartialShape>> Graph::InferShapesLocked(const NodeProps& props, const std::vector<Output>& inputs) {
  if (!props.op->shape) return std::vector<PartialShape>(props.output_types.size());
  std::vector<PartialShape> shapes;
  shapes.reserve(inputs.size());
  for (const Output& input : inputs)
    shapes.push_back(input.valid() ? input.node->output_shapes_[input.index] : PartialShape());
  GraphConstants constants(*this, inputs);
  ShapeContext context(*props.attrs, shapes, props.input_types, static_cast<int>(props.output_types.size()),
                       &constants);
  if (Status status = RunShapeFn(props.op->shape, context); !status.ok()) {
    std::string text;
    for (const PartialShape& shape : shapes) text += (text.empty() ? "" : ", ") + shape.ToString();
    Status named =
        MakeStatus(status.code(), fmt::format("{} for '{}' (op: '{}') with input shapes: {}.",
                                              std::string(status.message()), props.name, props.op->name, text));
    status.ForEachPayload([&](absl::string_view url, const absl::Cord& payload) { named.SetPayload(url, payload); });
    return named;
  }
  return std::move(context.outputs());
}

Tensor Graph::ConstantValue(Output output) {
  std::lock_guard<std::recursive_mutex> lock(mu_);
  int budget = kNodeBudget;
  return ConstantValueLocked(output, &budget);
}

Tensor Graph::ConstantValueLocked(Output output, int* budget) {
  if (!output.valid() || --*budget < 0) return Tensor();
  Node& node = *output.node;
  const std::string& type = node.type();
  if (type == "Const") {
    const AttrValue* value = node.FindAttr("value");
    const auto* packed = value == nullptr ? nullptr : value->As<AttrValue::PackedTensorPtr>();
    if (packed != nullptr && (*packed)->shape().num_elements() > kMaxElements) return Tensor();
    const Result<const Tensor*> tensor = GetTensor(*node.props_->attrs, "value");
    return tensor.ok() ? **tensor : Tensor();
  }
  if (auto it = known_values_.find(output); it != known_values_.end()) return it->second;
  const DType dtype = node.output_type(output.index);
  if (type == "Shape" || type == "Rank" || type == "Size") {
    const PartialShape& shape = node.input(0).node->output_shapes_[node.input(0).index];
    if (type == "Rank") return shape.known_rank() ? Tensor::Scalar(static_cast<int32_t>(shape.rank())) : Tensor();
    if (!shape.fully_defined()) return Tensor();
    return type == "Shape" ? ShapeTensor(shape, dtype) : IntScalar(shape.num_elements(), dtype);
  }
  if (type == "VariableShape") {
    const PartialShape shape = VariableBehind(node.input(0)).shape;
    return shape.fully_defined() ? ShapeTensor(shape, dtype) : Tensor();
  }
  if (type == "ShapeN") {
    const PartialShape& shape = node.input(output.index).node->output_shapes_[node.input(output.index).index];
    return shape.fully_defined() ? ShapeTensor(shape, dtype) : Tensor();
  }
  const bool computable = evaluator_ != nullptr && !node.op().stateful && !IsRef(dtype) && node.num_inputs() > 0 &&
                          !node.op().is_function && !IsFlow(node.op().traits.kind) && !node.op().traits.placeholder &&
                          IsSmall(node.output_shapes_[output.index]);
  if (!computable) return Tensor();
  std::vector<Tensor> inputs;
  for (const Output& input : node.inputs()) {
    Tensor value = ConstantValueLocked(input, budget);
    if (!value.valid() || value.num_elements() > kMaxElements) return Tensor();
    inputs.push_back(std::move(value));
  }
  Result<std::vector<Tensor>> values = evaluator_->Evaluate(*node.props_, inputs);
  if (!values.ok() || static_cast<int>(values->size()) != node.num_outputs()) return Tensor();
  for (int i = 0; i < node.num_outputs(); ++i)
    if ((*values)[i].valid()) known_values_.emplace(Output(&node, i), (*values)[i]);
  return (*values)[output.index];
}

PartialShape Graph::ConstantShape(Output output) {
  std::lock_guard<std::recursive_mutex> lock(mu_);
  int budget = kNodeBudget;
  return ConstantShapeLocked(output, &budget);
}

PartialShape Graph::ConstantShapeLocked(Output output, int* budget) {
  if (!output.valid() || --*budget < 0) return PartialShape();
  Node& node = *output.node;
  const std::string& type = node.type();
  const PartialShape& own = node.output_shapes_[output.index];
  const auto unknown = [&own]() -> PartialShape {  // the length of the shape vector is the rank
    return own.rank() == 1 && own[0] >= 0 && own[0] <= kMaxRank ? PartialShape::OfRank(static_cast<int>(own[0]))
                                                                : PartialShape();
  };
  Tensor value = ConstantValueLocked(output, budget);
  if (value.valid()) {
    if ((value.dtype() != kInt32 && value.dtype() != kInt64) || value.rank() > 1) return PartialShape();
    if (value.rank() == 0) return PartialShape();  // a scalar -1 means an unknown shape
    DimVector dims;
    for (int64_t d : value.Ints()) dims.push_back(d < 0 ? kUnknownDim : d);
    Result<PartialShape> shape = PartialShape::Make(dims);
    return shape.ok() ? *shape : PartialShape();
  }
  const auto scalar_dim = [&](Output o) -> int64_t {
    Tensor v = ConstantValueLocked(o, budget);
    if (!v.valid() || v.num_elements() != 1 || (v.dtype() != kInt32 && v.dtype() != kInt64)) return kUnknownDim;
    return v.Int(0) < 0 ? kUnknownDim : v.Int(0);
  };
  if (type == "Shape") return node.input(0).node->output_shapes_[node.input(0).index];
  if (type == "ShapeN") return node.input(output.index).node->output_shapes_[node.input(output.index).index];
  if (type == "Cast" || type == "Identity") return ConstantShapeLocked(node.input(0), budget);
  if (type == "Pack" && own.rank() == 1) {
    DimVector dims;
    for (const Output& input : node.inputs()) {
      int64_t dim = scalar_dim(input);
      // shape(x)[i] of a partly known shape: the usual way to build [batch, -1].
      if (dim < 0 && input.node->type() == "StridedSlice") {
        const PartialShape of = ConstantShapeLocked(input.node->input(0), budget);
        const int64_t begin = scalar_dim(input.node->input(1));
        if (of.known_rank() && begin >= 0 && begin < of.rank()) dim = of[static_cast<int>(begin)];
      }
      dims.push_back(dim);
    }
    Result<PartialShape> shape = PartialShape::Make(dims);
    return shape.ok() ? *shape : unknown();
  }
  if ((type == "ConcatV2" || type == "Concat") && own.rank() == 1) {
    const int n = node.num_inputs() - 1;
    const int first = type == "Concat" ? 1 : 0;
    PartialShape joined = PartialShape::Scalar();
    for (int i = first; i < first + n; ++i) {
      const PartialShape part = ConstantShapeLocked(node.input(i), budget);
      if (!part.known_rank()) return unknown();
      if (joined.rank() + part.rank() > kMaxRank) return PartialShape();
      joined = joined.Concat(part);
    }
    return joined;
  }
  if (type == "StridedSlice" && own.rank() == 1) {
    const PartialShape of = ConstantShapeLocked(node.input(0), budget);
    const Tensor begin = ConstantValueLocked(node.input(1), budget);
    const Tensor end = ConstantValueLocked(node.input(2), budget);
    const Tensor stride = ConstantValueLocked(node.input(3), budget);
    if (!of.known_rank() || !begin.valid() || !end.valid() || !stride.valid() || begin.num_elements() != 1 ||
        end.num_elements() != 1 || stride.num_elements() != 1 || stride.Int(0) != 1)
      return unknown();
    const auto mask = [&](const char* name) { return (node.Attr<int64_t>(name).value_or(0) & 1) != 0; };
    if (mask("ellipsis_mask") || mask("new_axis_mask") || mask("shrink_axis_mask")) return unknown();
    const int64_t rank = of.rank();
    int64_t b = mask("begin_mask") ? 0 : begin.Int(0);
    int64_t e = mask("end_mask") ? rank : end.Int(0);
    if (b < 0) b += rank;
    if (e < 0) e += rank;
    b = std::min(std::max<int64_t>(b, 0), rank);
    e = std::min(std::max<int64_t>(e, b), rank);
    Result<PartialShape> part = of.Sub(static_cast<int>(b), static_cast<int>(e));
    return part.ok() ? *part : unknown();
  }
  return unknown();
}

}  // namespace weir
