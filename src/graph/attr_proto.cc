// AttrValue and OpDef to and from messages. Input is untrusted: a list of two kinds, an unknown type, an invalid shape
// and an inconsistent tensor are errors.
#include "graph/attr_proto.h"

#include "tensor/tensor_proto.h"

namespace weir {
namespace {

tensorflow::DataType ProtoType(DType type) { return static_cast<tensorflow::DataType>(static_cast<int>(type)); }

// 0 means "not given" in messages and is accepted here. Code that needs a type must check for it.
Result<DType> TypeFromProto(int number) {
  if (number == kInvalidType) return kInvalidType;
  return DTypeFromNumber(number);
}

void WriteFunc(const FuncAttr& function, tensorflow::NameAttrList* proto) {
  proto->set_name(function.name);
  if (function.attrs == nullptr) return;
  for (const auto& [name, value] : *function.attrs) ToProto(value, &(*proto->mutable_attr())[name]);
}

Result<FuncAttr> ReadFunc(const tensorflow::NameAttrList& proto) {
  FuncAttr function{.name = proto.name(), .attrs = nullptr};
  if (proto.attr().empty()) return function;
  auto attrs = std::make_shared<AttrMap>();
  for (const auto& [name, value] : proto.attr()) {
    WEIR_ASSIGN((*attrs)[name], FromProto(value));
  }
  function.attrs = std::move(attrs);
  return function;
}

// Writes one alternative of AttrValue::Value into the message.
class ValueWriter {
 public:
  explicit ValueWriter(tensorflow::AttrValue* proto) : proto_(*proto) {}

  void operator()(std::monostate) {}
  void operator()(const std::string& v) { proto_.set_s(v); }
  void operator()(int64_t v) { proto_.set_i(v); }
  void operator()(float v) { proto_.set_f(v); }
  void operator()(bool v) { proto_.set_b(v); }
  void operator()(DType v) { proto_.set_type(ProtoType(v)); }
  void operator()(const PartialShape& v) { ToProto(v, proto_.mutable_shape()); }
  void operator()(const Tensor& v) { ToProto(v, proto_.mutable_tensor()); }
  void operator()(const AttrValue::PackedTensorPtr& v) { *proto_.mutable_tensor() = v->proto(); }
  void operator()(const FuncAttr& v) { WriteFunc(v, proto_.mutable_func()); }
  void operator()(const std::vector<std::string>& list) {
    proto_.mutable_list();
    for (const std::string& v : list) proto_.mutable_list()->add_s(v);
  }
  void operator()(const std::vector<int64_t>& list) {
    proto_.mutable_list()->mutable_i()->Add(list.begin(), list.end());
  }
  void operator()(const std::vector<float>& list) { proto_.mutable_list()->mutable_f()->Add(list.begin(), list.end()); }
  void operator()(const std::vector<bool>& list) { proto_.mutable_list()->mutable_b()->Add(list.begin(), list.end()); }
  void operator()(const std::vector<DType>& list) {
    proto_.mutable_list();
    for (DType v : list) proto_.mutable_list()->add_type(ProtoType(v));
  }
  void operator()(const std::vector<PartialShape>& list) {
    proto_.mutable_list();
    for (const PartialShape& v : list) ToProto(v, proto_.mutable_list()->add_shape());
  }
  void operator()(const std::vector<Tensor>& list) {
    proto_.mutable_list();
    for (const Tensor& v : list) ToProto(v, proto_.mutable_list()->add_tensor());
  }
  void operator()(const std::vector<FuncAttr>& list) {
    proto_.mutable_list();
    for (const FuncAttr& v : list) WriteFunc(v, proto_.mutable_list()->add_func());
  }
  void operator()(const AttrPlaceholder& v) { proto_.set_placeholder(v.name); }
  void operator()(EmptyList) { proto_.mutable_list(); }

