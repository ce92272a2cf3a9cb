// Literals: C++ values that become Const nodes.
#include "graph/input.h"

#include <cmath>

#include "graph/node_builder.h"
#include "tensor/tensor.h"

namespace weir {
namespace {

// The values as a tensor of type `dtype`. A TypeError if a value does not convert, e.g. a fraction to an integer type.
template <class V>
Result<Tensor> NumbersAs(DType dtype, const Shape& shape, const std::vector<V>& values) {
  WEIR_ASSIGN(Tensor t, Tensor::Allocate(dtype, shape));
  const bool fractional = std::is_floating_point_v<V>;
  if (fractional && !IsFloating(dtype) && !IsComplex(dtype))
    return MarkTypeError(InvalidArgument("a floating-point number cannot be converted to {}", dtype));
  if (std::is_same_v<V, bool> != (dtype == kBool))
    return MarkTypeError(
        InvalidArgument("a {} cannot be converted to {}", std::is_same_v<V, bool> ? "bool" : "number", dtype));
  for (size_t i = 0; i < values.size(); ++i) {
    const V v = values[i];
    switch (dtype) {
      case kFloat:
        t.data<float>()[i] = static_cast<float>(v);
        break;
      case kDouble:
        t.data<double>()[i] = static_cast<double>(v);
        break;
      case kHalf:
        t.data<half>()[i] = half(static_cast<float>(v));
        break;
      case kBFloat16:
        t.data<bfloat16>()[i] = bfloat16(static_cast<float>(v));
        break;
      case kComplex64:
        t.data<std::complex<float>>()[i] = static_cast<float>(v);
        break;
      case kComplex128:
        t.data<std::complex<double>>()[i] = static_cast<double>(v);
        break;
      case kBool:
        t.data<bool>()[i] = static_cast<bool>(v);
        break;
#define WEIR_INTEGER_CASE(k, T)                                                                           \
  case k: {                                                                                               \
    const T narrow = static_cast<T>(v);                                                                   \
    if (static_cast<int64_t>(narrow) != static_cast<int64_t>(v))                                          \
      return MarkTypeError(InvalidArgument("{} is out of range for {}", static_cast<int64_t>(v), dtype)); \
    t.data<T>()[i] = narrow;                                                                              \
    break;                                                                                                \
  }
        WEIR_INTEGER_CASE(kInt8, int8_t)
        WEIR_INTEGER_CASE(kInt16, int16_t)
        WEIR_INTEGER_CASE(kInt32, int32_t)
        WEIR_INTEGER_CASE(kInt64, int64_t)
        WEIR_INTEGER_CASE(kUint8, uint8_t)
        WEIR_INTEGER_CASE(kUint16, uint16_t)
        WEIR_INTEGER_CASE(kUint32, uint32_t)
        WEIR_INTEGER_CASE(kUint64, uint64_t)
#undef WEIR_INTEGER_CASE
      default:
        return MarkTypeError(InvalidArgument("a number cannot be converted to {}", dtype));
    }
  }
  return t;
}

template <class V>
class NumberLiteral final : public Literal {
 public:
  NumberLiteral(Shape shape, std::vector<V> values) : shape_(std::move(shape)), values_(std::move(values)) {}
  Result<Output> ToOutput(Graph& graph, DType wanted, const std::string& name) const override {
    WEIR_ASSIGN(Tensor value, As(wanted));
    return NodeBuilder(graph, "Const", name).Attr("dtype", value.dtype()).Attr("value", value).Build();
  }
  std::optional<Tensor> Value(DType wanted) const override {
    Result<Tensor> value = As(wanted);
    return value.ok() ? std::optional<Tensor>(*std::move(value)) : std::nullopt;
  }
  DType NaturalType() const override {
    if (std::is_same_v<V, bool>) return kBool;
    if (std::is_floating_point_v<V>) return kFloat;
    for (V v : values_)
      if (static_cast<int64_t>(v) != static_cast<int32_t>(v)) return kInt64;
    return kInt32;
  }

 private:
  Result<Tensor> As(DType wanted) const {
    return NumbersAs<V>(wanted == kInvalidType ? NaturalType() : BaseType(wanted), shape_, values_);
  }

  Shape shape_;
  std::vector<V> values_;
};

class TensorLiteral final : public Literal {
 public:
  explicit TensorLiteral(Tensor value) : value_(std::move(value)) {}
  Result<Output> ToOutput(Graph& graph, DType wanted, const std::string& name) const override {
    if (wanted != kInvalidType && BaseType(wanted) != value_.dtype())
      return MarkTypeError(InvalidArgument("a {} tensor was given where {} is expected", value_.dtype(), wanted));
    return NodeBuilder(graph, "Const", name).Attr("dtype", value_.dtype()).Attr("value", value_).Build();
  }
  std::optional<Tensor> Value(DType wanted) const override {
    return wanted == kInvalidType || BaseType(wanted) == value_.dtype() ? std::optional<Tensor>(value_) : std::nullopt;
  }
  DType NaturalType() const override { return value_.dtype(); }

 private:
  Tensor value_;
};

template <class V>
std::shared_ptr<const Literal> Number(V v) {
  return std::make_shared<NumberLiteral<V>>(Shape{}, std::vector<V>{v});
}
template <class V>
std::shared_ptr<const Literal> Numbers(std::vector<V> v) {
  Shape shape{static_cast<int64_t>(v.size())};
  return std::make_shared<NumberLiteral<V>>(std::move(shape), std::move(v));
}

}  // namespace

Input::Input(float v) : literal_(Number<double>(v)) {}
Input::Input(double v) : literal_(Number<double>(v)) {}
Input::Input(int v) : literal_(Number<int64_t>(v)) {}
Input::Input(int64_t v) : literal_(Number<int64_t>(v)) {}
Input::Input(bool v) : literal_(Number<bool>(v)) {}
Input::Input(const char* v) : literal_(std::make_shared<TensorLiteral>(Tensor::Scalar(std::string(v)))) {}
Input::Input(const std::string& v) : literal_(std::make_shared<TensorLiteral>(Tensor::Scalar(v))) {}
Input::Input(const Tensor& v) : literal_(std::make_shared<TensorLiteral>(v)) {}
Input::Input(std::initializer_list<float> v) : literal_(Numbers<double>(std::vector<double>(v.begin(), v.end()))) {}
Input::Input(std::initializer_list<int> v) : literal_(Numbers<int64_t>(std::vector<int64_t>(v.begin(), v.end()))) {}
Input::Input(const std::vector<int64_t>& v) : literal_(Numbers<int64_t>(v)) {}
Input::Input(const std::vector<float>& v) : literal_(Numbers<double>(std::vector<double>(v.begin(), v.end()))) {}

Graph* GraphOf(const InputList& inputs) {
  for (const Input& input : inputs)
    if (input.output().has_graph()) return &input.output().graph();
  return nullptr;
}

Graph* GraphOfAll(std::initializer_list<InputList> lists) {
  for (const InputList& list : lists)
    if (Graph* graph = GraphOf(list)) return graph;
  return nullptr;
}

}  // namespace weir
