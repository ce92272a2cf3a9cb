#include "graph/shape_refiner.h"

#include "graph/constant_evaluator.h"
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
HandleInfo VariableOfHandle(Output handle) {
  for (int budget = kNodeBudget; handle.valid() && budget > 0; --budget) {
    const Node& node = *handle.node;
    if (node.op().traits.state == StateRole::kVariableHandle) {
      return {node.Attr<DType>("dtype").value_or(kInvalidType),
              node.Attr<PartialShape>("shape").value_or(PartialShape())};
    }
    if (node.op().output_memory() != OutputMemory::kForwardsFirst || node.op().traits.placeholder) break;
    handle = node.input(0);
  }
  return {};
}

class GraphConstants final : public ShapeContext::Constants {
 public:
  GraphConstants(ShapeRefiner& refiner, const std::vector<Output>& inputs)
      : refiner_(refiner), inputs_(inputs), values_(inputs.size()) {}
  const Tensor* Value(int input) override {
    if (!values_[input].valid()) values_[input] = refiner_.ConstantValue(inputs_[input]);
    return values_[input].valid() ? &values_[input] : nullptr;
  }
  PartialShape AsShape(int input) override { return refiner_.ConstantShape(inputs_[input]); }
  HandleInfo Handle(int input) override { return VariableOfHandle(inputs_[input]); }

 private:
  ShapeRefiner& refiner_;
  const std::vector<Output>& inputs_;
  std::vector<Tensor> values_;
};

}  // namespace

