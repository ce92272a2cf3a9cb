// IteratorState: the position of an iterator, as the variant that SerializeIterator outputs. Checkpoints hold its text.
#pragma once

#include <string>

#include "tensor/variant.h"

namespace weir::ops {

class IteratorState final : public VariantValue {
 public:
  explicit IteratorState(int64_t position) : position_(position) {}
  // The number of calls of GetNext in this pass that returned an element.
  int64_t position() const { return position_; }
  std::string Text() const;
  static Result<IntrusivePtr<const IteratorState>> Parse(const std::string& text);
  std::string DebugString() const override { return "the state of an iterator"; }

 private:
  const int64_t position_;
};

}  // namespace weir::ops
