#include "op_signatures/writer.h"

#include <set>

#include "absl/strings/escaping.h"
#include "absl/strings/str_join.h"

namespace weir {
namespace {

// The text of a default value. One overload per kind of attribute.
struct DefaultText {
  std::string operator()(const std::string& v) const { return '"' + absl::CEscape(v) + '"'; }
  std::string operator()(int64_t v) const { return fmt::format("{}", v); }
  std::string operator()(bool v) const { return v ? "true" : "false"; }
  std::string operator()(float v) const { return fmt::format("{}", v); }  // the shortest text that parses to v
  std::string operator()(DType v) const { return OpDefTypeName(v); }
  std::string operator()(const PartialShape& v) const {
    return v.known_rank() ? fmt::format("[{}]", absl::StrJoin(v.dims(), ", ")) : "?";
  }
  std::string operator()(EmptyList) const { return "[]"; }
  template <class T>
  std::string operator()(const std::vector<T>& v) const {
    std::vector<std::string> items;
    for (const T& item : v) items.push_back((*this)(item));
    return '[' + absl::StrJoin(items, ", ") + ']';
  }
  std::string operator()(const std::vector<bool>& v) const {
    std::vector<std::string> items;
    for (bool item : v) items.push_back((*this)(item));
    return '[' + absl::StrJoin(items, ", ") + ']';
  }
  // Tensors and functions have no text: the registry fills them in.
  template <class T>
  std::string operator()(const T&) const {
    return "...";
  }
};

std::string ArgText(const ArgDef& arg) {
  if (!arg.type_list_attr.empty()) return fmt::format("{}: list({})", arg.name, arg.type_list_attr);
  std::string type = arg.type_attr.empty() ? OpDefTypeName(arg.type) : arg.type_attr;
  if (arg.is_ref) type = fmt::format("Ref({})", type);
  if (!arg.number_attr.empty()) type = fmt::format("{} * {}", arg.number_attr, type);
  return fmt::format("{}: {}", arg.name, type);
}

std::string ArgsText(const std::vector<ArgDef>& args) {
  return absl::StrJoin(args, ", ", [](std::string* out, const ArgDef& arg) { *out += ArgText(arg); });
}

}  // namespace

std::string Signature(const OpDef& op) {
  std::set<std::string> inferred;
  for (const ArgDef& input : op.inputs) inferred.insert({input.type_attr, input.type_list_attr, input.number_attr});
  std::vector<std::string> attrs;
  for (const AttrDef& attr : op.attrs) {
    if (inferred.contains(attr.name)) continue;
    attrs.push_back(fmt::format("{}: {}", attr.name, attr.type));
    if (attr.default_value.has_value()) attrs.back() += " = " + std::visit(DefaultText(), attr.default_value->value());
  }
  return fmt::format("{}({}{}{}){}{}", op.name, ArgsText(op.inputs), attrs.empty() ? "" : "; ",
                     absl::StrJoin(attrs, ", "), op.outputs.empty() ? "" : " -> ", ArgsText(op.outputs));
}

std::string Signatures(const OpRegistry& registry) {
  std::string text;
  for (const std::string& name : registry.Names()) {
    if (name.starts_with("_")) continue;  // internal ops: _Arg, _Retval
    const OpDef* op = registry.Find(name);
    WEIR_CHECK(op != nullptr, name);
    text += Signature(*op) + "\n";
  }
  return text;
}

}  // namespace weir
