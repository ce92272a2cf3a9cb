// Sizes of a shape while a graph is built: numbers where they are known, nodes where only the run knows them.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/input.h"

namespace weir {

// What cannot be built: the error stays with the graph's build state, and the result is invalid.
Output FailedOutput(Graph& graph, const Status& status);
// An argument as a value of the graph; an error stays with the graph's build state, and the result is invalid.
Output ValueOf(Graph& graph, const Input& x, DType wanted = kInvalidType, const std::string& name = "Const");
// Two arguments of one type: a literal takes the type of the other.
std::pair<Output, Output> ValuesOfOneType(Graph& graph, const Input& x, const Input& y, const char* x_name = "x",
                                          const char* y_name = "y");

struct Dim {
  int64_t size = kUnknownDim;
  Output value;  // an int32 scalar, when the size is not known

  Dim(int64_t n) : size(n) {}
  Dim(Output v) : value(v) {}
  bool known() const { return size >= 0; }
};

// REQUIRES: the rank of x is known.
std::vector<Dim> DimsOf(Output x);
Dim ProductOf(Graph& graph, const std::vector<Dim>& dims);
// The dims as one int32 vector, an input of Reshape and its like: a constant where all are known.
Output ShapeVector(Graph& graph, const std::vector<Dim>& dims);
PartialShape StaticShape(const std::vector<Dim>& dims);
// What holds for both shapes.
PartialShape CommonShape(const PartialShape& a, const PartialShape& b);

// `axis` as a number in [0, rank), or an error that names what it belongs to.
Result<int> NormalAxis(int64_t axis, int rank, const char* what);

// As Python writes a shape: "(2, ?)", "(3,)", "<unknown>".
std::string TupleText(const PartialShape& shape);

// Weights that are no scalar have the rank of the values, and each of their dimensions is the values' or 1.
Status CheckWeightShape(const PartialShape& weights, const PartialShape& values);

}  // namespace weir
