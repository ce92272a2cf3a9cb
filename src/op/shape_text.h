// Parses a shape in the text of op schemas and test cases: "[2,-1]", "[2,?]", "[]" (a scalar) or "?" (unknown rank).
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "op/cursor.h"
#include "tensor/shape.h"

namespace weir {

inline Result<PartialShape> ParseShape(Cursor& in) {
  if (in.Take("?")) return PartialShape();
  WEIR_TRY(in.Expect("["));
  std::vector<int64_t> dims;
  while (!in.Take("]")) {
    if (!dims.empty()) WEIR_TRY(in.Expect(","));
    if (in.Take("?")) {
      dims.push_back(kUnknownDim);
    } else {
      WEIR_ASSIGN(const int64_t size, in.Number<int64_t>());
      dims.push_back(size);
    }
  }
  return PartialShape::Make(dims);
}

}  // namespace weir
