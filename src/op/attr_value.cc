// Kinds, text and equality of attribute values. Equality is by content, so that nodes from different files can be
// compared.
#include "op/attr_value.h"

#include <bit>
#include <cstring>

#include "proto/tensor.pb.h"

namespace weir {

AttrValue::AttrValue() = default;
AttrValue::AttrValue(const AttrValue& other) = default;
AttrValue::AttrValue(AttrValue&& other) noexcept = default;
AttrValue& AttrValue::operator=(const AttrValue& other) = default;
AttrValue& AttrValue::operator=(AttrValue&& other) noexcept = default;
AttrValue::~AttrValue() = default;
AttrValue::AttrValue(Value value) : value_(std::move(value)) {}
AttrValue::AttrValue(std::string v) : value_(std::move(v)) {}
AttrValue::AttrValue(std::string_view v) : value_(std::string(v)) {}
AttrValue::AttrValue(const char* v) : value_(std::string(v)) {}
AttrValue::AttrValue(int v) : value_(int64_t{v}) {}
AttrValue::AttrValue(int64_t v) : value_(v) {}
AttrValue::AttrValue(float v) : value_(v) {}
AttrValue::AttrValue(double v) : value_(static_cast<float>(v)) {}
AttrValue::AttrValue(bool v) : value_(v) {}
AttrValue::AttrValue(DType v) : value_(v) {}
AttrValue::AttrValue(PartialShape v) : value_(std::move(v)) {}
AttrValue::AttrValue(const Shape& v) : value_(PartialShape(v)) {}
AttrValue::AttrValue(Tensor v) : value_(std::move(v)) {}
AttrValue::AttrValue(FuncAttr v) : value_(std::move(v)) {}
AttrValue::AttrValue(std::vector<std::string> v) : value_(std::move(v)) {}
AttrValue::AttrValue(std::vector<int64_t> v) : value_(std::move(v)) {}
AttrValue::AttrValue(std::vector<float> v) : value_(std::move(v)) {}
AttrValue::AttrValue(std::vector<bool> v) : value_(std::move(v)) {}
AttrValue::AttrValue(std::vector<DType> v) : value_(std::move(v)) {}
AttrValue::AttrValue(std::vector<PartialShape> v) : value_(std::move(v)) {}
AttrValue::AttrValue(std::vector<Tensor> v) : value_(std::move(v)) {}
AttrValue::AttrValue(std::vector<FuncAttr> v) : value_(std::move(v)) {}
AttrValue::AttrValue(AttrPlaceholder v) : value_(std::move(v)) {}
AttrValue::AttrValue(PackedTensorPtr v) : value_(std::move(v)) {}

namespace {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

template <class T>
std::string_view ScalarKind() {
  if constexpr (std::is_same_v<T, std::string>)
    return "string";
  else if constexpr (std::is_same_v<T, int64_t>)
    return "int";
  else if constexpr (std::is_same_v<T, float>)
    return "float";
  else if constexpr (std::is_same_v<T, bool>)
    return "bool";
  else if constexpr (std::is_same_v<T, DType>)
    return "type";
  else if constexpr (std::is_same_v<T, PartialShape>)
    return "shape";
  else if constexpr (std::is_same_v<T, Tensor> || std::is_same_v<T, AttrValue::PackedTensorPtr>)
    return "tensor";
  else
    return "func";
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string Text(const std::string& v) { return Quoted(v); }
std::string Text(int64_t v) { return fmt::format("{}", v); }
std::string Text(float v) { return fmt::format("{}", v); }
std::string Text(bool v) { return v ? "true" : "false"; }
std::string Text(DType v) { return ProtoTypeName(v); }
std::string Text(const PartialShape& v) { return v.ToString(); }
std::string Text(const Tensor& v) { return v.valid() ? v.ToString() : "<no tensor>"; }
std::string Text(const AttrValue::PackedTensorPtr& v) { return v->proto().ShortDebugString(); }
std::string Text(const FuncAttr& v) {
  std::string out = v.name + "[";
  if (v.attrs != nullptr) {
    bool first = true;
    for (const auto& [name, value] : *v.attrs) {
      if (!first) out += ", ";
      first = false;
      out += name + "=" + value.ToString();
    }
  }
  return out + "]";
}

// Floats are compared bit for bit, so that NaN equals itself and a value always equals its copy.
bool Same(float a, float b) { return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b); }
bool Same(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (!a.valid() || a.num_elements() == 0 || a.raw() == b.raw()) return true;
  if (IsPlain(a.dtype())) return std::memcmp(a.raw(), b.raw(), a.num_bytes()) == 0;
  if (a.dtype() == kString) return a.flat<std::string>() == b.flat<std::string>();
  if (a.dtype() == kResource) return a.flat<ResourceHandle>() == b.flat<ResourceHandle>();
  return false;
}
bool Same(const AttrValue::PackedTensorPtr& a, const AttrValue::PackedTensorPtr& b) { return *a == *b; }
bool Same(const FuncAttr& a, const FuncAttr& b) {
  if (a.name != b.name) return false;
  const bool a_empty = a.attrs == nullptr || a.attrs->empty();
  const bool b_empty = b.attrs == nullptr || b.attrs->empty();
  if (a_empty || b_empty) return a_empty == b_empty;
  return a.attrs == b.attrs || *a.attrs == *b.attrs;
}
template <class T>
bool Same(const T& a, const T& b) {
  return a == b;
}
template <class T>
bool Same(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    const T& x = a[i];
    const T& y = b[i];
    if (!Same(x, y)) return false;
  }
  return true;
}
bool Same(const std::vector<bool>& a, const std::vector<bool>& b) { return a == b; }

bool IsEmptyList(const AttrValue::Value& value) {
  return std::visit(
      Overloaded{[](const EmptyList&) { return true; }, []<class T>(const std::vector<T>& v) { return v.empty(); },
                 [](const auto&) { return false; }},
      value);
}

}  // namespace

