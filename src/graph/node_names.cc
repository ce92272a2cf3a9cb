#include "graph/node_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir {
namespace {

std::string Lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

bool IsWordChar(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

}  // namespace

std::string NodeNames::Unique(std::string name, bool mark_used) {
  const std::string key = Lower(name);
  auto it = uses_.find(key);
  int count = it == uses_.end() ? 0 : it->second;
  if (mark_used) uses_[key] = count + 1;
  if (count == 0) return name;
  std::string candidate = key;
  while (uses_.contains(candidate)) {
    candidate = fmt::format("{}_{}", key, count);
    ++count;
  }
  if (mark_used) {
    uses_[candidate] = 1;
    uses_[key] = count;
  }
  return fmt::format("{}_{}", name, count - 1);
}

void NodeNames::MarkUsed(std::string_view name) {
  int& uses = uses_[Lower(name)];
  uses = std::max(uses, 1);
}

bool IsValidNodeName(std::string_view name) {
  if (name.empty() || !(IsWordChar(name[0]) || name[0] == '.' || name[0] == '_')) return false;
  return IsValidScopeName(name);
}

bool IsValidScopeName(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return IsWordChar(c) || c == '_' || c == '.' || c == '-' || c == '/' || c == '\\' || c == '>';
  });
}

}  // namespace weir
