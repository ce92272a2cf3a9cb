#include "graph/compose/layer_weights.h"

namespace weir {

Result<WeightValues> GetWeights(Graph& graph, const std::vector<WeightSpec>& specs,
                                const std::map<std::string, Weight>& settings, bool trainable) {
  WeightValues values;
  VariableScopeStack scopes(graph);
  VariableScope scope = scopes.Current();
  for (const WeightSpec& spec : specs) {
    const auto found = settings.find(spec.name);
    const Weight chosen = found == settings.end() ? Weight{} : found->second;
    VariableRequest request;
    request.name = spec.name;
    request.shape = spec.shape;
    request.dtype = spec.dtype;
    const ScopedInitializer& initializer = chosen.initializer ? chosen.initializer : spec.initializer;
    if (initializer) request.initializer = std::make_shared<const ScopedInitializer>(initializer);
    if (chosen.regularizer) request.regularizer = std::make_shared<const Regularizer>(chosen.regularizer);
    request.constraint = chosen.constraint;
    request.trainable = trainable && spec.trainable;
    if (!spec.trainable) scope.settings.partitioner = nullptr;
    WEIR_ASSIGN(const FoundVariable variable, scopes.GetBelow(scope, std::move(request)));
    if (variable.whole != nullptr) {
      values.Set(spec.name, variable.whole->AsInput(), variable.whole);
    } else {
      values.Set(spec.name, variable.pieces != nullptr ? variable.pieces->AsInput() : variable.value);
    }
  }
  return values;
}

}  // namespace weir
