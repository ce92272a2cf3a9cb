// Assertions about values: nodes that fail the step. A condition that is known at construction time is checked at once
// and returns an error.
#pragma once

#include <string>

#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

struct CheckOptions {
  InputList data = {};  // shown in the error; empty: the compared values
  int64_t summarize = 3;
  std::string message = "";
  std::string name = "";
};

// Whether an error says that an assertion does not hold, rather than that it could not be built.
bool IsFailedAssertion(const Status& status);
// The same error without the mark of a failed assertion, so that Python raises ValueError.
Status NotAnAssertion(Status status);

enum class Relation { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };
Result<Node*> AssertRelation(Graph& graph, Relation relation, const Input& x, const Input& y,
                             const CheckOptions& options = {});
// |x - y| <= atol + rtol * |y|.
Result<Node*> AssertNear(Graph& graph, const Input& x, const Input& y, const Input& rtol, const Input& atol,
                         const CheckOptions& options = {});
// Compares x with zero: kLess asserts that all elements are negative.
Result<Node*> AssertSign(Graph& graph, Relation relation, const Input& x, const CheckOptions& options = {});

// Asserts that the rank of x is one of `ranks` (kEqual), or at least ranks[0] (kGreaterEqual).
Result<Node*> AssertRank(Graph& graph, Relation relation, const Input& x, const InputList& ranks,
                         const CheckOptions& options = {});

// The weights themselves, after a check that they are a scalar, or have the rank of `values` with each dimension equal
// or 1.
Result<Output> BroadcastableWeights(Graph& graph, Output weights, Output values);

// Returns t after checking that all its elements are finite.
Output VerifyFinite(Graph& graph, const Input& t, const std::string& message, std::string name = "");

// A bool scalar: whether each element is less than (not strictly: not greater than) the next.
Output IsIncreasing(Graph& graph, const Input& x, bool strictly, std::string name = "");

// One node that fails if any floating-point tensor of the graph so far is NaN or infinite. Graphs with control flow are
// not supported.
Result<Node*> CheckAllNumerics(Graph& graph);

}  // namespace weir
