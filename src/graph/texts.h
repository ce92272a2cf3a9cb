// Error texts of graph building that TensorFlow programs compare with.
#ifndef WEIR_GRAPH_TEXTS_H_
#define WEIR_GRAPH_TEXTS_H_

#include <string>
#include <string_view>

#include "base/status.h"
#include "op/output.h"
#include "tensor/shape.h"

namespace weir {

// The representation in Python: "(2, ?)", "<unknown>"; "Tensor(\"x:0\", shape=(2, ?), dtype=float32)".
std::string PythonText(const PartialShape& shape);
std::string PythonText(const Output& output);

// An error for a name that no scope can have. At the root the first character is a letter, a digit or a dot.
Status CheckScopeName(std::string_view name, bool at_root);

}  // namespace weir

#endif  // WEIR_GRAPH_TEXTS_H_
