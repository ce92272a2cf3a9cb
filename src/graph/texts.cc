#include "graph/texts.h"

#include "graph/graph.h"

namespace weir {

std::string PythonText(const PartialShape& shape) {
  if (!shape.known_rank()) return "<unknown>";
  std::string text = "(";
  for (int i = 0; i < shape.rank(); ++i) {
    if (i > 0) text += ", ";
    text += shape.dim(i) < 0 ? std::string("?") : std::to_string(shape.dim(i));
  }
  return text + (shape.rank() == 1 ? ",)" : ")");
}

std::string PythonText(const Output& output) {
  const PartialShape shape = output.shape();
  std::string text = fmt::format("Tensor(\"{}\"", output.name());
  if (shape.known_rank()) text += ", shape=" + PythonText(shape);
  text += ", dtype=" + DTypeName(output.dtype());
  if (!output.node->device().empty()) text += ", device=" + output.node->device();
  return text + ")";
}

Status CheckScopeName(std::string_view name, bool at_root) {
  if (at_root ? IsValidNodeName(name) : IsValidScopeName(name)) return OkStatus();
  return InvalidArgument(
      "'{}' is not a valid {}scope name. A {}scope name has to match the following pattern: ^{}[{}]*$", name,
      at_root ? "root " : "", at_root ? "root " : "", at_root ? "[A-Za-z0-9.]" : "", R"(A-Za-z0-9_.\\/>-)");
}

}  // namespace weir
