// The gradient of a function as a function: the callee of SymbolicGradient.
#ifndef WEIR_GRAPH_FUNCTION_GRADIENT_H_
#define WEIR_GRAPH_FUNCTION_GRADIENT_H_

#include "graph/function_library.h"

namespace weir {

// Whether a function attribute with this name stands for the gradient of the function in its own attribute "f".
bool NamesGradient(const OpRegistry& registry, std::string_view name);

// Returns a body that takes the arguments of `function` followed by a gradient for each result, and returns a gradient
// for each argument (zeros where there is none). Uses the gradient function registered in the library; if there is
// none, differentiates the body.
Result<FunctionBody> InstantiateGradient(const FunctionLibrary& library, const OpRegistry& registry,
                                         const FuncAttr& function);

}  // namespace weir

#endif  // WEIR_GRAPH_FUNCTION_GRADIENT_H_
