// Type-agnostic copying of elements: plain types by their size, strings and handles by assignment. Kernels that only
// move data use this instead of a template per dtype. Elements of variants cannot be copied: allocating the copy fails.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "op/kernel.h"
#include "tensor/strings.h"

namespace weir::ops {

// A plain element of 16 bytes.
struct Bytes16 {
  uint64_t low, high;
};

// Calls f(TypeTag<T>{}) with a T that can copy elements of `dtype`: an unsigned integer of its size, std::string, ...
template <class F>
auto ForElementType(DType dtype, F&& f) {
  switch (BaseType(dtype)) {
    case kString:
      return f(TypeTag<std::string>{});
    case kResource:
      return f(TypeTag<ResourceHandle>{});
    default:
      break;
  }
  switch (ElementSize(dtype)) {
    case 1:
      return f(TypeTag<uint8_t>{});
    case 2:
      return f(TypeTag<uint16_t>{});
    case 4:
      return f(TypeTag<uint32_t>{});
    case 8:
      return f(TypeTag<uint64_t>{});
    default:
      return f(TypeTag<Bytes16>{});
  }
}

// Copies and fills runs of elements of one type. A value type, cheap to construct.
class Elements final {
 public:
  explicit Elements(DType dtype)
      : dtype_(BaseType(dtype)), size_(ElementSize(dtype)), plain_(IsPlain(BaseType(dtype))) {}

  size_t size() const { return size_; }
  bool plain() const { return plain_; }
  char* At(const Tensor& t, int64_t index) const { return At(t.raw(), index); }
  char* At(void* base, int64_t index) const { return static_cast<char*>(base) + index * static_cast<int64_t>(size_); }
  const char* At(const void* base, int64_t index) const {
    return static_cast<const char*>(base) + index * static_cast<int64_t>(size_);
  }

  // REQUIRES: the ranges do not overlap.
  void Copy(void* to, const void* from, int64_t count) const {
    if (plain_) [[likely]] {
      const size_t bytes = static_cast<size_t>(count) * size_;
      switch (bytes) {
        case 0:
          return;
        case 4:
          std::memcpy(to, from, 4);
          return;
        case 8:
          std::memcpy(to, from, 8);
          return;
        default:
          std::memcpy(to, from, bytes);
          return;
      }
    } else if (dtype_ == kString) {
      CopyStrings(static_cast<const std::string*>(from), count, static_cast<std::string*>(to));
    } else if (dtype_ == kResource) {
      std::copy_n(static_cast<const ResourceHandle*>(from), count, static_cast<ResourceHandle*>(to));
    }
  }

  // Copies elements [from_at, from_at + count) of `from` to `to`, from element to_at on.
  void Copy(const Tensor& from, int64_t from_at, const Tensor& to, int64_t to_at, int64_t count) const {
    Copy(At(to, to_at), At(from, from_at), count);
  }

  // Writes `count` copies of the element at `value`.
  void Fill(void* to, const void* value, int64_t count) const {
    if (dtype_ == kString) {
      FillStrings(*static_cast<const std::string*>(value), count, static_cast<std::string*>(to));
      return;
    }
    ForElementType(dtype_, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T v = *static_cast<const T*>(value);
      std::fill_n(static_cast<T*>(to), count, v);
    });
  }
  // Writes zeros, empty strings or empty handles.
  void Clear(void* to, int64_t count) const {
    if (plain_) {
      if (count > 0) std::memset(to, 0, static_cast<size_t>(count) * size_);
    } else if (dtype_ == kString) {
      std::fill_n(static_cast<std::string*>(to), count, std::string());
    } else if (dtype_ == kResource) {
      std::fill_n(static_cast<ResourceHandle*>(to), count, ResourceHandle());
    }
  }
  // Approximate cost of moving `count` elements, in nanoseconds.
  int64_t Cost(int64_t count) const { return 2 + (plain_ ? count * static_cast<int64_t>(size_) / 8 : count * 20); }

 private:
  DType dtype_;
  size_t size_;
  bool plain_;
};

// Returns output `output` with the content of input `input`, to be modified. Reuses the input's memory if it is not
// shared.
inline Result<Tensor> CopyOrForward(KernelContext& ctx, int input, int output) {
  WEIR_ASSIGN(Tensor out, ctx.ForwardOrAllocate(input, output));
  const Tensor& in = ctx.input(input);
  if (out.raw() != in.raw()) Elements(in.dtype()).Copy(out.raw(), in.raw(), in.num_elements());
  return out;
}

// Arithmetic on shapes and indices (int32) is usually small, so its kernels run inline.
inline Kernel CheapForIndices(Kernel kernel, const KernelSetup& setup) {
  if (setup.num_outputs() == 0 || BaseType(setup.output_type(0)) != kInt32) return kernel;
  return std::move(kernel).Cheap();
}

}  // namespace weir::ops
