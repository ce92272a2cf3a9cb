// What a variable or another consumer shares must not be overwritten before it has left: it is lent, or copied where
// that costs less or where a sparse update writes rows in place.
#pragma once

#include "tensor/tensor.h"

namespace weir::ops {

inline Status KeepUnchanged(Tensor* tensor) {
  constexpr size_t kCheapToCopy = 64 << 10;
  if (tensor->OwnsMemoryAlone() || tensor->num_bytes() == 0) return OkStatus();
  if (IsPlain(tensor->dtype()) && tensor->num_bytes() > kCheapToCopy && !tensor->buffer()->written_by_rows()) {
    *tensor = tensor->Lease();
    return OkStatus();
  }
  WEIR_ASSIGN(*tensor, tensor->Clone());
  return OkStatus();
}

}  // namespace weir::ops
