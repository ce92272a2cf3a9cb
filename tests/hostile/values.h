// Values that break things: extreme numbers, odd shapes, damaged strings. Most are ordinary, so that a case gets past
// the first check.
#pragma once

#include <string>
#include <vector>

#include "tensor/tensor.h"
#include "tests/hostile/dice.h"

namespace weir::hostile {

int64_t RandomInt(Dice& dice);
double RandomFloat(Dice& dice);
// Never holds a slash: strings become names of files, and cases must stay in their folder.
std::string RandomString(Dice& dice);
DType RandomType(Dice& dice);

// Shapes of one case have a size in common, as those of real nodes.
class ShapeDice final {
 public:
  // rank: of most shapes; negative: any.
  ShapeDice(Dice& dice, int64_t rank);
  Shape Known();
  PartialShape Partial();

 private:
  Dice& dice_;
  std::vector<int64_t> base_;
};

// Of types without elements (variant) and where memory is short: an invalid tensor.
Tensor RandomTensor(Dice& dice, DType dtype, const Shape& shape);

}  // namespace weir::hostile
