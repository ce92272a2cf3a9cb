// Assertions about values: a node that fails the step when they do not hold. What is known while the graph is built is
// checked at once and gives an error there.
#pragma once

#include <string>

#include "graph/graph.h"
#include "graph/input.h"

namespace weir {

struct CheckOptions {
  InputList data = {};  // what the error shows; empty: the values compared
  int64_t summarize = 3;
  std::string message = "";
  std::string name = "";
};

// Whether an error says that an assertion does not hold, rather than that it could not be built.
bool IsFailedAssertion(const Status& status);

enum class Relation { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };
Result<Node*> AssertRelation(Graph& graph, Relation relation, const Input& x, const Input& y,
                             const CheckOptions& options = {});
// |x - y| <= atol + rtol * |y|.
Result<Node*> AssertNear(Graph& graph, const Input& x, const Input& y, const Input& rtol, const Input& atol,
                         const CheckOptions& options = {});
// x compared with zero: kLess says that all are negative.
Result<Node*> AssertSign(Graph& graph, Relation relation, const Input& x, const CheckOptions& options = {});

// The rank of x is one of `ranks` (kEqual), or at least the first of them (kGreaterEqual).
Result<Node*> AssertRank(Graph& graph, Relation relation, const Input& x, const InputList& ranks,
                         const CheckOptions& options = {});

// t itself, after a check that all its elements are finite.
Output VerifyFinite(Graph& graph, const Input& t, const std::string& message, std::string name = "");

// Scalars: whether each element is less than (or not greater than) the next.
Output IsIncreasing(Graph& graph, const Input& x, bool strictly, std::string name = "");

// One node that fails when any floating-point value made so far is NaN or infinite. Not for graphs with control flow.
Result<Node*> CheckAllNumerics(Graph& graph);

}  // namespace weir
