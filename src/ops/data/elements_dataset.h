// Datasets and iterators over elements that are in memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ops/data/dataset.h"

namespace weir::ops {

using SharedElements = std::shared_ptr<const std::vector<Element>>;

IteratorPtr MakeElementsIterator(SharedElements elements);
// Returns a dataset as a scalar variant, for elements of datasets that are datasets themselves.
Result<Tensor> MakeElementsDataset(std::vector<Element> elements, ElementSpec spec, const std::string& title);

}  // namespace weir::ops
