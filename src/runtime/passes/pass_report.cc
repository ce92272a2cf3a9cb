#include "runtime/passes/pass_report.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "absl/strings/str_join.h"
#include "runtime/plan_graph.h"

namespace weir {
namespace {

// The first few names of a list and the number of the others.
template <class Range, class Name>
std::string FirstFew(const Range& range, Name name) {
  constexpr size_t kFew = 4;
  std::vector<std::string> parts;
  for (const auto& item : range) {
    if (parts.size() == kFew) break;
    parts.push_back(name(item));
  }
  std::string text = absl::StrJoin(parts, ", ");
  if (range.size() > kFew) text += fmt::format(", ... ({} more)", range.size() - kFew);
  return text;
}

// "Add, Tanh x 12, AddN": repeated ops are counted.
std::string AbbreviateOps(const std::vector<std::string>& ops) {
  constexpr size_t kShort = 12;
  std::vector<std::string> parts;
  for (size_t i = 0; i < ops.size() && parts.size() <= kShort;) {
    size_t end = i + 1;
    while (end < ops.size() && ops[end] == ops[i]) ++end;
    parts.push_back(end - i == 1 ? ops[i] : fmt::format("{} x {}", ops[i], end - i));
    i = end;
  }
  if (parts.size() > kShort) parts.back() = "...";
  return absl::StrJoin(parts, ", ");
}

}  // namespace

std::string TitleOf(const PlanGraph& graph, const std::string& part_of) {
  std::string what;
  if (!graph.fetches.empty())
    what = "for " + FirstFew(graph.fetches, [](const PlanGraph::Fetch& fetch) { return fetch.name; });
  if (!graph.targets.empty()) {
    what += what.empty() ? "for " : " and ";
    what += FirstFew(graph.targets, [&](int32_t target) { return graph.nodes[target].name(); });
  }
  return (part_of.empty() ? "plan " : fmt::format("part of {} ", part_of)) + what;
}

std::string PassReport::ToString(const PlanGraph& graph) const {
  std::string text =
      fmt::format("{}: {} nodes, {} after the passes\n", TitleOf(graph, part_of), nodes_before, nodes_after);
  auto count = [&](int64_t number, std::string_view said) {
    if (number > 0) text += fmt::format("  {} {}\n", number, said);
  };
  count(merged, "merged with an equal node");
  count(skipped, "skipped, because nothing uses their values");
  count(folded, "folded to constants");
  count(ordered, "with added control edges, to order uses and updates of variables");
  count(copied, "copies of variables, for uses that updates must not wait for");
  for (const Fusion& fusion : fused)
    text += fmt::format("  {} fused into one {}: '{}' ({})\n", fusion.ops.size(), fusion.kind, fusion.end,
                        AbbreviateOps(fusion.ops));
  return text;
}

bool ExplainRequested() {
  const char* variable = std::getenv("WEIR_EXPLAIN");
  return variable != nullptr && *variable != '\0' && std::string_view(variable) != "0";
}

void Explain(const std::string& lines) { std::fwrite(lines.data(), 1, lines.size(), stderr); }

}  // namespace weir
