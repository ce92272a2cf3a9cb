// AttrValue: the value of a node attribute, one C++ type per kind. AttrMap: a node's attributes by name.
// Both are value types. graph/attr_proto.h converts them to and from protos.
#ifndef WEIR_OP_ATTR_VALUE_H_
#define WEIR_OP_ATTR_VALUE_H_

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "weir/tensor/tensor.h"

namespace weir {

class AttrValue;
class PackedTensor;  // a large constant in compressed form (tensor/packed_tensor.h)
using AttrMap = std::map<std::string, AttrValue, std::less<>>;

// A function with values for its own attributes (an attribute of kind "func").
struct FuncAttr {
  std::string name;
  std::shared_ptr<const AttrMap> attrs;  // null if there are none
};
// In a function body: stands for the value of the function's attribute `name`.
struct AttrPlaceholder {
  std::string name;
  bool operator==(const AttrPlaceholder&) const = default;
};
// An empty list without element type: matches every list kind.
struct EmptyList {
  bool operator==(const EmptyList&) const = default;
};

class AttrValue {
 public:
  using PackedTensorPtr = std::shared_ptr<const PackedTensor>;  // never null
  using Value = std::variant<std::monostate, std::string, int64_t, float, bool, DType, PartialShape, Tensor, FuncAttr,
                             std::vector<std::string>, std::vector<int64_t>, std::vector<float>, std::vector<bool>,
                             std::vector<DType>, std::vector<PartialShape>, std::vector<Tensor>, std::vector<FuncAttr>,
                             AttrPlaceholder, EmptyList, PackedTensorPtr>;
  // Defined in the .cc file, because the variant is expensive to compile.
  AttrValue();
  AttrValue(const AttrValue& other);
  AttrValue(AttrValue&& other) noexcept;
  AttrValue& operator=(const AttrValue& other);
  AttrValue& operator=(AttrValue&& other) noexcept;
  ~AttrValue();
  AttrValue(Value value);
  AttrValue(std::string v);
  AttrValue(std::string_view v);
  AttrValue(const char* v);
  AttrValue(int v);
  AttrValue(int64_t v);
  AttrValue(float v);
  AttrValue(double v);
  AttrValue(bool v);
  AttrValue(DType v);
  AttrValue(PartialShape v);
  AttrValue(const Shape& v);
  AttrValue(Tensor v);
  AttrValue(FuncAttr v);
  AttrValue(std::vector<std::string> v);
  AttrValue(std::vector<int64_t> v);
  AttrValue(std::vector<float> v);
  AttrValue(std::vector<bool> v);
  AttrValue(std::vector<DType> v);
  AttrValue(std::vector<PartialShape> v);
  AttrValue(std::vector<Tensor> v);
  AttrValue(std::vector<FuncAttr> v);
  AttrValue(AttrPlaceholder v);
  AttrValue(PackedTensorPtr v);

  const Value& value() const { return value_; }
  // The value as T, or null if it holds another type. An EmptyList reads as any empty vector. A packed tensor does not
  // read as a Tensor: GetAttr<Tensor> expands it.
  template <class T>
  const T* As() const;
  // The kind as in OpDefs: "type", "int", "list(shape)", ... Also "" (no value), "placeholder" and "list()"
  // (EmptyList).
  std::string Kind() const;
  std::string ToString() const;
  bool operator==(const AttrValue& other) const;  // compares tensors and functions by content

 private:
  Value value_;
};

template <class T>
const T* AttrValue::As() const {
  if (const T* v = std::get_if<T>(&value_)) return v;
  if constexpr (std::is_same_v<T, std::vector<std::string>> || std::is_same_v<T, std::vector<int64_t>> ||
                std::is_same_v<T, std::vector<float>> || std::is_same_v<T, std::vector<bool>> ||
                std::is_same_v<T, std::vector<DType>> || std::is_same_v<T, std::vector<PartialShape>> ||
                std::is_same_v<T, std::vector<Tensor>> || std::is_same_v<T, std::vector<FuncAttr>>) {
    static const T empty{};
    if (std::holds_alternative<EmptyList>(value_)) return &empty;
  }
  return nullptr;
}

// The attribute `name` as a T. Errors name the attribute and both kinds.
template <class T>
Result<T> GetAttr(const AttrMap& attrs, std::string_view name);

// The tensor of an attribute; expands a packed one. The pointer lives as long as the attribute.
Result<const Tensor*> GetTensor(const AttrMap& attrs, std::string_view name);
// Type and shape of a tensor attribute, without expanding it.
struct TensorInfo {
  DType dtype = kInvalidType;
  Shape shape;
};
Result<TensorInfo> GetTensorInfo(const AttrMap& attrs, std::string_view name);
Status MissingAttr(std::string_view name);
Status WrongAttrKind(std::string_view name, const AttrValue& value, std::string_view wanted);

template <class T>
Result<T> GetAttr(const AttrMap& attrs, std::string_view name) {
  auto it = attrs.find(name);
  if (it == attrs.end()) return MissingAttr(name);
  if constexpr (std::is_same_v<T, int32_t>) {
    const int64_t* v = it->second.As<int64_t>();
    if (v == nullptr || *v != static_cast<int32_t>(*v)) return WrongAttrKind(name, it->second, "int (32 bits)");
    return static_cast<int32_t>(*v);
  } else if constexpr (std::is_same_v<T, Tensor>) {
    WEIR_ASSIGN(const Tensor* tensor, GetTensor(attrs, name));
    return *tensor;
  } else {
    const T* v = it->second.As<T>();
    if (v == nullptr) return WrongAttrKind(name, it->second, AttrValue(AttrValue::Value(T{})).Kind());
    return *v;
  }
}

}  // namespace weir

#endif  // WEIR_OP_ATTR_VALUE_H_
