// Rope: a sequence of byte slices, each kept alive by its owner, so that tensors are sent without a copy. Movable, not
// copyable. RopeReader reads one and never past its end.
#pragma once

#include <google/protobuf/io/zero_copy_stream.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "tensor/buffer.h"

namespace weir {

class Rope final {
 public:
  struct Slice {
    const char* data = nullptr;
    size_t size = 0;
    std::shared_ptr<const void> owner;
    // points into `owner` if that holds a received buffer that a tensor may keep, else null
    const BufferPtr* buffer = nullptr;
  };

  Rope() = default;
  explicit Rope(std::string text) { Append(std::move(text)); }
  Rope(const Rope&) = delete;  // two that share a slice could not both grow it
  Rope& operator=(const Rope&) = delete;
  Rope(Rope&& other) noexcept { *this = std::move(other); }
  Rope& operator=(Rope&& other) noexcept {
    slices_ = std::exchange(other.slices_, {});
    tail_ = std::exchange(other.tail_, nullptr);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  // Short texts are appended to the last slice.
  void Append(std::string text);
  void Append(const void* data, size_t size, std::shared_ptr<const void> owner);
  // Appends a whole received buffer. A tensor that is read from it may keep its memory.
  void Append(BufferPtr received);
  void Append(Rope other);

  // Keeps `owner` as long as the last of these bytes, and so until they have been sent. A no-op without bytes.
  void Keep(std::shared_ptr<const void> owner);

  size_t size() const { return size_; }
  const std::vector<Slice>& slices() const { return slices_; }
  std::string Flatten() const;

 private:
  std::vector<Slice> slices_;
  std::string* tail_ = nullptr;  // the text of the last slice, while it may still grow
  size_t size_ = 0;
};

class RopeReader final {
 public:
  explicit RopeReader(const Rope& rope) : rope_(rope), left_(rope.size()) {}

  size_t left() const { return left_; }
  // The methods below return false and move to the end if fewer than `size` bytes are left.
  bool ReadVarint(uint64_t* value);
  bool Read(void* to, size_t size);
  bool Read(std::string* to, size_t size);
  bool ReadAppend(std::string* to, size_t size);  // appends
  bool Skip(size_t size);
  // Sets `to` to the next bytes, as a rope that shares their memory.
  bool Take(size_t size, Rope* to);
  // The next bytes as memory for a tensor, which starts at `*data`. Null, with nothing read, unless all of them lie in
  // one received buffer, are aligned, and are most of that buffer.
  BufferPtr TakeBuffer(size_t size, void** data);
  // The next contiguous bytes: at least one, unless at the end.
  std::string_view Peek() const;

 private:
  bool Fail();
  const Rope& rope_;
  size_t slice_ = 0;
  size_t offset_ = 0;  // into the slice
  size_t left_;
};

// Lets protobuf parse a rope.
class RopeStream final : public google::protobuf::io::ZeroCopyInputStream {
 public:
  explicit RopeStream(const Rope& rope) : reader_(rope) {}
  bool Next(const void** data, int* size) override;
  void BackUp(int count) override;
  bool Skip(int count) override;
  int64_t ByteCount() const override { return count_; }

 private:
  RopeReader reader_;
  std::string_view backed_up_;
  std::string_view last_;
  int64_t count_ = 0;
};

}  // namespace weir