std::string AttrValue::Kind() const {
  return std::visit(Overloaded{[](std::monostate) { return std::string(); },
                               [](const AttrPlaceholder&) { return std::string("placeholder"); },
                               [](const EmptyList&) { return std::string("list()"); },
                               []<class T>(const std::vector<T>&) { return fmt::format("list({})", ScalarKind<T>()); },
                               []<class T>(const T&) { return std::string(ScalarKind<T>()); }},
                    value_);
}

std::string AttrValue::ToString() const {
  return std::visit(Overloaded{[](std::monostate) { return std::string("<none>"); },
                               [](const AttrPlaceholder& v) { return "$" + v.name; },
                               [](const EmptyList&) { return std::string("[]"); },
                               []<class T>(const std::vector<T>& v) {
                                 std::string out = "[";
                                 for (size_t i = 0; i < v.size(); ++i) {
                                   if (i > 0) out += ", ";
                                   const T& element = v[i];
                                   out += Text(element);
                                 }
                                 return out + "]";
                               },
                               []<class T>(const T& v) { return Text(v); }},
                    value_);
}

bool AttrValue::operator==(const AttrValue& other) const {
  if (value_.index() != other.value_.index()) {
    const bool one_untyped =
        std::holds_alternative<EmptyList>(value_) || std::holds_alternative<EmptyList>(other.value_);
    return one_untyped && IsEmptyList(value_) && IsEmptyList(other.value_);
  }
  return std::visit(
      [&]<class T>(const T& v) {
        const T& w = *std::get_if<T>(&other.value_);
        return Same(v, w);
      },
      value_);
}

Result<const Tensor*> GetTensor(const AttrMap& attrs, std::string_view name) {
  auto it = attrs.find(name);
  if (it == attrs.end()) return MissingAttr(name);
  if (const Tensor* tensor = it->second.As<Tensor>()) return tensor;
  if (const auto* packed = it->second.As<AttrValue::PackedTensorPtr>()) return (*packed)->Expand();
  return WrongAttrKind(name, it->second, "tensor");
}

Result<TensorInfo> GetTensorInfo(const AttrMap& attrs, std::string_view name) {
  auto it = attrs.find(name);
  if (it == attrs.end()) return MissingAttr(name);
  if (const Tensor* tensor = it->second.As<Tensor>()) return TensorInfo{tensor->dtype(), tensor->shape()};
  if (const auto* packed = it->second.As<AttrValue::PackedTensorPtr>())
    return TensorInfo{(*packed)->dtype(), (*packed)->shape()};
  return WrongAttrKind(name, it->second, "tensor");
}

Status MissingAttr(std::string_view name) { return InvalidArgument("attribute '{}' is missing", name); }

Status WrongAttrKind(std::string_view name, const AttrValue& value, std::string_view wanted) {
  const std::string kind = value.Kind();
  return InvalidArgument("attribute '{}' must be of kind {}, but holds {} {}", name, wanted,
                         kind.empty() ? "nothing:" : kind, value.ToString());
}

}  // namespace weir
