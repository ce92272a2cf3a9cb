#include "build_functions/writer.h"

#include <cmath>
#include <limits>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_join.h"

namespace weir {
namespace {

// Ops whose function has another name: `Shape` is a class.
constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {{"Shape", "ShapeOf"}};
// Ops that get no function. `Variable` is the old form of VariableV2, and its name is taken by a class.
constexpr std::string_view kLeftOut[] = {"Variable"};

// Appends an underscore to argument and attribute names that are C++ keywords.
std::string Identifier(const std::string& name) {
  static const std::set<std::string_view> kReserved = {
      "and",     "asm",       "auto",     "bool",      "break",  "case",     "catch",   "char",     "class",
      "const",   "continue",  "default",  "delete",    "do",     "double",   "else",    "enum",     "explicit",
      "export",  "extern",    "false",    "float",     "for",    "friend",   "goto",    "if",       "inline",
      "int",     "long",      "mutable",  "namespace", "new",    "not",      "nullptr", "operator", "or",
      "private", "protected", "public",   "register",  "return", "short",    "signed",  "sizeof",   "static",
      "struct",  "switch",    "template", "this",      "throw",  "true",     "try",     "typedef",  "typename",
      "union",   "unsigned",  "using",    "virtual",   "void",   "volatile", "while",   "xor"};
  return kReserved.contains(name) ? name + "_" : name;
}

std::string FunctionName(const OpDef& op) {
  for (const auto& [name, function] : kRenamed)
    if (op.name == name) return std::string(function);
  return op.name;
}

bool HasFunction(const std::string& op) {
  for (std::string_view name : kLeftOut)
    if (op == name) return false;
  return op[0] != '_';  // internal ops: _Arg, _Retval
}

std::string CppType(std::string_view kind) {
  constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {"type", "DType"},         {"int", "int64_t"},        {"float", "float"},   {"bool", "bool"},
      {"string", "std::string"}, {"shape", "PartialShape"}, {"tensor", "Tensor"}, {"func", "FuncAttr"}};
  if (kind.starts_with("list(")) return fmt::format("std::vector<{}>", CppType(kind.substr(5, kind.size() - 6)));
  for (const auto& [name, type] : kTypes)
    if (kind == name) return std::string(type);
  WEIR_CHECK(false, std::string(kind));
  return "";
}

// Writes an attribute value as a C++ default. One overload per kind of attribute.
struct Spelling {
  std::string operator()(std::monostate) const { return "{}"; }
  std::string operator()(const std::string& v) const { return '"' + absl::CEscape(v) + '"'; }
  std::string operator()(int64_t v) const {
    return v == std::numeric_limits<int64_t>::min() ? "INT64_MIN" : fmt::format("{}", v);
  }
  std::string operator()(bool v) const { return v ? "true" : "false"; }
  std::string operator()(float v) const {
    if (!std::isfinite(v))
      return fmt::format("{}std::numeric_limits<float>::{}()", v < 0 ? "-" : "",
                         std::isnan(v) ? "quiet_NaN" : "infinity");
    const std::string text = fmt::format("{}", v);  // the shortest text that parses to the same number
    return text + (text.find_first_of(".e") == std::string::npos ? ".0f" : "f");
  }
  std::string operator()(DType v) const {
    if (v == kInvalidType) return "kInvalidType";
    if (v == kBFloat16) return "kBFloat16";
    std::string name = OpDefTypeName(v);  // "complex64" -> "kComplex64"
    name[0] = absl::ascii_toupper(name[0]);
    return "k" + name;
  }
  std::string operator()(const PartialShape& v) const {
    if (!v.known_rank()) return "PartialShape()";
    return v.rank() == 0 ? "PartialShape::Scalar()" : fmt::format("PartialShape{{{}}}", absl::StrJoin(v.dims(), ", "));
  }
  std::string operator()(const std::vector<bool>& v) const {
    std::vector<std::string> items;
    for (bool item : v) items.push_back((*this)(item));
    return '{' + absl::StrJoin(items, ", ") + '}';
  }
  template <class T>
  std::string operator()(const std::vector<T>& v) const {
    std::vector<std::string> items;
    for (const T& item : v) items.push_back((*this)(item));
    return '{' + absl::StrJoin(items, ", ") + '}';
  }
  template <class T>
  std::string operator()(const T&) const {
    return "{}";
  }  // functions and tensors have no default here
};

// A tensor attribute is optional in the struct. If unset, the schema's default applies.
bool IsTensor(const AttrDef& attr) { return attr.type == "tensor"; }

// Writes the declaration and the definition of one op's functions.
class Function {
 public:
  explicit Function(const OpDef& op) : op_(op), name_(FunctionName(op)), attrs_name_(name_ + "Attrs") {
    std::set<std::string> inferred;  // attributes inferred from the inputs are not parameters
    for (const ArgDef& input : op.inputs) {
      inferred.insert({input.type_attr, input.type_list_attr, input.number_attr});
      parameters_.push_back(
          fmt::format("const {}& {}", input.is_list() ? "InputList" : "Input", Identifier(input.name)));
      arguments_.push_back(Identifier(input.name));
    }
    for (const AttrDef& attr : op.attrs) {
      if (inferred.contains(attr.name)) continue;
      if (attr.default_value.has_value()) {
        optional_.push_back(&attr);
        continue;
      }
      required_.push_back(&attr);
      const std::string type = CppType(attr.type);
      const bool by_value = type == "DType" || type == "int64_t" || type == "float" || type == "bool";
      parameters_.push_back(by_value ? fmt::format("{} {}", type, Identifier(attr.name))
                                     : fmt::format("const {}& {}", type, Identifier(attr.name)));
      arguments_.push_back(Identifier(attr.name));
    }
    parameters_.push_back(fmt::format("const {}& attrs", attrs_name_));
    arguments_.push_back("attrs");
    bool lists = false;
    for (const ArgDef& output : op.outputs) lists = lists || output.is_list();
    if (op.outputs.empty())
      result_ = "Node*";
    else if (lists)
      result_ = "OutputList";
    else
      result_ = op.outputs.size() == 1 ? "Output" : name_ + "Result";
  }

