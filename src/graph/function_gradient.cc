#include "graph/function_gradient.h"

#include "graph/build/array_ops.h"
#include "graph/flow_gradients.h"
#include "graph/gradients.h"
#include "graph/node_builder.h"

namespace weir {
namespace {

Result<Output> AsDense(const Grad& grad, Output like) {
  if (const Output* dense = std::get_if<Output>(&grad)) return *dense;
  if (!HasGrad(grad) && like.base_dtype() == kResource) return Constant(like.graph(), Tensor::Scalar(0.0f), "zeros");
  Output made = HasGrad(grad) ? RowsAsDense(std::get<IndexedSlices>(grad), like) : ZerosLike(like);
  WEIR_TRY(like.graph().TakeError());
  return made;
}

Result<FunctionBody> Differentiate(FunctionBody body) {
  Graph& graph = *body.graph;
  std::vector<Output> xs;
  std::vector<Output> ys;
  GradientOptions options;
  for (Node* arg : body.args) xs.push_back(arg->output(0));
  for (Node* result : body.results) {
    const Output y = result->input(0);
    WEIR_ASSIGN(Node * dy, NodeBuilder(graph, "_Arg", "dy")
                               .Attr("T", y.base_dtype())
                               .Attr("index", static_cast<int>(body.args.size()))
                               .Build());
    body.args.push_back(dy);
    // Results that cannot be differentiated keep their argument position.
    if (!IsFloating(y.base_dtype()) && !IsComplex(y.base_dtype())) continue;
    ys.push_back(y);
    options.grad_ys.push_back(dy->output(0));
  }
  WEIR_ASSIGN(std::vector<Grad> grads, AddGradients(graph, ys, xs, options));
  body.results.clear();
  body.control_results.clear();
  for (size_t i = 0; i < xs.size(); ++i) {
    WEIR_ASSIGN(Output dx, AsDense(grads[i], xs[i]));
    WEIR_ASSIGN(Node * result, NodeBuilder(graph, "_Retval", "dx").In(dx).Attr("index", static_cast<int>(i)).Build());
    body.results.push_back(result);
  }
  return body;
}

}  // namespace

bool NamesGradient(const OpRegistry& registry, std::string_view name) {
  const OpDef* op = registry.Find(name);
  return op != nullptr && op->traits.calls_gradient_of_f;
}

Result<FunctionBody> InstantiateGradient(const FunctionLibrary& library, const OpRegistry& registry,
                                         const FuncAttr& function) {
  static const AttrMap no_attrs;
  const AttrMap& attrs = function.attrs == nullptr ? no_attrs : *function.attrs;
  if (const std::string own = library.GradientOf(function.name); !own.empty())
    return InstantiateFunction(library, registry, own, attrs);
  if (NamesGradient(registry, function.name)) {
    WEIR_ASSIGN(const FuncAttr inner, GetAttr<FuncAttr>(attrs, "f"));
    WEIR_ASSIGN(FunctionBody body, InstantiateGradient(library, registry, inner));
    return Differentiate(std::move(body));
  }
  WEIR_ASSIGN(FunctionBody body, InstantiateFunction(library, registry, function.name, attrs));
  return Differentiate(std::move(body));
}

}  // namespace weir
