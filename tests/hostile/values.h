// Hostile values: extreme numbers, odd shapes, damaged strings. Most values are ordinary, so that a case passes the
// first checks.
#pragma once

#include <string>
#include <vector>

#include "tensor/tensor.h"
#include "tests/hostile/dice.h"

namespace weir::hostile {

int64_t RandomInt(Dice& dice);
double RandomFloat(Dice& dice);
// Never contains a slash: strings are used as file names, and a case must not leave its folder.
std::string RandomString(Dice& dice);
DType RandomType(Dice& dice);

// The shapes of one case are variations of one base shape, so that they often match, as in real nodes.
class ShapeDice final {
 public:
  // `rank` is the rank of the base shape; negative: random.
  ShapeDice(Dice& dice, int64_t rank);
  Shape Known();
  PartialShape Partial();

 private:
  Dice& dice_;
  std::vector<int64_t> base_;
};

// Returns an invalid tensor for types without elements (variant) and if memory is exhausted.
Tensor RandomTensor(Dice& dice, DType dtype, const Shape& shape);

}  // namespace weir::hostile
