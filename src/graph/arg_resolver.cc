#include "graph/arg_resolver.h"

#include <algorithm>
#include <optional>

#include "graph/literal_error.h"
#include "graph/texts.h"

namespace weir {
namespace {

// The types that a type attribute allows, for error messages.
std::string AllowedTypes(const OpDef& op, const std::string& attr) {
  std::string text;
  if (const AttrDef* def = op.FindAttr(attr))
    for (DType t : def->allowed_types) text += (text.empty() ? "" : ", ") + DTypeName(t);
  return text;
}

}  // namespace

Status ArgResolver::Prepare() {
  WEIR_TRY(CheckGraphs());
  for (size_t i = 0; i < op_.inputs.size(); ++i) {
    const ArgDef& arg = op_.inputs[i];
    for (const Input& input : args_(i))
      if (input.failed() && &input.output().graph() == &graph_)
        return Aborted("input '{}' of op {} could not be built", arg.name, op_.name);
    if (in_order_ || arg.type_attr.empty() || attrs_.contains(arg.type_attr)) continue;
    for (const Input& input : args_(i)) {
      if (!input.is_output()) continue;
      attrs_[arg.type_attr] = BaseType(input.output().dtype());
      inferred_from_[arg.type_attr] = arg.name;
      break;
    }
  }
  return OkStatus();
}

Status ArgResolver::Resolve(const ArgDef& arg, const InputList& inputs, std::vector<Output>* out) {
  const size_t first = out->size();
  if (!arg.type_list_attr.empty()) {
    WEIR_TRY(ResolveTypeList(arg, inputs, out));
  } else if (!arg.number_attr.empty()) {
    WEIR_TRY(ResolveNumbered(arg, inputs, out));
  } else {
    WEIR_TRY(ResolveSingle(arg, inputs[0], out));
  }
  for (size_t i = first; arg.is_ref && i < out->size(); ++i) {
    const Output& value = (*out)[i];
    if (!IsRef(value.dtype()))
      return MarkTypeError(
          InvalidArgument("'{}' Op requires that input '{}' be a mutable tensor (e.g.: a tf.Variable); '{}' is {}",
                          op_.name, arg.name, value.name(), value.dtype()));
  }
  return OkStatus();
}

Status ArgResolver::CheckInputTypes(const std::vector<Output>& inputs) const {
  size_t at = 0;
  for (size_t i = 0; i < op_.inputs.size(); ++i)
    for (size_t count = args_(i).size(); count > 0; --count) WEIR_TRY(CheckAllowed(op_.inputs[i], inputs[at++]));
  return OkStatus();
}

Status ArgResolver::CheckGraphs() const {
  const Input* other = nullptr;
  const Input* own = nullptr;
  const ArgDef* arg = nullptr;
  for (size_t i = 0; i < op_.inputs.size(); ++i) {
    for (const Input& input : args_(i)) {
      if (!input.is_output()) continue;
      if (&input.output().graph() == &graph_) {
        if (own == nullptr) own = &input;
      } else if (other == nullptr) {
        other = &input;
        arg = &op_.inputs[i];
      }
    }
  }
  if (other == nullptr) return OkStatus();
  if (own == nullptr)
    return InvalidArgument("{} (input '{}' of op {}) is of another graph than the one that is being built",
                           PythonText(other->output()), arg->name, op_.name);
  return InvalidArgument("{} must be from the same graph as {} (input '{}' of op {})", PythonText(other->output()),
                         PythonText(own->output()), arg->name, op_.name);
}

Result<DType> ArgResolver::Wanted(const ArgDef& arg) const {
  if (arg.type_attr.empty()) return arg.type;
  const auto it = attrs_.find(arg.type_attr);
  if (it == attrs_.end()) return kInvalidType;
  const DType* type = it->second.As<DType>();
  if (type == nullptr) return WrongAttrKind(arg.type_attr, it->second, "type");
  return BaseType(*type);
}

void ArgResolver::SetType(const ArgDef& arg, DType type) {
  if (arg.type_attr.empty()) return;
  if (attrs_.try_emplace(arg.type_attr, AttrValue(type)).second) inferred_from_[arg.type_attr] = arg.name;
}

Status ArgResolver::ResolveSingle(const ArgDef& arg, const Input& input, std::vector<Output>* out) {
  WEIR_ASSIGN(const DType wanted, Wanted(arg));
  Output value;
  if (input.absent()) {
    return InvalidArgument("Tried to convert '{}' to a tensor and failed. Error: None values not supported.", arg.name);
  }
  if (input.is_output()) {
    value = input.output();
  } else {
    auto made = input.literal()->ToOutput(graph_, PreferredType(arg, input, wanted), arg.name);
    if (!made.ok()) return LiteralError(arg, wanted, made.status());
    value = *made;
  }
  const DType given = value.base_dtype();
  if (wanted != kInvalidType && given != wanted) {
    const auto [type, from] = ExpectedTypeText(arg, wanted);
    return MarkTypeError(
        InvalidArgument("Input '{}' of '{}' Op has type {} that does not match {}. ('{}' of type {}{})", arg.name,
                        op_.name, arg.is_ref ? value.dtype() : given, type, value.name(), given, from));
  }
  if (wanted == kInvalidType) WEIR_TRY(CheckAllowed(arg, value));
  SetType(arg, given);
  out->push_back(value);
  return OkStatus();
}

Status ArgResolver::ResolveNumbered(const ArgDef& arg, const InputList& inputs, std::vector<Output>* out) {
  const auto from = inferred_from_.find(arg.type_attr);
  const bool inferred_here = from != inferred_from_.end() && from->second == arg.name;
  const bool inferred_before = !arg.type_attr.empty() && attrs_.contains(arg.type_attr) && !inferred_here;
  WEIR_ASSIGN(DType wanted, Wanted(arg));
  for (size_t i = 0; i < inputs.size() && wanted == kInvalidType; ++i)
    if (inputs[i].is_output()) wanted = inputs[i].output().base_dtype();
  std::vector<Output> values;
  bool match = true;
  for (size_t i = 0; i < inputs.size() && match; ++i) {
    const Input& input = inputs[i];
    if (input.is_output()) {
      values.push_back(input.output());
    } else if (input.absent()) {
      match = false;
      break;
    } else {
      auto made =
          input.literal()->ToOutput(graph_, PreferredType(arg, input, wanted), fmt::format("{}_{}", arg.name, i));
      match = made.ok();
      if (!match && !LiteralOf(made.status()).has_value())
        return WithContext(made.status(), fmt::format("input '{}' of op {}", arg.name, op_.name));
      if (match) values.push_back(*made);
    }
    if (match && wanted == kInvalidType && !in_order_) wanted = values.back().base_dtype();
    match = match && values.back().base_dtype() == (wanted == kInvalidType ? values[0].base_dtype() : wanted);
  }
  if (!match) {
    const bool fixed = arg.type_attr.empty();
    return MarkTypeError(InvalidArgument(
        "Tensors in list passed to '{}' of '{}' Op have types [{}] {}.{}", arg.name, op_.name, ObservedTypes(inputs),
        fixed             ? fmt::format("that do not match expected type {}", wanted)
        : inferred_before ? fmt::format("that do not match type {} inferred from earlier arguments", wanted)
                          : "that don't all match",
        NamedTensors(inputs)));
  }
  WEIR_TRY(SetNumber(arg, static_cast<int64_t>(inputs.size())));
  if (!values.empty()) {
    if (wanted == kInvalidType || !inferred_before) WEIR_TRY(CheckAllowed(arg, values[0]));
    SetType(arg, values[0].base_dtype());
  } else if (!arg.type_attr.empty() && !inferred_before && !HasDefault(arg.type_attr)) {
    return MarkTypeError(
        InvalidArgument("Don't know how to infer type variable from empty input list passed to input '{}' of '{}' Op.",
                        arg.name, op_.name));
  }
  out->insert(out->end(), values.begin(), values.end());
  return OkStatus();
}

bool ArgResolver::HasDefault(const std::string& attr) const {
  const AttrDef* def = op_.FindAttr(attr);
  return def != nullptr && def->default_value.has_value();
}

Status ArgResolver::SetNumber(const ArgDef& arg, int64_t count) {
  auto [it, added] = attrs_.try_emplace(arg.number_attr, AttrValue(count));
  if (!added) {
    const int64_t* given = it->second.As<int64_t>();
    if (given != nullptr && *given == count) return OkStatus();
    const auto from = inferred_from_.find(arg.number_attr);
    return InvalidArgument("List argument '{}' to '{}' Op with length {} must match length {} of argument '{}'.",
                           arg.name, op_.name, count, it->second.ToString(),
                           from == inferred_from_.end() ? arg.number_attr : from->second);
  }
  inferred_from_[arg.number_attr] = arg.name;
  const AttrDef* def = op_.FindAttr(arg.number_attr);
  if (def != nullptr && def->minimum.has_value() && count < *def->minimum)
    return InvalidArgument("List argument '{}' to '{}' Op with length {} shorter than minimum length {}.", arg.name,
                           op_.name, count, *def->minimum);
  return OkStatus();
}

std::string ArgResolver::ObservedTypes(const InputList& inputs) {
  std::string text;
  for (const Input& input : inputs) {
    if (!text.empty()) text += ", ";
    std::optional<Tensor> value;
    if (!input.is_output() && !input.absent()) value = input.literal()->Value(kInvalidType);
    text += input.is_output()   ? DTypeName(input.output().base_dtype())
            : value.has_value() ? DTypeName(value->dtype())
                                : "<NOT CONVERTIBLE TO TENSOR>";
  }
  return text;
}

std::string ArgResolver::NamedTensors(const InputList& inputs) {
  std::string text;
  for (const Input& input : inputs)
    if (input.is_output())
      text += fmt::format("{}'{}' of type {}", text.empty() ? " (" : ", ", input.output().name(),
                          input.output().base_dtype());
  return text.empty() ? text : text + ")";
}

DType ArgResolver::PreferredType(const ArgDef& arg, const Input& input, DType wanted) const {
  if (wanted != kInvalidType || arg.type_attr.empty()) return wanted;
  const AttrDef* def = op_.FindAttr(arg.type_attr);
  if (def == nullptr || !def->default_value.has_value()) return kInvalidType;
  const DType fallback = *def->default_value->As<DType>();
  if (input.literal()->NaturalType() == fallback) return kInvalidType;
  const std::optional<Tensor> natural = input.literal()->Value(kInvalidType);
  if (!natural.has_value() || natural->dtype() == fallback) return kInvalidType;
  if (std::find(def->allowed_types.begin(), def->allowed_types.end(), natural->dtype()) != def->allowed_types.end())
    return kInvalidType;
  return input.literal()->Value(fallback).has_value() ? fallback : kInvalidType;
}

Status ArgResolver::LiteralError(const ArgDef& arg, DType wanted, const Status& status) const {
  const std::optional<std::string> shown = LiteralOf(status);
  if (!shown.has_value()) return WithContext(status, fmt::format("input '{}' of op {}", arg.name, op_.name));
  if (!IsTypeError(status))
    return InvalidArgument("Tried to convert '{}' to a tensor and failed. Error: {}", arg.name,
                           std::string(status.message()));
  if (wanted == kInvalidType) return status;
  return MarkTypeError(InvalidArgument("Expected {} passed to parameter '{}' of op '{}', got {} instead. Error: {}",
                                       BaseType(wanted), arg.name, op_.name, *shown, std::string(status.message())));
}

Status ArgResolver::CheckAllowed(const ArgDef& arg, Output value) const {
  const std::string& attr = arg.type_attr.empty() ? arg.type_list_attr : arg.type_attr;
  const AttrDef* def = attr.empty() ? nullptr : op_.FindAttr(attr);
  const DType given = value.base_dtype();
  if (def == nullptr || def->allowed_types.empty() ||
      std::find(def->allowed_types.begin(), def->allowed_types.end(), given) != def->allowed_types.end())
    return OkStatus();
  return MarkTypeError(InvalidArgument(
      "Value passed to parameter '{}' has DataType {} not in list of allowed values: {} ('{}' of type {}, op {})",
      arg.name, given, AllowedTypes(op_, attr), value.name(), given, op_.name));
}

std::pair<std::string, std::string> ArgResolver::ExpectedTypeText(const ArgDef& arg, DType wanted) const {
  if (arg.type_attr.empty()) return {fmt::format("expected type of {}", wanted), ""};
  const auto from = inferred_from_.find(arg.type_attr);
  const std::string name = from == inferred_from_.end() ? arg.type_attr : from->second;
  const std::string type = fmt::format("type {} of argument '{}'", wanted, name);
  for (size_t i = 0; i < op_.inputs.size(); ++i) {
    if (op_.inputs[i].name != name) continue;
    for (const Input& input : args_(i))
      if (input.is_output()) return {type, fmt::format(", '{}' of type {}", input.output().name(), wanted)};
  }
  return {type, ""};
}

Status ArgResolver::ResolveTypeList(const ArgDef& arg, const InputList& inputs, std::vector<Output>* out) {
  std::optional<std::vector<DType>> wanted;
  if (auto it = attrs_.find(arg.type_list_attr); it != attrs_.end()) {
    const auto* types = it->second.As<std::vector<DType>>();
    if (types == nullptr) return WrongAttrKind(arg.type_list_attr, it->second, "list(type)");
    wanted = *types;
  }
  std::vector<DType> types;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const DType t = wanted.has_value() && i < wanted->size() ? (*wanted)[i] : kInvalidType;
    Output value;
    if (inputs[i].is_output()) {
      value = inputs[i].output();
    } else {
      if (inputs[i].absent()) return InvalidTypeList(arg, inputs);
      auto made =
          inputs[i].literal()->ToOutput(graph_, in_order_ ? kInvalidType : t, fmt::format("{}_{}", arg.name, i));
      if (!made.ok() && !LiteralOf(made.status()).has_value())
        return WithContext(made.status(), fmt::format("input '{}' of op {}", arg.name, op_.name));
      if (!made.ok()) return t == kInvalidType ? InvalidTypeList(arg, inputs) : LiteralError(arg, t, made.status());
      value = *made;
    }
    if (!wanted.has_value()) WEIR_TRY(CheckAllowed(arg, value));
    types.push_back(value.base_dtype());
    out->push_back(value);
  }
  if (wanted.has_value() && *wanted != types) {
    const auto from = inferred_from_.find(arg.type_list_attr);
    return MarkTypeError(
        InvalidArgument("Input '{}' of '{}' Op has type list of {} that does not match type list {} of argument '{}'.",
                        arg.name, op_.name, fmt::join(types, ", "), fmt::join(*wanted, ", "),
                        from == inferred_from_.end() ? arg.type_list_attr : from->second));
  }
  if (!wanted.has_value()) inferred_from_[arg.type_list_attr] = arg.name;
  attrs_[arg.type_list_attr] = std::move(types);
  return OkStatus();
}

Status ArgResolver::InvalidTypeList(const ArgDef& arg, const InputList& inputs) const {
  return MarkTypeError(InvalidArgument("Tensors in list passed to '{}' of '{}' Op have types [{}] that are invalid.",
                                       arg.name, op_.name, ObservedTypes(inputs)));
}

}  // namespace weir
