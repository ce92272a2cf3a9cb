#include "graph/compose/string.h"

#include <algorithm>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/string_ops.h"
#include "graph/compose/dims.h"
#include "graph/compose/names.h"
#include "graph/node_builder.h"

namespace weir {

Node* SplitAtAny(Graph& graph, const Input& text_in, const Input& delimiters, bool skip_empty, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "StringSplit"));
  Output delimiter = ValueOf(graph, delimiters.absent() ? Input(" ") : delimiters, kString, "Const");
  Output text = ValueOf(graph, text_in, kString, "Const");
  return NodeBuilder(graph, "StringSplit").In(text).In(delimiter).Attr("skip_empty", skip_empty).BuildNode();
}

Node* SplitAt(Graph& graph, const Input& text_in, const Input& separator_in, int64_t max_splits, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "StringSplit"));
  Output text = ValueOf(graph, text_in, kString, "Const");
  Output separator = ValueOf(graph, separator_in.absent() ? Input("") : separator_in, kString, "Const");
  return NodeBuilder(graph, "StringSplitV2").In(text).In(separator).Attr("maxsplit", max_splits).BuildNode();
}

Output JoinStrings(Graph& graph, const Input& x_in, const Input& axis, bool keep_dims, const std::string& separator,
                   std::string name) {
  NameScope scope(graph, "ReduceJoin");
  Output x = ValueOrLiteralOf(graph, x_in, kString, "inputs");
  if (!x.valid()) return x;
  Input over = axis;
  if (axis.absent() && x.shape().known_rank()) {
    std::vector<int64_t> axes;
    for (int i = x.shape().rank() - 1; i >= 0; --i) axes.push_back(i);
    over = axes.empty() ? Input(Tensor::Vector<int32_t>({})) : Input(axes);
  } else if (axis.absent()) {
    over = Range(graph, SubInput(Rank(graph, x), 1), -1, -1);
  }
  return ReduceJoin(graph, x, over, {.keep_dims = keep_dims, .separator = separator, .name = std::move(name)});
}

Result<OutputList> DecodeCsvRecords(Graph& graph, const Input& records, const InputList& defaults,
                                    const CsvOptions& options) {
  if (options.columns.has_value()) {
    const std::vector<int64_t>& columns = *options.columns;
    if (columns.size() != defaults.size())
      return InvalidArgument("Length of select_cols and record_defaults do not match.");
    if (!std::is_sorted(columns.begin(), columns.end(), std::less_equal<>()))
      return InvalidArgument("select_cols is not strictly increasing.");
    if (!columns.empty() && columns.front() < 0) return InvalidArgument("select_cols contains negative values.");
  }
  return DecodeCSV(graph, records, defaults,
                   {.field_delim = options.field_delimiter,
                    .use_quote_delim = options.use_quotes,
                    .na_value = options.missing_value,
                    .select_cols = options.columns.value_or(std::vector<int64_t>()),
                    .name = options.name});
}

}  // namespace weir
