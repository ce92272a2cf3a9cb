// Einsum as transposes, batch matmuls and reshapes. Operands are multiplied from left to right; a label is summed as
// soon as no later operand needs it.
#include <algorithm>
#include <optional>
#include <string>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/compose/dims.h"
#include "graph/compose/math.h"
#include "graph/compose/names.h"
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

// Labels as written, with '.' for an ellipsis.
struct Equation {
  std::vector<std::string> inputs;
  std::optional<std::string> output;  // nullopt: inferred
};

constexpr char kEllipsis = '.';

Result<std::string> ParseLabels(std::string_view labels, std::string_view text) {
  std::string parsed;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels.substr(i, 3) == "..." && !Has(parsed, kEllipsis)) {
      parsed += kEllipsis;
      i += 2;
    } else if (std::isalpha(static_cast<unsigned char>(labels[i])) != 0) {
      parsed += labels[i];
    } else {
      return InvalidArgument("Subscripts have incorrect format: {}", text);
    }
  }
  return parsed;
}

Result<Equation> Parse(std::string_view text) {
  Equation equation;
  std::string plain;
  for (char c : text)
    if (c != ' ') plain += c;
  const size_t arrow = plain.find("->");
  const std::string left = plain.substr(0, arrow);
  for (size_t from = 0;;) {
    const size_t comma = left.find(',', from);
    WEIR_ASSIGN(
        std::string labels,
        ParseLabels(std::string_view(left).substr(from, comma == std::string::npos ? comma : comma - from), text));
    equation.inputs.push_back(std::move(labels));
    if (comma == std::string::npos) break;
    from = comma + 1;
  }
  if (arrow == std::string::npos) return equation;
  WEIR_ASSIGN(equation.output, ParseLabels(std::string_view(plain).substr(arrow + 2), text));
  for (char c : *equation.output)
    if (std::count(equation.output->begin(), equation.output->end(), c) > 1)
      return InvalidArgument("Output subscripts contain a label appearing more than once: {}", text);
  return equation;
}

// `count` letters that the equation does not use, for the dimensions of ellipses. The last letter is for the last
// dimension.
Result<std::string> FreeLetters(std::string_view text, int count) {
  std::string letters;
  for (const char first : {'A', 'a'})
    for (char c = first; c < first + 26 && static_cast<int>(letters.size()) < count; ++c)
      if (text.find(c) == std::string_view::npos) letters += c;
  if (static_cast<int>(letters.size()) < count)
    return InvalidArgument("einsum '{}': too many dimensions, no unused labels are left for the ellipsis", text);
  return letters;
}

// The operand with one distinct letter per axis: expands an ellipsis, and takes the diagonal for repeated letters.
Result<Operand> WithDistinctLabels(Graph& graph, Output value, const std::string& labels, const std::string& ellipsis) {
  const PartialShape shape = value.shape();
  const bool has_ellipsis = Has(labels, kEllipsis);
  const int named = static_cast<int>(labels.size()) - (has_ellipsis ? 1 : 0);
  if (!shape.known_rank() && !has_ellipsis) {
    value = Einsum(graph, {value}, labels + "->" + labels);
    WEIR_TRY(graph.TakeError());
    return WithDistinctLabels(graph, value, labels, ellipsis);
  }
  if (!shape.known_rank() || (has_ellipsis ? shape.rank() < named : shape.rank() != named))
    return InvalidArgument("Subscripts \"{}\" of einsum do not fit the shape {} of '{}'", labels, shape, value.name());
  std::string all;
  for (char c : labels) {
    if (c != kEllipsis)
      all += c;
    else
      all += ellipsis.substr(ellipsis.size() - static_cast<size_t>(shape.rank() - named));
  }
  std::string once;
  for (char c : all)
    if (!Has(once, c)) once += c;
  if (once != all) value = Einsum(graph, {value}, all + "->" + once);
  WEIR_TRY(graph.TakeError());
  return Operand{value, once, DimsOf(value)};
}

// Drops ellipsis axes of size 1 that broadcast against a larger axis of another operand.
void DropBroadcast(Graph& graph, const std::string& ellipsis, std::vector<Operand>& operands) {
  for (Operand& x : operands) {
    std::vector<int64_t> dropped;
    Operand rest{x.value, "", {}};
    const PartialShape shape = x.value.shape();
    for (size_t i = 0; i < x.labels.size(); ++i) {
      const char c = x.labels[i];
      const bool larger = std::any_of(operands.begin(), operands.end(), [&](const Operand& y) {
        return Has(y.labels, c) && y.value.shape()[static_cast<int>(y.labels.find(c))] != 1;
      });
      if (Has(ellipsis, c) && shape[static_cast<int>(i)] == 1 && larger) {
        dropped.push_back(static_cast<int64_t>(i));
      } else {
        rest.labels += c;
        rest.dims.push_back(x.dims[i]);
      }
    }
    if (dropped.empty()) continue;
    rest.value = Squeeze(graph, x.value, {.squeeze_dims = dropped});
    x = std::move(rest);
  }
}

