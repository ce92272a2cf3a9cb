// TensorArrayState: an array of tensors of one type that lives as long as its step. Each slot is written once and read
// once (or more than once without clear_after_read). The array for gradients sums up all writes to a slot. Thread-safe.
#pragma once

#include <mutex>
#include <vector>

#include "op/kernel.h"

namespace weir::ops {

constexpr char kTensorArrayContainer[] = "_tensor_arrays";

class TensorArrayState final : public Resource {
 public:
  struct Options {
    DType dtype = kInvalidType;
    PartialShape element_shape;
    bool identical_element_shapes = false;
    bool dynamic_size = false;
    bool clear_after_read = true;
    bool adds_writes = false;  // for gradients: several writes to a slot are summed up
  };
  TensorArrayState(std::string name, int32_t size, Options options)
      : name_(std::move(name)), options_(std::move(options)), size_(size) {}

  const std::string& name() const { return name_; }
  DType dtype() const { return options_.dtype; }
  std::string DebugString() const override { return fmt::format("TensorArray[{}]", name_); }

  Result<int32_t> Size() const;
  // The part of the shape that all elements have in common.
  PartialShape ElementShape() const;
  // Merges `shape` into the element shape. An incompatible shape is an error.
  Status SetElementShape(const PartialShape& shape);
  // Grows the array to at least `size` slots. Returns false if the array is too small and has a fixed size.
  Result<bool> Reserve(int64_t size);

  Status Write(int32_t index, Tensor value);
  // A slot that was never written reads as zeros if its shape is known.
  Result<Tensor> Read(int32_t index);
  void Close();

  // Returns an array with the same number of slots for the gradients of this one, and fixes the size of this one.
  // `prepended` is prepended to the shape of every element.
  Result<ResourcePtr<TensorArrayState>> MakeGradients(std::string name, const Shape& prepended);

 private:
  struct Slot {
    Tensor value;
    Shape shape;  // of the value written; kept after the value is cleared
    bool has_shape = false;
    bool written = false;
    bool read = false;
    bool owned = false;  // `value` is a sum in memory that only this array uses
  };
  Status CheckOpen() const;
  Result<Slot*> SlotAt(int32_t index);
  Status AddTo(Slot& slot, int32_t index, const Tensor& value);

  const std::string name_;
  mutable std::mutex mu_;
  Options options_;
  int32_t size_;
  std::vector<Slot> slots_;  // grows up to size_ as slots are used
  bool closed_ = false;
  bool has_sums_ = false;
};

}  // namespace weir::ops
