// Row partitions of ragged tensors, and functions of their values and splits. weir/lib/ragged.py has the class.
#include "bind/ragged.h"

#include "bind/arguments.h"
#include "graph/compose/ragged.h"

namespace weir::python {
namespace {

using Rows = std::pair<Output, Output>;  // values and splits
Rows PairOf(const RaggedRows& rows) { return {rows.values, rows.splits}; }
std::vector<RaggedRows> PartsOf(const OutputList& values, const OutputList& splits) {
  if (values.empty() || values.size() != splits.size()) RaiseValue("a list of ragged tensors must not be empty");
  std::vector<RaggedRows> parts;
  for (size_t i = 0; i < values.size(); ++i) parts.push_back({values[i], splits[i]});
  return parts;
}

void BindPartitions(py::module_& m) {
  const auto no_name = py::arg("name") = py::none();
  Def(
      m, "ragged_splits_from_lengths",
      +[](Graph& g, Input lengths, Name n) { return RowSplitsFromLengths(g, lengths, n.text); }, py::arg("lengths"),
      no_name);
  Def(
      m, "ragged_splits_from_row_ids",
      +[](Graph& g, Input ids, Input rows, Name n) { return RowSplitsFromRowIds(g, ids, rows, n.text); },
      py::arg("ids"), py::arg("rows") = py::none(), no_name);
  Def(
      m, "ragged_splits_from_starts",
      +[](Graph& g, Input starts, Input count, Name n) { return RowSplitsFromStarts(g, starts, count, n.text); },
      py::arg("starts"), py::arg("count"), no_name);
  Def(
      m, "ragged_splits_from_limits",
      +[](Graph& g, Input limits, Name n) { return RowSplitsFromLimits(g, limits, n.text); }, py::arg("limits"),
      no_name);
  Def(
      m, "ragged_row_ids", +[](Graph& g, Input splits, Name n) { return RowIdsOf(g, splits, n.text); },
      py::arg("splits"), no_name);
  Def(
      m, "ragged_row_lengths", +[](Graph& g, Input splits, Name n) { return RowLengthsOf(g, splits, n.text); },
      py::arg("splits"), no_name);
}

}  // namespace

void BindRagged(py::module_& m) {
  BindPartitions(m);
  const auto no_name = py::arg("name") = py::none();
  Def(
      m, "ragged_from_tensor",
      +[](Graph& g, Input tensor, Input lengths, Input padding, DType splits_type, Name n) {
        return PairOf(RaggedFromTensor(g, tensor, lengths, padding, splits_type, n.text));
      },
      py::arg("tensor"), py::arg("lengths") = py::none(), py::arg("padding") = py::none(), py::arg("splits_type"),
      no_name);
  Def(
      m, "ragged_concat",
      +[](Graph& g, const OutputList& values, const OutputList& splits, Name n) {
        return PairOf(ConcatRaggedRows(g, PartsOf(values, splits), n.text));
      },
      py::arg("values"), py::arg("splits"), no_name);
  Def(
      m, "ragged_join",
      +[](Graph& g, const OutputList& values, const OutputList& splits, Name n) {
        return PairOf(JoinRaggedRows(g, PartsOf(values, splits), n.text));
      },
      py::arg("values"), py::arg("splits"), no_name);
  Def(
      m, "ragged_reduce",
      +[](Graph& g, const std::string& op, Output values, Output splits, bool over_rows, Name n) {
        return ReduceRagged(g, op, {values, splits}, over_rows, n.text);
      },
      py::arg("op"), py::arg("values"), py::arg("splits"), py::arg("over_rows"), no_name);
  Def(
      m, "ragged_to_dense",
      +[](Graph& g, Input values, const OutputList& splits, Input filler, Input shape, Name n) {
        return RaggedToDense(g, values, splits, filler, shape, n.text);
      },
      py::arg("values"), py::arg("splits"), py::arg("filler") = py::none(), py::arg("shape") = py::none(), no_name);
}

}  // namespace weir::python
