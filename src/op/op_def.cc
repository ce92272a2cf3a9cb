// Checks the attributes of a node against the schema of its op, and computes number and types of its arguments.
#include "op/op_def.h"

#include "absl/strings/str_join.h"

namespace weir {
namespace {

// More tensors than any real graph has in one list. Keeps a corrupt file from causing a huge allocation.
constexpr int64_t kMaxListArg = int64_t{1} << 20;

bool IsListKind(std::string_view kind) { return kind.substr(0, 5) == "list("; }

template <class T>
Status FillEmpty(AttrValue* value) {
  *value = AttrValue(std::vector<T>());
  return OkStatus();
}

// Converts an untyped empty list to the kind of the schema, so that all nodes hold the same type.
Status TypeEmptyList(const AttrDef& def, AttrValue* value) {
  if (def.type == "list(string)") return FillEmpty<std::string>(value);
  if (def.type == "list(int)") return FillEmpty<int64_t>(value);
  if (def.type == "list(float)") return FillEmpty<float>(value);
  if (def.type == "list(bool)") return FillEmpty<bool>(value);
  if (def.type == "list(type)") return FillEmpty<DType>(value);
  if (def.type == "list(shape)") return FillEmpty<PartialShape>(value);
  if (def.type == "list(tensor)") return FillEmpty<Tensor>(value);
  if (def.type == "list(func)") return FillEmpty<FuncAttr>(value);
  return WrongAttrKind(def.name, *value, def.type);
}

Status CheckType(const AttrDef& def, std::string_view op, DType type) {
  if (def.allowed_types.empty()) return OkStatus();
  for (const DType allowed : def.allowed_types) {
    if (allowed == type) return OkStatus();
  }
  return MarkTypeError(
      InvalidArgument("Value passed to parameter '{}' has DataType {} not in list of allowed values: {}{}", def.name,
                      type, fmt::join(def.allowed_types, ", "), op.empty() ? "" : fmt::format(" (op {})", op)));
}

// Describes the attribute for an error message. `op` is empty for a default value in a schema.
std::string AttrLabel(const AttrDef& def, std::string_view op) {
  return op.empty() ? fmt::format("Attr '{}'", def.name) : fmt::format("Attr '{}' of '{}' Op", def.name, op);
}

Status CheckString(const AttrDef& def, std::string_view op, const std::string& text) {
  if (def.allowed_strings.empty()) return OkStatus();
  for (const std::string& allowed : def.allowed_strings) {
    if (allowed == text) return OkStatus();
  }
  return InvalidArgument("{} passed string '{}' not in: \"{}\".", AttrLabel(def, op), text,
                         absl::StrJoin(def.allowed_strings, "\", \""));
}

template <class T>
int64_t LengthOf(const T&) {
  return 0;
}
template <class T>
int64_t LengthOf(const std::vector<T>& list) {
  return static_cast<int64_t>(list.size());
}
int64_t ListLength(const AttrValue& value) {
  return std::visit([](const auto& v) { return LengthOf(v); }, value.value());
}

Status CheckEqualLengths(const std::vector<LengthDef>& lengths, const AttrMap& attrs) {
  const LengthDef* first = nullptr;
  int64_t expected = 0;
  for (const LengthDef& length : lengths) {
    const AttrValue& value = attrs.find(length.attr)->second;
    if (std::holds_alternative<AttrPlaceholder>(value.value())) continue;
    const int64_t* count = value.As<int64_t>();
    const int64_t given = count != nullptr ? *count : ListLength(value);
    if (given == 0 && length.may_be_empty) continue;
    if (first == nullptr) {
      first = &length;
      expected = given;
    } else if (given != expected) {
      return InvalidArgument("attributes '{}' and '{}' must have the same length, but have {} and {}", first->attr,
                             length.attr, expected, given);
    }
  }
  return OkStatus();
}

Result<int> CheckedCount(std::string_view attr, int64_t count) {
  if (count < 0) return InvalidArgument("attribute '{}' is {}: a number of tensors cannot be negative", attr, count);
  if (count > kMaxListArg) {
    return InvalidArgument("attribute '{}' is {}: at most {} tensors fit in one argument", attr, count, kMaxListArg);
  }
  return static_cast<int>(count);
}

Status CheckAttr(const AttrDef& def, std::string_view op, AttrValue* value) {
  if (std::holds_alternative<AttrPlaceholder>(value->value())) return OkStatus();
  if (std::holds_alternative<EmptyList>(value->value())) WEIR_TRY(TypeEmptyList(def, value));
  if (def.type == "float") {
    if (const int64_t* v = value->As<int64_t>()) *value = AttrValue(static_cast<float>(*v));
  } else if (def.type == "list(float)") {
    if (const auto* v = value->As<std::vector<int64_t>>(); v != nullptr) {
      *value = AttrValue(std::vector<float>(v->begin(), v->end()));
    }
  }
  if (value->Kind() != def.type) return WrongAttrKind(def.name, *value, def.type);

  if (const DType* type = value->As<DType>()) WEIR_TRY(CheckType(def, op, *type));
  if (const std::string* text = value->As<std::string>()) WEIR_TRY(CheckString(def, op, *text));
  if (!IsListKind(def.type)) {
    if (const int64_t* v = value->As<int64_t>(); v != nullptr && def.minimum && *v < *def.minimum) {
      return InvalidArgument("{} passed {} less than minimum {}.", AttrLabel(def, op), *v, *def.minimum);
    }
    return OkStatus();
  }
  if (const auto* types = value->As<std::vector<DType>>()) {
    for (const DType type : *types) WEIR_TRY(CheckType(def, op, type));
  }
  if (const auto* texts = value->As<std::vector<std::string>>()) {
    for (const std::string& text : *texts) WEIR_TRY(CheckString(def, op, text));
  }
  if (const int64_t length = ListLength(*value); def.minimum && length < *def.minimum) {
    return InvalidArgument("{} passed list of length {} less than minimum {}.", AttrLabel(def, op), length,
                           *def.minimum);
  }
  return OkStatus();
}

}  // namespace

bool OpDef::TakesFunctions() const {
  return is_function || std::any_of(attrs.begin(), attrs.end(), [](const AttrDef& attr) {
           return attr.type == "func" || attr.type == "list(func)";
         });
}

const AttrDef* OpDef::FindAttr(std::string_view name) const {
  for (const AttrDef& attr : attrs) {
    if (attr.name == name) return &attr;
  }
  return nullptr;
}

Status CheckAndConvertAttr(const AttrDef& def, AttrValue* value) { return CheckAttr(def, {}, value); }

Status CheckAndCompleteAttrs(const OpDef& op, AttrMap* attrs) {
  size_t known = 0;
  for (const AttrDef& def : op.attrs) {
    auto it = attrs->find(def.name);
    if (it == attrs->end()) {
      if (!def.default_value) {
        return InvalidArgument("op '{}' needs the attribute '{}' ({}), which is missing", op.name, def.name, def.type);
      }
      attrs->emplace(def.name, *def.default_value);
    } else if (Status status = CheckAttr(def, op.name, &it->second); !status.ok()) {
      return status;
    }
    ++known;
  }
  for (const std::vector<LengthDef>& lengths : op.equal_lengths) {
    if (Status status = CheckEqualLengths(lengths, *attrs); !status.ok()) {
      return WithContext(status, fmt::format("op '{}'", op.name));
    }
  }
  if (attrs->size() == known) return OkStatus();
  for (const auto& [name, value] : *attrs) {
    if (name.empty() || (name[0] != '_' && op.FindAttr(name) == nullptr)) {
      return InvalidArgument("op '{}' has no attribute '{}' (value {})", op.name, name, value.ToString());
    }
  }
  return OkStatus();
}

Result<int> ArgCount(const ArgDef& arg, const AttrMap& attrs) {
  if (!arg.number_attr.empty()) {
    WEIR_ASSIGN(const int64_t count, GetAttr<int64_t>(attrs, arg.number_attr));
    return CheckedCount(arg.number_attr, count);
  }
  if (!arg.type_list_attr.empty()) {
    auto it = attrs.find(arg.type_list_attr);
    if (it == attrs.end()) return MissingAttr(arg.type_list_attr);
    const auto* types = it->second.As<std::vector<DType>>();
    if (types == nullptr) return WrongAttrKind(arg.type_list_attr, it->second, "list(type)");
    return CheckedCount(arg.type_list_attr, static_cast<int64_t>(types->size()));
  }
  return 1;
}

Result<std::vector<DType>> ArgTypes(const std::vector<ArgDef>& args, const AttrMap& attrs) {
  std::vector<DType> types;
  types.reserve(args.size());
  for (const ArgDef& arg : args) {
    auto add = [&](DType type) -> Status {
      if (BaseType(type) == kInvalidType) return InvalidArgument("argument '{}' has no valid type", arg.name);
      types.push_back(arg.is_ref ? RefType(type) : type);
      return OkStatus();
    };
    WEIR_ASSIGN(const int count, ArgCount(arg, attrs));
    if (!arg.type_list_attr.empty()) {
      for (const DType type : *attrs.find(arg.type_list_attr)->second.As<std::vector<DType>>()) WEIR_TRY(add(type));
      continue;
    }
    DType type = arg.type;
    if (!arg.type_attr.empty()) {
      WEIR_ASSIGN(type, GetAttr<DType>(attrs, arg.type_attr));
    }
    for (int i = 0; i < count; ++i) WEIR_TRY(add(type));
  }
  return types;
}

}  // namespace weir
