// Dimensions of a shape at construction time: numbers if known, else nodes that compute them at run time.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/input.h"

namespace weir {

// Records the error in the graph's build state and returns an invalid output.
Output FailedOutput(Graph& graph, const Status& status);
// Of two outputs that are not both valid, the one that a function returns because of that.
inline Output InvalidOf(const Output& a, const Output& b) { return a.valid() ? b : a; }
// Converts an argument to an output of the graph. An error is recorded in the graph's build state; the result is then
// invalid.
Output ValueOf(Graph& graph, const Input& x, DType wanted = kInvalidType, const std::string& name = "Const");
// As ValueOf, but only a literal takes the type. A tensor keeps its own, and the op that gets it checks it.
Output ValueOrLiteralOf(Graph& graph, const Input& x, DType literal_type, const std::string& name);
// Converts two arguments that must have one type. A literal takes the type of the other.
std::pair<Output, Output> ValuesOfOneType(Graph& graph, const Input& x, const Input& y, const char* x_name = "x",
                                          const char* y_name = "y");

struct Dim {
  int64_t size = kUnknownDim;
  Output value;  // an int32 scalar, if the size is unknown

  Dim(int64_t n) : size(n) {}
  Dim(Output v) : value(v) {}
  bool known() const { return size >= 0; }
};

// REQUIRES: the rank of x is known.
std::vector<Dim> DimsOf(Output x);
Dim ProductOf(Graph& graph, const std::vector<Dim>& dims);
// The dims as an int32 vector, e.g. for Reshape: a constant if all are known.
Output ShapeVector(Graph& graph, const std::vector<Dim>& dims);
PartialShape StaticShape(const std::vector<Dim>& dims);
// The dimensions that both shapes agree on; the others are unknown.
PartialShape CommonShape(const PartialShape& a, const PartialShape& b);

// Normalizes `axis` to [0, rank). An error names `what`.
Result<int> NormalAxis(int64_t axis, int rank, const char* what);

// A shape in Python notation: "(2, ?)", "(3,)", "<unknown>".
std::string TupleText(const PartialShape& shape);

// Non-scalar weights must have the rank of the values, and each dimension must equal that of the values or be 1.
Status CheckWeightShape(const PartialShape& weights, const PartialShape& values);

}  // namespace weir
