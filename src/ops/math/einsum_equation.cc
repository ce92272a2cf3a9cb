#include "ops/math/einsum_equation.h"

#include <algorithm>

#include "absl/strings/str_split.h"

namespace weir::ops {

Result<Subscripts> Subscripts::Parse(std::string_view text) {
  Subscripts result;
  const auto periods = std::count(text.begin(), text.end(), '.');
  const size_t at = text.find("...");
  if (periods == 0) {
    result.before = std::string(text);
  } else if (periods != 3 || at == std::string_view::npos) {
    return InvalidArgument("Expected at most one ellipsis (...), but found {} periods (.) in the input subscript: {}",
                           periods, text);
  } else {
    result.before = std::string(text.substr(0, at));
    result.after = std::string(text.substr(at + 3));
    result.ellipsis = true;
  }
  return result;
}

bool Subscripts::HasRepeated() const {
  std::string all = before + after;
  std::sort(all.begin(), all.end());
  return std::adjacent_find(all.begin(), all.end()) != all.end();
}

Result<int> Subscripts::EllipsisRank(int rank, int input) const {
  if (!ellipsis && rank != num_labels())
    return InvalidArgument("Expected input {} to have rank {} but got: {}", input, num_labels(), rank);
  if (rank < num_labels())
    return InvalidArgument("Expected input {} to have rank at least {} but got: {}", input, num_labels(), rank);
  return rank - num_labels();
}

Result<EinsumEquation> EinsumEquation::Parse(std::string_view text, int num_inputs) {
  const std::vector<std::string> sides = absl::StrSplit(std::string(text), "->");
  if (sides.size() != 2) return InvalidArgument("Expecting exactly one '->' in einsum equation: {}", text);
  const std::vector<std::string> inputs = absl::StrSplit(sides[0], ',');
  if (inputs.size() > 2)
    return InvalidArgument("Expecting 1 or 2 input subscripts in equation '{}' but got: {}", text, inputs.size());
  if (static_cast<int>(inputs.size()) != num_inputs)
    return InvalidArgument("Expected {} inputs for equation {} but got: {}", inputs.size(), text, num_inputs);
  EinsumEquation equation;
  for (const std::string& input : inputs) {
    WEIR_ASSIGN(Subscripts subscripts, Subscripts::Parse(input));
    equation.inputs.push_back(std::move(subscripts));
  }
  WEIR_ASSIGN(equation.output, Subscripts::Parse(sides[1]));
  for (const char label : equation.output.before + equation.output.after) {
    const bool known =
        std::any_of(equation.inputs.begin(), equation.inputs.end(), [&](const Subscripts& s) { return s.Has(label); });
    if (!known)
      return InvalidArgument(
          "Einsum output subscripts for equation '{}' has label '{}' which is not present in the input subscripts",
          text, label);
  }
  return equation;
}

namespace {

std::vector<int> Labels(const Subscripts& s, int ellipsis_rank) {
  std::vector<int> labels;
  for (const char c : s.before) labels.push_back(static_cast<unsigned char>(c));
  for (int i = ellipsis_rank - 1; i >= 0; --i) labels.push_back(kFirstEllipsisLabel + i);
  for (const char c : s.after) labels.push_back(static_cast<unsigned char>(c));
  return labels;
}

}  // namespace

Result<std::vector<int>> LabelDimensions(const Subscripts& subscripts, int rank, int input) {
  WEIR_ASSIGN(const int ellipsis_rank, subscripts.EllipsisRank(rank, input));
  return Labels(subscripts, ellipsis_rank);
}

Result<std::vector<int>> LabelOutput(const Subscripts& output, int ellipsis_rank) {
  if (ellipsis_rank > 0 && !output.ellipsis)
    return InvalidArgument(
        "Output contains {} broadcasting dimension(s) but no ellipsis (...) was found in the output subscripts.",
        ellipsis_rank);
  return Labels(output, ellipsis_rank);
}

}  // namespace weir::ops
