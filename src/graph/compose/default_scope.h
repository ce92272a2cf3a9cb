// The variable scope of a function that creates variables. Its name is the
// caller's, or else a default name made unique ("mean", "mean_1", ...).
#pragma once

#include <optional>
#include <string>

#include "graph/compose/variable_scope.h"

namespace weir {

class DefaultScope final {
 public:
  DefaultScope(Graph& graph, const std::string& chosen, const std::string& fallback, std::optional<Reuse> reuse = {})
      : scopes_(graph), names_(graph, chosen.empty() ? fallback : chosen) {
    VariableScope scope = scopes_.Opened(chosen.empty() ? scopes_.UniqueScopeName(fallback) : chosen, reuse, {});
    scope.original_name_scope = names_.name() + "/";
    scopes_.Push(std::move(scope));
  }
  ~DefaultScope() { scopes_.Pop(); }
  DefaultScope(const DefaultScope&) = delete;
  DefaultScope& operator=(const DefaultScope&) = delete;

  VariableScope scope() const { return scopes_.Current(); }
  const std::string& name_scope() const { return names_.name(); }

 private:
  VariableScopeStack scopes_;
  NameScope names_;
};

}  // namespace weir