  std::string Declaration() const {
    std::string text = fmt::format("\nstruct {} {{\n", attrs_name_);
    for (const AttrDef* attr : optional_)
      text += IsTensor(*attr) ? fmt::format("  std::optional<Tensor> {};\n", Identifier(attr->name))
                              : fmt::format("  {} {} = {};\n", CppType(attr->type), Identifier(attr->name),
                                            std::visit(Spelling(), attr->default_value->value()));
    text += "  std::string name = \"\";\n};\n";
    if (has_result_struct()) {
      text += fmt::format("struct {} {{\n", result_);
      for (const ArgDef& output : op_.outputs) text += fmt::format("  Output {};\n", Identifier(output.name));
      text += "};\n";
    }
    text += fmt::format("{} = {{}});\n", WithGraph());
    if (!op_.inputs.empty()) text += fmt::format("{} = {{}});\n", WithoutGraph());
    return text;
  }

  std::string Definition() const {
    std::string text = fmt::format("\n{}) {{\n  NodeBuilder node(graph, \"{}\", attrs.name);\n", WithGraph(), op_.name);
    for (const ArgDef& input : op_.inputs) text += fmt::format("  node.In({});\n", Identifier(input.name));
    for (const AttrDef* attr : required_)
      text += fmt::format("  node.Attr(\"{}\", {});\n", attr->name, Identifier(attr->name));
    for (const AttrDef* attr : optional_)
      text += IsTensor(*attr) ? fmt::format("  if (attrs.{0}.has_value()) node.Attr(\"{1}\", *attrs.{0});\n",
                                            Identifier(attr->name), attr->name)
                              : fmt::format("  node.Attr(\"{}\", attrs.{});\n", attr->name, Identifier(attr->name));
    if (has_result_struct()) {
      std::vector<std::string> fields;
      for (size_t i = 0; i < op_.outputs.size(); ++i) fields.push_back(fmt::format("outputs[{}]", i));
      text += fmt::format("  const OutputList outputs = node.BuildOutputs({});\n  return {{{}}};\n}}\n", fields.size(),
                          absl::StrJoin(fields, ", "));
    } else {
      text += fmt::format("  return node.Build{}();\n}}\n", result_ == "Node*"        ? "Node"
                                                            : result_ == "OutputList" ? "Outputs"
                                                                                      : "Output");
    }
    if (op_.inputs.empty()) return text;
    std::vector<std::string> lists;
    for (const ArgDef& input : op_.inputs)
      lists.push_back(input.is_list() ? Identifier(input.name)
                                      : fmt::format("InputList{{{}}}", Identifier(input.name)));
    return text + fmt::format(
                      "{}) {{\n  Graph* graph = GraphOfAll({{{}}});\n  if (graph == nullptr) return {{}};\n  return "
                      "{}(*graph, {});\n}}\n",
                      WithoutGraph(), absl::StrJoin(lists, ", "), name_, absl::StrJoin(arguments_, ", "));
  }

 private:
  bool has_result_struct() const { return result_ == name_ + "Result"; }
  // The two signatures, up to the last parameter: the declaration appends a default argument.
  std::string WithGraph() const {
    return fmt::format("{} {}(Graph& graph, {}", result_, name_, absl::StrJoin(parameters_, ", "));
  }
  std::string WithoutGraph() const { return fmt::format("{} {}({}", result_, name_, absl::StrJoin(parameters_, ", ")); }

  const OpDef& op_;
  const std::string name_;
  const std::string attrs_name_;
  std::string result_;
  std::vector<std::string> parameters_;
  std::vector<std::string> arguments_;
  std::vector<const AttrDef*> required_;
  std::vector<const AttrDef*> optional_;
};

}  // namespace

BuildFunctionFiles WriteBuildFunctions(std::string_view group, const OpRegistry& registry) {
  const std::string guard = fmt::format("WEIR_GRAPH_BUILD_{}_OPS_H_", absl::AsciiStrToUpper(std::string(group)));
  BuildFunctionFiles files;
  files.header = fmt::format(
      "// Graph-building functions for the ops of ops/{}, one per op: written by `make generate`, not by hand.\n"
      "// Inputs first, then attributes without a default; the rest are in the trailing struct.\n"
      "// clang-format off\n"
      "#ifndef {}\n#define {}\n\n#include <limits>\n\n#include \"graph/node_builder.h\"\n\nnamespace weir {{\n",
      group, guard, guard);
  files.source = fmt::format(
      "// Written by `make generate`, not by hand.\n// clang-format off\n#include "
      "\"graph/build/{}_ops.h\"\n\nnamespace weir {{\n",
      group);
  for (const std::string& name : registry.Names()) {
    if (!HasFunction(name)) continue;
    const OpDef* op = registry.Find(name);
    WEIR_CHECK(op != nullptr, name);
    const Function function(*op);
    files.header += function.Declaration();
    files.source += function.Definition();
  }
  files.header += fmt::format("\n}}  // namespace weir\n\n#endif  // {}\n", guard);
  files.source += "\n}  // namespace weir\n";
  return files;
}

}  // namespace weir
