// Shared by the sequential and the parallel map.
#pragma once

#include "ops/data/element_function.h"

namespace weir::ops {

// Converts the result of the function into a result of GetNext. An OutOfRange error ends the dataset, unless
// `preserve_cardinality` demands one output per input.
Result<std::optional<Element>> MappedElement(Result<Element> result, bool preserve_cardinality,
                                             const std::string& title, int64_t number);

// Applies the function to the elements sequentially, on the thread that calls GetNext.
IteratorPtr MakeSequentialMap(IteratorPtr input, FunctionPtr function, bool preserve_cardinality, std::string title);

}  // namespace weir::ops
