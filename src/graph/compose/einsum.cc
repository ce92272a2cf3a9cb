// Einstein sums as transposes, batch products and reshapes: operands are multiplied from left to right, and a label is summed
// as soon as nothing behind needs it.
#include <algorithm>
#include <string>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/compose/dims.h"
#include "graph/compose/math.h"
#include "graph/node_builder.h"

namespace weir {
namespace {

struct Operand {
  Output value;
  std::string labels;  // one letter per axis
  std::vector<Dim> dims;

  Dim DimOf(char label) const { return dims[labels.find(label)]; }
};

bool Has(const std::string& labels, char c) { return labels.find(c) != std::string::npos; }

struct Equation {
  std::vector<std::string> inputs;
  std::string output;
};

Result<Equation> Parse(std::string_view text) {
  Equation equation;
  std::string plain;
  for (char c : text)
    if (c != ' ') plain += c;
  const size_t arrow = plain.find("->");
  const std::string left = plain.substr(0, arrow);
  for (size_t from = 0;; ) {
    const size_t comma = left.find(',', from);
    equation.inputs.push_back(left.substr(from, comma == std::string::npos ? comma : comma - from));
    if (comma == std::string::npos) break;
    from = comma + 1;
  }
  std::string all;
  for (const std::string& labels : equation.inputs) {
    for (size_t i = 0; i < labels.size(); ++i) {
      if (std::isalpha(static_cast<unsigned char>(labels[i])) == 0)
        return InvalidArgument("Indices have incorrect format: {}", text);
      if (labels.find(labels[i], i + 1) != std::string::npos)
        return InvalidArgument("Subscript '{}' appears more than once in one operand of '{}', which is not supported", labels[i], text);
    }
    all += labels;
  }
  if (arrow != std::string::npos) {
    equation.output = plain.substr(arrow + 2);
  } else {  // those that appear once, in alphabetic order
    std::sort(all.begin(), all.end());
    for (char c : all)
      if (std::count(all.begin(), all.end(), c) == 1) equation.output += c;
  }
  for (char c : equation.output)
    if (!Has(all, c)) return InvalidArgument("Unknown output label '{}' in '{}'", c, text);
  return equation;
}

Output Permuted(Output x, const std::string& from, const std::string& to) {
  if (from == to) return x;
  std::vector<int64_t> order;
  for (char c : to) order.push_back(static_cast<int64_t>(from.find(c)));
  return Transpose(x, order);
}

// Sums the axes whose label nothing needs any more.
Operand Trimmed(Graph& graph, const Operand& x, const std::string& needed) {
  std::vector<int64_t> gone;
  Operand rest{x.value, "", {}};
  for (size_t i = 0; i < x.labels.size(); ++i) {
    if (!Has(needed, x.labels[i])) {
      gone.push_back(static_cast<int64_t>(i));
    } else {
      rest.labels += x.labels[i];
      rest.dims.push_back(x.dims[i]);
    }
  }
  if (!gone.empty()) rest.value = Sum(graph, x.value, Input(gone));
  return rest;
}

Operand Product(Graph& graph, const Operand& a, const Operand& b, const std::string& needed) {
  std::string batch;
  std::string summed;
  std::string free_a;
  std::string free_b;
  for (char c : a.labels) {
    if (!Has(b.labels, c)) free_a += c;
    else if (Has(needed, c)) batch += c;
    else summed += c;
  }
  for (char c : b.labels)
    if (!Has(a.labels, c)) free_b += c;
  const auto dims = [](const Operand& x, const std::string& labels) {
    std::vector<Dim> list;
    for (char c : labels) list.push_back(x.DimOf(c));
    return list;
  };
  const auto flat = [&](const Operand& x, const std::string& first, const std::string& second) {
    std::vector<Dim> shape = dims(x, batch);
    shape.push_back(ProductOf(graph, dims(x, first)));
    shape.push_back(ProductOf(graph, dims(x, second)));
    return Reshape(Permuted(x.value, x.labels, batch + first + second), ShapeVector(graph, shape));
  };
  Output product = MatrixMultiply(graph, flat(a, free_a, summed), flat(b, summed, free_b));
  Operand result{Output(), batch + free_a + free_b, {}};
  for (char c : result.labels) result.dims.push_back(Has(a.labels, c) ? a.DimOf(c) : b.DimOf(c));
  if (!product.valid()) return result;
  result.value = Reshape(product, ShapeVector(graph, result.dims));
  return result;
}

}  // namespace

Output EinsteinSum(Graph& graph, std::string_view text, const InputList& inputs, std::string name) {
  NameScope scope(graph, name.empty() ? "einsum" : name);
  const auto fail = [&](const Status& status) {
    graph.RecordError(status);
    return Output::Failed(graph);
  };
  Result<Equation> equation = Parse(text);
  if (!equation.ok()) return fail(equation.status());
  if (equation->inputs.size() != inputs.size())
    return fail(InvalidArgument("Got {} arguments for equation \"{}\", expecting {}", inputs.size(), text, equation->inputs.size()));
  std::vector<Operand> operands;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Output value = ValueOf(graph, inputs[i], kInvalidType, "input");
    if (!value.valid()) return value;
    const std::string& labels = equation->inputs[i];
    if (!value.shape().known_rank() || value.shape().rank() != static_cast<int>(labels.size()))
      return fail(InvalidArgument("Subscripts \"{}\" of einsum do not fit the shape {} of '{}'", labels, value.shape(), value.name()));
    operands.push_back({value, labels, DimsOf(value)});
  }
  Operand result;
  for (size_t i = 0; i < operands.size(); ++i) {
    std::string later = equation->output;
    for (size_t j = i + 1; j < operands.size(); ++j) later += operands[j].labels;
    Operand next = Trimmed(graph, operands[i], later + result.labels);
    if (i > 0) next = Product(graph, Trimmed(graph, result, later + next.labels), next, later);
    result = std::move(next);
    if (!result.value.valid()) return Output::Failed(graph);
  }
  result = Trimmed(graph, result, equation->output);
  if (!result.value.valid()) return Output::Failed(graph);
  return Identity(graph, Permuted(result.value, result.labels, equation->output), {.name = scope.name() + "/"});
}

}  // namespace weir
