#include "cluster/grpc/grpc_buffers.h"

#include <memory>
#include <vector>

namespace weir {
namespace {

struct SliceOwner {
  std::shared_ptr<const void> owner;
};

}  // namespace

grpc::ByteBuffer ToByteBuffer(const Rope& rope) {
  std::vector<grpc::Slice> slices;
  slices.reserve(rope.slices().size());
  for (const Rope::Slice& slice : rope.slices()) {
    auto* owner = new SliceOwner{slice.owner};
    slices.emplace_back(
        const_cast<char*>(slice.data), slice.size, [](void* p) { delete static_cast<SliceOwner*>(p); }, owner);
  }
  return grpc::ByteBuffer(slices.data(), slices.size());
}

Rope ToRope(const grpc::ByteBuffer& buffer) {
  Rope rope;
  std::vector<grpc::Slice> slices;
  if (!buffer.Valid() || !buffer.Dump(&slices).ok()) return rope;
  for (grpc::Slice& slice : slices) {
    auto owner = std::make_shared<grpc::Slice>(std::move(slice));
    const void* data = owner->begin();
    const size_t size = owner->size();
    rope.Append(data, size, std::move(owner));
  }
  return rope;
}

}  // namespace weir