 private:
  tensorflow::AttrValue& proto_;
};

template <class T, class Messages, class Read>
Result<AttrValue> ListOf(const Messages& messages, Read read) {
  std::vector<T> list;
  list.reserve(messages.size());
  for (const auto& message : messages) {
    WEIR_ASSIGN(T value, read(message));
    list.push_back(std::move(value));
  }
  return AttrValue(std::move(list));
}

// List elements are stored unpacked, so a compressed tensor (fewer values than elements) is accepted only if it is
// small.
Result<Tensor> TensorOfList(const tensorflow::TensorProto& proto) {
  constexpr size_t kMaxBytes = 1 << 16;
  WEIR_ASSIGN(const AttrValue::PackedTensorPtr packed, PackedTensor::FromProto(proto));
  if (packed != nullptr && packed->num_bytes() > kMaxBytes)
    return InvalidArgument("a tensor of shape {} in a list must have a value for every element", packed->shape());
  return FromProto(proto);
}

Result<AttrValue> ListFromProto(const tensorflow::AttrValue::ListValue& list) {
  int kinds = (list.s_size() > 0) + (list.i_size() > 0) + (list.f_size() > 0) + (list.b_size() > 0) +
              (list.type_size() > 0) + (list.shape_size() > 0) + (list.tensor_size() > 0) + (list.func_size() > 0);
  if (kinds > 1) return InvalidArgument("a list attribute holds values of {} kinds", kinds);
  if (list.s_size() > 0) return AttrValue(std::vector<std::string>(list.s().begin(), list.s().end()));
  if (list.i_size() > 0) return AttrValue(std::vector<int64_t>(list.i().begin(), list.i().end()));
  if (list.f_size() > 0) return AttrValue(std::vector<float>(list.f().begin(), list.f().end()));
  if (list.b_size() > 0) return AttrValue(std::vector<bool>(list.b().begin(), list.b().end()));
  if (list.type_size() > 0) {
    std::vector<DType> types;
    types.reserve(list.type_size());
    for (int number : list.type()) {
      WEIR_ASSIGN(DType type, TypeFromProto(number));
      types.push_back(type);
    }
    return AttrValue(std::move(types));
  }
  if (list.shape_size() > 0) return ListOf<PartialShape>(list.shape(), [](const auto& m) { return FromProto(m); });
  if (list.tensor_size() > 0) return ListOf<Tensor>(list.tensor(), TensorOfList);
  if (list.func_size() > 0) return ListOf<FuncAttr>(list.func(), ReadFunc);
  return AttrValue(AttrValue::Value(EmptyList{}));
}

void WriteArg(const ArgDef& arg, tensorflow::OpDef::ArgDef* proto) {
  proto->set_name(arg.name);
  proto->set_type(ProtoType(arg.type));
  proto->set_type_attr(arg.type_attr);
  proto->set_type_list_attr(arg.type_list_attr);
  proto->set_number_attr(arg.number_attr);
  proto->set_is_ref(arg.is_ref);
}

void WriteAttr(const AttrDef& attr, tensorflow::OpDef::AttrDef* proto) {
  proto->set_name(attr.name);
  proto->set_type(attr.type);
  if (attr.default_value) ToProto(*attr.default_value, proto->mutable_default_value());
  if (!attr.allowed_types.empty()) ToProto(AttrValue(attr.allowed_types), proto->mutable_allowed_values());
  if (!attr.allowed_strings.empty()) ToProto(AttrValue(attr.allowed_strings), proto->mutable_allowed_values());
  if (attr.minimum) {
    proto->set_has_minimum(true);
    proto->set_minimum(*attr.minimum);
  }
}

Result<ArgDef> ReadArg(const tensorflow::OpDef::ArgDef& proto) {
  ArgDef arg;
  arg.name = proto.name();
  WEIR_ASSIGN(arg.type, TypeFromProto(proto.type()));
  arg.type_attr = proto.type_attr();
  arg.type_list_attr = proto.type_list_attr();
  arg.number_attr = proto.number_attr();
  arg.is_ref = proto.is_ref();
  int sources = (arg.type != kInvalidType) + !arg.type_attr.empty() + !arg.type_list_attr.empty();
  if (sources != 1)
    return InvalidArgument("argument '{}' must have one of type, type_attr and type_list_attr", arg.name);
  if (!arg.number_attr.empty() && !arg.type_list_attr.empty()) {
    return InvalidArgument("argument '{}' has both a number_attr and a type_list_attr", arg.name);
  }
  if (IsRef(arg.type)) return InvalidArgument("argument '{}' must say is_ref instead of a reference type", arg.name);
  return arg;
}

Result<AttrDef> ReadAttr(const tensorflow::OpDef::AttrDef& proto) {
  AttrDef attr;
  attr.name = proto.name();
  attr.type = proto.type();
  if (proto.has_default_value()) {
    WEIR_ASSIGN(attr.default_value, FromProto(proto.default_value()));
  }
  if (proto.has_allowed_values()) {
    for (int number : proto.allowed_values().list().type()) {
      // Skip types that are unknown here: no value can have them.
      Result<DType> type = DTypeFromNumber(number);
      if (type.ok()) attr.allowed_types.push_back(*type);
    }
    for (const std::string& text : proto.allowed_values().list().s()) attr.allowed_strings.push_back(text);
  }
  if (proto.has_minimum()) attr.minimum = proto.minimum();
  return attr;
}

// Checks that every attribute that an argument refers to exists and has the right kind.
Status CheckArg(const OpDef& op, const ArgDef& arg) {
  const std::pair<const std::string&, const char*> references[] = {
      {arg.type_attr, "type"}, {arg.type_list_attr, "list(type)"}, {arg.number_attr, "int"}};
  for (const auto& [name, kind] : references) {
    if (name.empty()) continue;
    const AttrDef* attr = op.FindAttr(name);
    if (attr == nullptr || attr->type != kind) {
      return InvalidArgument("argument '{}' refers to the attribute '{}', which is not an attribute of type {}",
                             arg.name, name, kind);
    }
  }
  return OkStatus();
}

Result<OpDef> OpFromProto(const tensorflow::OpDef& proto) {
  OpDef op;
  op.name = proto.name();
  for (const auto& attr : proto.attr()) {
    if (op.FindAttr(attr.name()) != nullptr) return InvalidArgument("two attributes are called '{}'", attr.name());
    WEIR_ASSIGN(AttrDef def, ReadAttr(attr));
    op.attrs.push_back(std::move(def));
  }
  for (const auto& arg : proto.input_arg()) {
    WEIR_ASSIGN(ArgDef def, ReadArg(arg));
    WEIR_TRY(CheckArg(op, def));
    op.inputs.push_back(std::move(def));
  }
  for (const auto& arg : proto.output_arg()) {
    WEIR_ASSIGN(ArgDef def, ReadArg(arg));
    WEIR_TRY(CheckArg(op, def));
    op.outputs.push_back(std::move(def));
  }
  op.stateful = proto.is_stateful();
  op.commutative = proto.is_commutative();
  op.aggregate = proto.is_aggregate();
  op.allows_uninitialized_input = proto.allows_uninitialized_input();
  return op;
}

}  // namespace

void ToProto(const AttrValue& value, tensorflow::AttrValue* proto) {
  proto->Clear();
  std::visit(ValueWriter(proto), value.value());
}

Result<AttrValue> FromProto(const tensorflow::AttrValue& proto) {
  switch (proto.value_case()) {
    case tensorflow::AttrValue::kS:
      return AttrValue(proto.s());
    case tensorflow::AttrValue::kI:
      return AttrValue(int64_t{proto.i()});
    case tensorflow::AttrValue::kF:
      return AttrValue(proto.f());
    case tensorflow::AttrValue::kB:
      return AttrValue(proto.b());
    case tensorflow::AttrValue::kType: {
      WEIR_ASSIGN(DType type, TypeFromProto(proto.type()));
      return AttrValue(type);
    }
    case tensorflow::AttrValue::kShape: {
      WEIR_ASSIGN(PartialShape shape, FromProto(proto.shape()));
      return AttrValue(std::move(shape));
    }
    case tensorflow::AttrValue::kTensor: {
      WEIR_ASSIGN(AttrValue::PackedTensorPtr packed, PackedTensor::FromProto(proto.tensor()));
      if (packed != nullptr) return AttrValue(std::move(packed));
      WEIR_ASSIGN(Tensor tensor, FromProto(proto.tensor()));
      return AttrValue(std::move(tensor));
    }
    case tensorflow::AttrValue::kFunc: {
      WEIR_ASSIGN(FuncAttr function, ReadFunc(proto.func()));
      return AttrValue(std::move(function));
    }
    case tensorflow::AttrValue::kList:
      return ListFromProto(proto.list());
    case tensorflow::AttrValue::kPlaceholder:
      return AttrValue(AttrPlaceholder{proto.placeholder()});
    case tensorflow::AttrValue::VALUE_NOT_SET:
      break;
  }
  return AttrValue();
}

void ToProto(const OpDef& op, tensorflow::OpDef* proto) {
  proto->set_name(op.name);
  for (const ArgDef& arg : op.inputs) WriteArg(arg, proto->add_input_arg());
  for (const ArgDef& arg : op.outputs) WriteArg(arg, proto->add_output_arg());
  for (const AttrDef& attr : op.attrs) WriteAttr(attr, proto->add_attr());
  proto->set_is_stateful(op.stateful);
  proto->set_is_commutative(op.commutative);
  proto->set_is_aggregate(op.aggregate);
  proto->set_allows_uninitialized_input(op.allows_uninitialized_input);
}

Result<OpDef> FromProto(const tensorflow::OpDef& proto) {
  Result<OpDef> op = OpFromProto(proto);
  if (!op.ok()) return WithContext(op.status(), fmt::format("op '{}'", proto.name()));
  return op;
}

}  // namespace weir
