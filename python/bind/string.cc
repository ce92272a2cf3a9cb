// Functions on strings whose public signature is not that of one op: those that give SparseTensors.
#include "bind/arguments.h"
#include "bind/sparse.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/string_ops.h"
#include "graph/compose/dims.h"

namespace weir::python {
namespace {

Graph& GraphOfInput(const Input& x) { return x.is_output() ? x.output().graph() : DefaultGraphRef(); }

py::object SparseResult(Node* node) { return WrapSparse(Output(node, 0), Output(node, 1), Output(node, 2)); }

}  // namespace

void BindString(py::module_& m) {
  m.def(
      "string_split",
      [](Input source, Input sep, bool skip_empty, const Name& name) {
        Graph& g = GraphOfInput(source);
        return SparseResult(Take(NodeBuilder(g, "StringSplit", name.text).In(source).In(sep.absent() ? Input(" ") : sep).Attr("skip_empty", skip_empty).Build()));
      },
      py::arg("source"), py::arg("sep") = py::none(), py::arg("skip_empty") = true, py::arg("name") = py::none());
  m.def(
      "string_split_v2",
      [](Input input, Input sep, int64_t maxsplit, const Name& name) {
        Graph& g = GraphOfInput(input);
        return SparseResult(Take(NodeBuilder(g, "StringSplitV2", name.text).In(input).In(sep.absent() ? Input("") : sep).Attr("maxsplit", maxsplit).Build()));
      },
      py::arg("input"), py::arg("sep") = py::none(), py::arg("maxsplit") = -1, py::arg("name") = py::none());
  m.def(
      "reduce_join",
      [](Input inputs, Input axis, bool keep_dims, const std::string& separator, const Name& name) {
        Graph& g = GraphOfInput(inputs);
        Output x = ValueOf(g, inputs, kString, "inputs");
        Check(g.TakeError());
        // All axes, the last first: the strings in their order.
        Input over = axis;
        if (axis.absent() && x.shape().known_rank()) {
          std::vector<int64_t> axes;
          for (int i = x.shape().rank() - 1; i >= 0; --i) axes.push_back(i);
          over = axes.empty() ? Input(Tensor::Vector<int32_t>({})) : Input(axes);
        } else if (axis.absent()) {
          over = Range(g, SubInput(Rank(g, x), 1), -1, -1);
        }
        return Output(Take(NodeBuilder(g, "ReduceJoin", name.text).In(x).In(over).Attr("keep_dims", keep_dims).Attr("separator", separator).Build()), 0);
      },
      py::arg("inputs"), py::arg("axis") = py::none(), py::arg("keepdims") = false, py::arg("separator") = "", py::arg("name") = py::none());
}

}  // namespace weir::python