// The letters of the output. By default the ellipsis, then the letters that occur once in the equation, in alphabetical
// order.
Result<std::string> OutputLabels(const Equation& equation, const std::string& ellipsis, std::string_view text) {
  std::string all;
  for (const std::string& labels : equation.inputs) all += labels;
  std::string output;
  if (!equation.output.has_value()) {
    std::sort(all.begin(), all.end());
    output = ellipsis;
    for (char c : all)
      if (c != kEllipsis && std::count(all.begin(), all.end(), c) == 1) output += c;
    return output;
  }
  if (!ellipsis.empty() && !Has(*equation.output, kEllipsis))
    return InvalidArgument(
        "einsum '{}': the output needs an ellipsis, because the ellipses of the inputs have {} dimensions", text,
        ellipsis.size());
  for (char c : *equation.output) {
    if (c == kEllipsis)
      output += ellipsis;
    else if (Has(all, c))
      output += c;
    else
      return InvalidArgument("Output subscripts contain the label {} not present in the input subscripts.", c);
  }
  return output;
}

Output Permuted(Output x, const std::string& from, const std::string& to) {
  if (from == to) return x;
  std::vector<int64_t> order;
  for (char c : to) order.push_back(static_cast<int64_t>(from.find(c)));
  return Transpose(x, order);
}

// Sums over axes whose label is not needed any more.
Operand Trimmed(Graph& graph, const Operand& x, const std::string& needed) {
  std::vector<int64_t> dropped;
  Operand rest{x.value, "", {}};
  for (size_t i = 0; i < x.labels.size(); ++i) {
    if (!Has(needed, x.labels[i])) {
      dropped.push_back(static_cast<int64_t>(i));
    } else {
      rest.labels += x.labels[i];
      rest.dims.push_back(x.dims[i]);
    }
  }
  if (!dropped.empty()) rest.value = Sum(graph, x.value, Input(dropped));
  return rest;
}

Operand Product(Graph& graph, const Operand& a, const Operand& b, const std::string& needed) {
  std::string batch;
  std::string summed;
  std::string free_a;
  std::string free_b;
  for (char c : a.labels) {
    if (!Has(b.labels, c))
      free_a += c;
    else if (Has(needed, c))
      batch += c;
    else
      summed += c;
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

// The op itself checks the ranks in each step.
Output OfUnknownRank(Graph& graph, const Equation& equation, const OutputList& values, std::string_view text,
                     const std::string& name) {
  const bool has_ellipsis = std::any_of(equation.inputs.begin(), equation.inputs.end(),
                                        [](const std::string& labels) { return Has(labels, kEllipsis); });
  const Result<std::string> output = OutputLabels(equation, has_ellipsis ? "." : "", text);
  if (!output.ok()) return FailedOutput(graph, output.status());
  std::string plain;
  const auto append = [&](const std::string& labels) {
    for (char c : labels) plain += c == kEllipsis ? std::string("...") : std::string(1, c);
  };
  for (size_t i = 0; i < equation.inputs.size(); ++i) {
    if (i > 0) plain += ',';
    append(equation.inputs[i]);
  }
  plain += "->";
  append(*output);
  return Einsum(graph, InputList(values.begin(), values.end()), plain, {.name = name});
}

}  // namespace

Output Einsum(Graph& graph, std::string_view text, const InputList& inputs, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "einsum"));
  const auto fail = [&](const Status& status) { return FailedOutput(graph, status); };
  Result<Equation> equation = Parse(text);
  if (!equation.ok()) return fail(equation.status());
  if (equation->inputs.size() != inputs.size())
    return fail(InvalidArgument("Got {} arguments for equation \"{}\", expecting {}", inputs.size(), text,
                                equation->inputs.size()));
  OutputList values;
  int most = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    values.push_back(ValueOf(graph, inputs[i], kInvalidType, "input"));
    if (!values.back().valid()) return Output::Failed(graph);
    const std::string& labels = equation->inputs[i];
    if (Has(labels, kEllipsis))
      most = std::max(most, values.back().shape().rank() - static_cast<int>(labels.size()) + 1);
  }
  const bool known = std::all_of(values.begin(), values.end(), [](Output x) { return x.shape().known_rank(); });
  if (!known && values.size() <= 2) return OfUnknownRank(graph, *equation, values, text, scope.name() + "/");
  Result<std::string> ellipsis = FreeLetters(text, most);
  if (!ellipsis.ok()) return fail(ellipsis.status());
  Result<std::string> output = OutputLabels(*equation, *ellipsis, text);
  if (!output.ok()) return fail(output.status());
  std::vector<Operand> operands;
  for (size_t i = 0; i < values.size(); ++i) {
    Result<Operand> operand = WithDistinctLabels(graph, values[i], equation->inputs[i], *ellipsis);
    if (!operand.ok()) return fail(operand.status());
    operands.push_back(*std::move(operand));
  }
  DropBroadcast(graph, *ellipsis, operands);
  Operand result;
  for (size_t i = 0; i < operands.size(); ++i) {
    std::string later = *output;
    for (size_t j = i + 1; j < operands.size(); ++j) later += operands[j].labels;
    Operand next = Trimmed(graph, operands[i], later + result.labels);
    if (i > 0) next = Product(graph, Trimmed(graph, result, later + next.labels), next, later);
    result = std::move(next);
    if (!result.value.valid()) return Output::Failed(graph);
  }
  result = Trimmed(graph, result, *output);
  if (!result.value.valid()) return Output::Failed(graph);
  return Identity(graph, Permuted(result.value, result.labels, *output), {.name = ExactScopeName(scope)});
}

}  // namespace weir
