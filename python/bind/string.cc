// Functions on strings whose public signature is not that of one op.
#include "bind/arguments.h"
#include "bind/sparse.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/string_ops.h"
#include "graph/compose/dims.h"

namespace weir::python {
namespace {

py::object SparseResult(Node* node) { return node == nullptr ? py::none() : WrapSparse(Output(node, 0), Output(node, 1), Output(node, 2)); }

std::string ScopeName(const Name& name, const char* otherwise) { return name.given() ? name.text : otherwise; }

py::object Split(Graph& g, Input source, Input sep, bool skip_empty, const Name& name) {
  NameScope scope(g, ScopeName(name, "StringSplit"));
  Output delimiter = ValueOf(g, sep.absent() ? Input(" ") : sep, kString, "Const");
  Output text = ValueOf(g, source, kString, "Const");
  return SparseResult(NodeBuilder(g, "StringSplit").In(text).In(delimiter).Attr("skip_empty", skip_empty).BuildNode());
}

py::object SplitV2(Graph& g, Input input, Input sep, int64_t maxsplit, const Name& name) {
  NameScope scope(g, ScopeName(name, "StringSplit"));
  Output text = ValueOf(g, input, kString, "Const");
  Output separator = ValueOf(g, sep.absent() ? Input("") : sep, kString, "Const");
  return SparseResult(NodeBuilder(g, "StringSplitV2").In(text).In(separator).Attr("maxsplit", maxsplit).BuildNode());
}

Output JoinOver(Graph& g, Input inputs, Input axis, bool keep_dims, const std::string& separator, const Name& name) {
  NameScope scope(g, "ReduceJoin");
  Output x = ValueOf(g, inputs, kString, "inputs");
  if (!x.valid()) return {};
  // All axes, the last first: the strings in their order.
  Input over = axis;
  if (axis.absent() && x.shape().known_rank()) {
    std::vector<int64_t> axes;
    for (int i = x.shape().rank() - 1; i >= 0; --i) axes.push_back(i);
    over = axes.empty() ? Input(Tensor::Vector<int32_t>({})) : Input(axes);
  } else if (axis.absent()) {
    over = Range(g, SubInput(Rank(g, x), 1), -1, -1);
  }
  return ReduceJoin(g, x, over, {.keep_dims = keep_dims, .separator = separator, .name = name.text});
}

bool IsText(const py::object& x) { return PyUnicode_Check(x.ptr()) || PyBytes_Check(x.ptr()); }

// Patterns that are known now are attributes.
Output Replace(Graph& g, Input input, py::object pattern, py::object rewrite, bool global, const Name& name) {
  if (IsText(pattern) && IsText(rewrite))
    return StaticRegexReplace(g, input, pattern.cast<std::string>(), rewrite.cast<std::string>(), {.replace_global = global, .name = name.text});
  return RegexReplace(g, input, InputFrom(pattern), InputFrom(rewrite), {.replace_global = global, .name = name.text});
}

Output FullMatch(Graph& g, Input input, py::object pattern, const Name& name) {
  if (IsText(pattern)) return StaticRegexFullMatch(g, input, pattern.cast<std::string>(), {.name = name.text});
  return RegexFullMatch(g, input, InputFrom(pattern), {.name = name.text});
}

Result<OutputList> Csv(Graph& g, Input records, InputList record_defaults, const std::string& field_delim, bool use_quote_delim, const Name& name,
                       const std::string& na_value, const std::optional<std::vector<int64_t>>& select_cols) {
  if (select_cols.has_value()) {
    if (select_cols->size() != record_defaults.size()) return InvalidArgument("Length of select_cols and record_defaults do not match.");
    if (!std::is_sorted(select_cols->begin(), select_cols->end(), std::less_equal<>()))
      return InvalidArgument("select_cols is not strictly increasing.");
    if (!select_cols->empty() && select_cols->front() < 0) return InvalidArgument("select_cols contains negative values.");
  }
  return DecodeCSV(g, records, record_defaults,
                   {.field_delim = field_delim, .use_quote_delim = use_quote_delim, .na_value = na_value,
                    .select_cols = select_cols.value_or(std::vector<int64_t>()), .name = name.text});
}

}  // namespace

void BindString(py::module_& m) {
  const auto no_name = py::arg("name") = py::none();
  Def(m, "string_split", &Split, py::arg("source"), py::arg("sep") = py::none(), py::arg("skip_empty") = true, no_name);
  Def(m, "string_split_v2", &SplitV2, py::arg("input"), py::arg("sep") = py::none(), py::arg("maxsplit") = -1, no_name);
  Def(m, "reduce_join", &JoinOver, py::arg("inputs"), py::arg("axis") = py::none(), py::arg("keepdims") = false, py::arg("separator") = "", no_name);
  Def(m, "regex_replace", &Replace, py::arg("input"), py::arg("pattern"), py::arg("rewrite"), py::arg("replace_global") = true, no_name);
  Def(m, "regex_full_match", &FullMatch, py::arg("input"), py::arg("pattern"), no_name);
  Def(m, "decode_csv", &Csv, py::arg("records"), py::arg("record_defaults"), py::arg("field_delim") = ",", py::arg("use_quote_delim") = true, no_name,
      py::arg("na_value") = "", py::arg("select_cols") = py::none());
}

}  // namespace weir::python
