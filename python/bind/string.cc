// String functions whose public signature differs from that of a single op.
#include "graph/compose/string.h"
#include "bind/arguments.h"
#include "bind/sparse.h"
#include "graph/build/string_ops.h"

namespace weir::python {
namespace {

py::object SparseResult(Node* node) {
  return node == nullptr ? py::none() : WrapSparse(Output(node, 0), Output(node, 1), Output(node, 2));
}

bool IsText(const py::object& x) { return PyUnicode_Check(x.ptr()) || PyBytes_Check(x.ptr()); }

// Uses the op with patterns as attributes if they are constant.
Output Replace(Graph& g, Input input, py::object pattern, py::object rewrite, bool global, const Name& name) {
  if (IsText(pattern) && IsText(rewrite))
    return StaticRegexReplace(g, input, pattern.cast<std::string>(), rewrite.cast<std::string>(),
                              {.replace_global = global, .name = name.text});
  return RegexReplace(g, input, InputFrom(pattern), InputFrom(rewrite), {.replace_global = global, .name = name.text});
}

Output FullMatch(Graph& g, Input input, py::object pattern, const Name& name) {
  if (IsText(pattern)) return StaticRegexFullMatch(g, input, pattern.cast<std::string>(), {.name = name.text});
  return RegexFullMatch(g, input, InputFrom(pattern), {.name = name.text});
}

}  // namespace

void BindString(py::module_& m) {
  const auto no_name = py::arg("name") = py::none();
  Def(
      m, "string_split",
      +[](Graph& g, Input source, Input sep, bool skip_empty, const Name& n) {
        return SparseResult(SplitAtAny(g, source, sep, skip_empty, n.text));
      },
      py::arg("source"), py::arg("sep") = py::none(), py::arg("skip_empty") = true, no_name);
  Def(
      m, "string_split_v2",
      +[](Graph& g, Input input, Input sep, int64_t maxsplit, const Name& n) {
        return SparseResult(SplitAt(g, input, sep, maxsplit, n.text));
      },
      py::arg("input"), py::arg("sep") = py::none(), py::arg("maxsplit") = -1, no_name);
  Def(
      m, "reduce_join",
      +[](Graph& g, Input inputs, Input axis, bool keep, const std::string& separator, const Name& n) {
        return JoinStrings(g, inputs, axis, keep, separator, n.text);
      },
      py::arg("inputs"), py::arg("axis") = py::none(), py::arg("keepdims") = false, py::arg("separator") = "", no_name);
  Def(m, "regex_replace", &Replace, py::arg("input"), py::arg("pattern"), py::arg("rewrite"),
      py::arg("replace_global") = true, no_name);
  Def(m, "regex_full_match", &FullMatch, py::arg("input"), py::arg("pattern"), no_name);
  Def(
      m, "decode_csv",
      +[](Graph& g, Input records, InputList defaults, const std::string& delimiter, bool quotes, const Name& n,
          const std::string& missing, const std::optional<std::vector<int64_t>>& columns) {
        return DecodeCsvRecords(g, records, defaults, {delimiter, quotes, missing, columns, n.text});
      },
      py::arg("records"), py::arg("record_defaults"), py::arg("field_delim") = ",", py::arg("use_quote_delim") = true,
      no_name, py::arg("na_value") = "", py::arg("select_cols") = py::none());
}

}  // namespace weir::python
