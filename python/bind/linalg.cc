// tf.linalg: functions that consist of several ops. weir/lib/linear_operators.py has the linear operators.
#include "graph/compose/linalg.h"

#include "bind/arguments.h"
#include "graph/compose/dims.h"

namespace weir::python {

namespace {

NormOrder NormOrderFrom(const py::object& ord) {
  NormOrder order;
  if (PyUnicode_Check(ord.ptr())) {
    const std::string text = ord.cast<std::string>();
    if (text == "fro") {
      order.kind = NormOrder::kFrobenius;
    } else if (text != "euclidean") {
      RaiseValue(fmt::format("'ord' must be a supported norm, got {}", text));
    }
    return order;
  }
  order.power = py::cast<double>(py::float_(ord));
  if (!(order.power > 0)) RaiseValue(fmt::format("'ord' must be a supported norm, got {}", order.power));
  order.kind = std::isinf(order.power) ? NormOrder::kInfinity : NormOrder::kPower;
  return order;
}

void BindDiagonals(py::module_& m) {
  Def(
      m, "matrix_diag",
      +[](Graph& g, Input diagonal, Name n, Input k, Input rows, Input cols, Input padding, std::string align) {
        return MatrixWithDiagonals(g, diagonal, {k, align}, rows, cols, padding, n.text);
      },
      py::arg("diagonal"), py::arg("name") = "diag", py::arg("k") = 0, py::arg("num_rows") = -1,
      py::arg("num_cols") = -1, py::arg("padding_value") = 0, py::arg("align") = "RIGHT_LEFT");
  Def(
      m, "matrix_diag_part",
      +[](Graph& g, Input input, Name n, Input k, Input padding, std::string align) {
        return DiagonalsOfMatrix(g, input, {k, align}, padding, n.text);
      },
      py::arg("input"), py::arg("name") = "diag_part", py::arg("k") = 0, py::arg("padding_value") = 0,
      py::arg("align") = "RIGHT_LEFT");
  Def(
      m, "matrix_set_diag",
      +[](Graph& g, Input input, Input diagonal, Name n, Input k, std::string align) {
        return MatrixWithDiagonalsSet(g, input, diagonal, {k, align}, n.text);
      },
      py::arg("input"), py::arg("diagonal"), py::arg("name") = "set_diag", py::arg("k") = 0,
      py::arg("align") = "RIGHT_LEFT");
  Def(
      m, "tridiagonal_solve",
      +[](Graph& g, Values diagonals, Input rhs, std::string format, bool transpose, bool conjugate, Name n,
          bool pivoting) {
        const InputList list = diagonals.list;
        return SolveTridiagonal(g, list, rhs, format, transpose, conjugate, pivoting, n.text);
      },
      py::arg("diagonals"), py::arg("rhs"), py::arg("diagonals_format") = "compact", py::arg("transpose_rhs") = false,
      py::arg("conjugate_rhs") = false, py::arg("name") = py::none(), py::arg("partial_pivoting") = true);
  Def(
      m, "tridiagonal_matmul",
      +[](Graph& g, Values diagonals, Input rhs, std::string format, Name n) {
        return MultiplyTridiagonal(g, diagonals.list, rhs, format, n.text);
      },
      py::arg("diagonals"), py::arg("rhs"), py::arg("diagonals_format") = "compact", py::arg("name") = py::none());
}

}  // namespace

void BindLinalg(py::module_& m) {
  BindDiagonals(m);
  Def(
      m, "pinv", +[](Graph& g, Input a, Input rcond, Name n) { return PseudoInverse(g, a, rcond, n.text); },
      py::arg("a"), py::arg("rcond") = py::none(), py::arg("name") = py::none());
  Def(
      m, "matrix_rank", +[](Graph& g, Input a, Input tol, Name n) { return MatrixRankOf(g, a, tol, n.text); },
      py::arg("a"), py::arg("tol") = py::none(), py::arg("name") = py::none());
  Def(
      m, "lu_solve", +[](Graph& g, Input lu, Input p, Input rhs, Name n) { return LuSolve(g, lu, p, rhs, n.text); },
      py::arg("lower_upper"), py::arg("perm"), py::arg("rhs"), py::arg("name") = py::none());
  Def(
      m, "lu_reconstruct", +[](Graph& g, Input lu, Input p, Name n) { return LuReconstruct(g, lu, p, n.text); },
      py::arg("lower_upper"), py::arg("perm"), py::arg("name") = py::none());
  Def(
      m, "normalize",
      +[](Graph& g, Input x, py::object ord, AxesArgument axis, Name n) {
        return NormalizedBy(g, x, NormOrderFrom(ord), axis.axes.axes(), n.text);
      },
      py::arg("tensor"), py::arg("ord") = "euclidean", py::arg("axis") = py::none(), py::arg("name") = py::none());
}

}  // namespace weir::python
