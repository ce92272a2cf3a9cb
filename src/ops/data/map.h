// What mapping one element gives, one by one or in parallel.
#pragma once

#include "ops/data/dataset_function.h"

namespace weir::ops {

// An OutOfRange error of the function ends the dataset, unless it has to give an element for each that it takes.
Result<std::optional<Element>> MappedElement(Result<Element> result, bool preserve_cardinality,
                                             const std::string& title, int64_t number);

// The function of each element, one after the other on the thread that asks.
IteratorPtr MappedOneByOne(IteratorPtr input, FunctionPtr function, bool preserve_cardinality, std::string title);

}  // namespace weir::ops
