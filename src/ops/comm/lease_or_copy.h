// Protects a tensor whose memory is shared (with a variable or another consumer) from in-place writes until the
// receiver has read it. The tensor is leased; small tensors and memory that sparse updates write row by row are copied.
#pragma once

#include "tensor/tensor.h"

namespace weir::ops {

inline Status LeaseOrCopy(Tensor* tensor) {
  constexpr size_t kCheapToCopy = 64 << 10;
  if (tensor->OwnsMemoryAlone() || tensor->num_bytes() == 0) return OkStatus();
  if (IsPlain(tensor->dtype()) && tensor->num_bytes() > kCheapToCopy && !tensor->buffer()->written_in_place()) {
    *tensor = tensor->Lease();
    return OkStatus();
  }
  WEIR_ASSIGN(*tensor, tensor->Clone());
  return OkStatus();
}

}  // namespace weir::ops