Result<std::vector<PartialShape>> ShapeRefiner::InferShapes(const NodeProps& props, const std::vector<Output>& inputs) {
  if (!props.op->shape) return std::vector<PartialShape>(props.output_types.size());
  std::vector<PartialShape> shapes;
  shapes.reserve(inputs.size());
  for (const Output& input : inputs) shapes.push_back(input.valid() ? KnownShape(input) : PartialShape());
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

Tensor ShapeRefiner::ConstantValue(Output output) {
  int budget = kNodeBudget;
  return Value(output, &budget);
}

PartialShape ShapeRefiner::ConstantShape(Output output) {
  int budget = kNodeBudget;
  return ShapeOfVector(output, &budget);
}

void ShapeRefiner::Forget(Node* node) {
  for (int i = 0; i < node->num_outputs(); ++i) known_values_.erase(Output(node, i));
}

Tensor ShapeRefiner::Value(Output output, int* budget) {
  if (!output.valid() || --*budget < 0) return Tensor();
  const Node& node = *output.node;
  if (node.op().traits.kind == NodeKind::kConst) {
    const AttrValue* value = node.FindAttr("value");
    const auto* packed = value == nullptr ? nullptr : value->As<AttrValue::PackedTensorPtr>();
    if (packed != nullptr && (*packed)->shape().num_elements() > kMaxElements) return Tensor();
    const Result<const Tensor*> tensor = GetTensor(node.attrs(), "value");
    return tensor.ok() ? **tensor : Tensor();
  }
  if (auto it = known_values_.find(output); it != known_values_.end()) return it->second;
  const DType dtype = node.output_type(output.index);
  switch (node.op().traits.shape_value) {
    case ShapeValue::kShape: {
      const PartialShape& shape = KnownShape(node.input(output.index));
      return shape.fully_defined() ? ShapeTensor(shape, dtype) : Tensor();
    }
    case ShapeValue::kVariableShape: {
      const PartialShape shape = VariableOfHandle(node.input(0)).shape;
      return shape.fully_defined() ? ShapeTensor(shape, dtype) : Tensor();
    }
    case ShapeValue::kRank: {
      const PartialShape& shape = KnownShape(node.input(0));
      return shape.known_rank() ? IntScalar(shape.rank(), dtype) : Tensor();
    }
    case ShapeValue::kSize: {
      const PartialShape& shape = KnownShape(node.input(0));
      return shape.fully_defined() ? IntScalar(shape.num_elements(), dtype) : Tensor();
    }
    default:
      return ComputedValue(output, budget);
  }
}

// The value that the evaluator computes from constant inputs.
Tensor ShapeRefiner::ComputedValue(Output output, int* budget) {
  Node& node = *output.node;
  const bool computable = evaluator_ != nullptr && !node.op().stateful && !IsRef(node.output_type(output.index)) &&
                          node.num_inputs() > 0 && !node.op().is_function && !IsFlow(node.op().traits.kind) &&
                          !node.op().traits.placeholder && IsSmall(KnownShape(output));
  if (!computable) return Tensor();
  std::vector<Tensor> inputs;
  for (const Output& input : node.inputs()) {
    Tensor value = Value(input, budget);
    if (!value.valid() || value.num_elements() > kMaxElements) return Tensor();
    inputs.push_back(std::move(value));
  }
  Result<std::vector<Tensor>> values = evaluator_->Evaluate(*node.props_, inputs);
  if (!values.ok() || static_cast<int>(values->size()) != node.num_outputs()) return Tensor();
  for (int i = 0; i < node.num_outputs(); ++i)
    if ((*values)[i].valid()) known_values_.emplace(Output(&node, i), (*values)[i]);
  return (*values)[output.index];
}

PartialShape ShapeRefiner::ShapeOfVector(Output output, int* budget) {
  if (!output.valid() || --*budget < 0) return PartialShape();
  const Tensor value = Value(output, budget);
  if (value.valid()) {
    if ((value.dtype() != kInt32 && value.dtype() != kInt64) || value.rank() > 1) return PartialShape();
    if (value.rank() == 0) return PartialShape();  // a scalar -1 means an unknown shape
    DimVector dims;
    for (int64_t d : value.Ints()) dims.push_back(d < 0 ? kUnknownDim : d);
    return PartialShape::Make(dims).value_or(PartialShape());
  }
  if (Result<PartialShape> shape = ComposedShape(*output.node, output.index, budget); shape.ok()) return *shape;
  const PartialShape& own = KnownShape(output);  // the length of the shape vector is the rank
  return own.rank() == 1 && own[0] >= 0 && own[0] <= kMaxRank ? PartialShape::OfRank(static_cast<int>(own[0]))
                                                              : PartialShape();
}

Result<PartialShape> ShapeRefiner::ComposedShape(const Node& node, int index, int* budget) {
  const ShapeValue kind = node.op().traits.shape_value;
  if (kind == ShapeValue::kShape) return KnownShape(node.input(index));
  if (kind == ShapeValue::kSame) return ShapeOfVector(node.input(0), budget);
  if (node.num_outputs() == 1 && node.output_shapes_[0].rank() == 1) {
    if (kind == ShapeValue::kPack) return PackedShape(node, budget);
    if (kind == ShapeValue::kConcat) return ConcatenatedShape(node, budget);
    if (kind == ShapeValue::kSlice) return SlicedShape(node, budget);
  }
  return NotFound("the shape is unknown");
}

Result<PartialShape> ShapeRefiner::PackedShape(const Node& node, int* budget) {
  DimVector dims;
  for (const Output& input : node.inputs()) {
    int64_t dim = ScalarDim(input, budget);
    // shape(x)[i] of a partly known shape: the usual way to build [batch, -1].
    if (dim < 0 && input.node->op().traits.shape_value == ShapeValue::kSlice) {
      const PartialShape of = ShapeOfVector(input.node->input(0), budget);
      const int64_t begin = ScalarDim(input.node->input(1), budget);
      if (of.known_rank() && begin >= 0 && begin < of.rank()) dim = of[static_cast<int>(begin)];
    }
    dims.push_back(dim);
  }
  return PartialShape::Make(dims);
}

Result<PartialShape> ShapeRefiner::ConcatenatedShape(const Node& node, int* budget) {
  const bool axis_is_first = node.op().inputs[0].number_attr.empty();
  const int first = axis_is_first ? 1 : 0;
  PartialShape joined = PartialShape::Scalar();
  for (int i = first; i < first + node.num_inputs() - 1; ++i) {
    const PartialShape part = ShapeOfVector(node.input(i), budget);
    if (!part.known_rank()) return NotFound("the shape of part {} is unknown", i);
    if (joined.rank() + part.rank() > kMaxRank) return PartialShape();
    joined = joined.Concat(part);
  }
  return joined;
}

Result<PartialShape> ShapeRefiner::SlicedShape(const Node& node, int* budget) {
  const PartialShape of = ShapeOfVector(node.input(0), budget);
  const Tensor begin = Value(node.input(1), budget);
  const Tensor end = Value(node.input(2), budget);
  const Tensor stride = Value(node.input(3), budget);
  const auto mask = [&](const char* name) { return (node.Attr<int64_t>(name).value_or(0) & 1) != 0; };
  if (!of.known_rank() || !begin.valid() || !end.valid() || !stride.valid() || begin.num_elements() != 1 ||
      end.num_elements() != 1 || stride.num_elements() != 1 || stride.Int(0) != 1 || mask("ellipsis_mask") ||
      mask("new_axis_mask") || mask("shrink_axis_mask"))
    return NotFound("the slice is not a known range of dimensions");
  const int64_t rank = of.rank();
  int64_t b = mask("begin_mask") ? 0 : begin.Int(0);
  int64_t e = mask("end_mask") ? rank : end.Int(0);
  if (b < 0) b += rank;
  if (e < 0) e += rank;
  b = std::min(std::max<int64_t>(b, 0), rank);
  e = std::min(std::max<int64_t>(e, b), rank);
  return of.Sub(static_cast<int>(b), static_cast<int>(e));
}

// A scalar as a dimension: kUnknownDim if it is negative or not known.
int64_t ShapeRefiner::ScalarDim(Output output, int* budget) {
  const Tensor value = Value(output, budget);
  if (!value.valid() || value.num_elements() != 1 || (value.dtype() != kInt32 && value.dtype() != kInt64))
    return kUnknownDim;
  return value.Int(0) < 0 ? kUnknownDim : value.Int(0);
}

}  // namespace weir
