// The gradient of a function as a function: what SymbolicGradient runs.
#ifndef WEIR_GRAPH_FUNCTION_GRADIENT_H_
#define WEIR_GRAPH_FUNCTION_GRADIENT_H_

#include "graph/function_library.h"

namespace weir {

// The name under which a FunctionRunner knows gradients: attribute "f" is the function that is differentiated.
constexpr char kSymbolicGradient[] = "SymbolicGradient";

// A body that takes the arguments of `function` and then a gradient for each of its results, and gives a gradient for
// each argument (zeros where there is none): the gradient function that the library has for it, or else the body
// differentiated.
Result<FunctionBody> InstantiateGradient(const FunctionLibrary& library, const OpRegistry& registry,
                                         const FuncAttr& function);

}  // namespace weir

#endif  // WEIR_GRAPH_FUNCTION_GRADIENT_H_
