#include "cluster/rope.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace weir {
namespace {

constexpr size_t kShort = 4096;  // smaller pieces are copied together

}  // namespace

void Rope::Append(std::string text) {
  if (text.empty()) return;
  size_ += text.size();
  if (tail_ != nullptr && tail_->size() + text.size() <= kShort) {
    tail_->append(text);
    slices_.back().data = tail_->data();
    slices_.back().size = tail_->size();
    return;
  }
  auto owned = std::make_shared<std::string>(std::move(text));
  tail_ = owned.get();
  slices_.push_back({owned->data(), owned->size(), owned, nullptr});
}

void Rope::Append(const void* data, size_t size, std::shared_ptr<const void> owner) {
  if (size <= kShort / 4) return Append(std::string(static_cast<const char*>(data), size));
  tail_ = nullptr;
  size_ += size;
  slices_.push_back({static_cast<const char*>(data), size, std::move(owner), nullptr});
}

void Rope::Append(BufferPtr received) {
  const char* data = static_cast<const char*>(received->data());
  const size_t size = received->size();
  if (size <= kShort) return Append(data, size, std::make_shared<BufferPtr>(std::move(received)));
  auto owner = std::make_shared<const BufferPtr>(std::move(received));
  tail_ = nullptr;
  size_ += size;
  const BufferPtr* buffer = owner.get();
  slices_.push_back({data, size, std::move(owner), buffer});
}

void Rope::Append(Rope other) {
  tail_ = nullptr;
  size_ += other.size_;
  for (Slice& slice : other.slices_) slices_.push_back(std::move(slice));
}

void Rope::Keep(std::shared_ptr<const void> owner) {
  if (slices_.empty()) return;
  std::shared_ptr<const void>& last = slices_.back().owner;
  last = std::make_shared<const std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(std::move(last),
                                                                                                     std::move(owner));
}

std::string Rope::Flatten() const {
  std::string text;
  text.reserve(size_);
  for (const Slice& slice : slices_) text.append(slice.data, slice.size);
  return text;
}

bool RopeReader::Fail() {
  slice_ = rope_.slices().size();
  offset_ = left_ = 0;
  return false;
}

std::string_view RopeReader::Peek() const {
  if (left_ == 0) return {};
  const Rope::Slice& slice = rope_.slices()[slice_];
  return {slice.data + offset_, slice.size - offset_};
}

bool RopeReader::Skip(size_t size) {
  if (size > left_) return Fail();
  left_ -= size;
  offset_ += size;
  const auto& slices = rope_.slices();
  while (slice_ < slices.size() && offset_ >= slices[slice_].size) offset_ -= slices[slice_++].size;
  return true;
}

bool RopeReader::Read(void* to, size_t size) {
  if (size > left_) return Fail();
  char* out = static_cast<char*>(to);
  while (size > 0) {
    const std::string_view next = Peek().substr(0, size);
    std::memcpy(out, next.data(), next.size());
    out += next.size();
    size -= next.size();
    Skip(next.size());
  }
  return true;
}

bool RopeReader::Read(std::string* to, size_t size) {
  if (size > left_) return Fail();
  to->resize(size);
  return Read(to->data(), size);
}

bool RopeReader::ReadAppend(std::string* to, size_t size) {
  if (size > left_) return Fail();
  const size_t before = to->size();
  to->resize(before + size);
  return Read(to->data() + before, size);
}

bool RopeReader::ReadVarint(uint64_t* value) {
  constexpr int kMaxBytes = 10;
  *value = 0;
  // Nearly always all of it lies in one slice.
  const std::string_view next = Peek();
  for (size_t i = 0; i < std::min<size_t>(kMaxBytes, next.size()); ++i) {
    const auto byte = static_cast<unsigned char>(next[i]);
    *value |= uint64_t{byte & 0x7fu} << (7 * i);
    if (byte < 0x80) return Skip(i + 1);
  }
  *value = 0;
  for (int i = 0; i < kMaxBytes && left_ > 0; ++i) {
    const auto byte = static_cast<unsigned char>(Peek().front());
    Skip(1);
    *value |= uint64_t{byte & 0x7fu} << (7 * i);
    if (byte < 0x80) return true;
  }
  return Fail();
}

bool RopeReader::Take(size_t size, Rope* to) {
  if (size > left_) return Fail();
  while (size > 0) {
    const std::string_view next = Peek().substr(0, size);
    to->Append(next.data(), next.size(), rope_.slices()[slice_].owner);
    size -= next.size();
    Skip(next.size());
  }
  return true;
}

BufferPtr RopeReader::TakeBuffer(size_t size, void** data) {
  if (size == 0 || size > left_) return nullptr;
  const Rope::Slice& slice = rope_.slices()[slice_];
  if (slice.buffer == nullptr || slice.size - offset_ < size) return nullptr;
  const BufferPtr& buffer = *slice.buffer;
  const char* const begin = slice.data + offset_;
  // A small tensor must not keep a large buffer alive.
  if (reinterpret_cast<uintptr_t>(begin) % kBufferAlignment != 0 || buffer->size() - size > size / 8) return nullptr;
  *data = const_cast<char*>(begin);
  BufferPtr taken = buffer;
  Skip(size);
  return taken;
}

bool RopeStream::Next(const void** data, int* size) {
  last_ = backed_up_;
  backed_up_ = {};
  if (last_.empty()) {
    last_ = reader_.Peek().substr(0, std::numeric_limits<int>::max());
    if (last_.empty()) return false;
    reader_.Skip(last_.size());
  }
  *data = last_.data();
  *size = static_cast<int>(last_.size());
  count_ += *size;
  return true;
}

void RopeStream::BackUp(int count) {
  backed_up_ = last_.substr(last_.size() - static_cast<size_t>(count));
  count_ -= count;
}

bool RopeStream::Skip(int count) {
  const auto wanted = static_cast<size_t>(count);
  const size_t first = std::min(wanted, backed_up_.size());
  backed_up_.remove_prefix(first);
  count_ += static_cast<int64_t>(first);
  const size_t rest = wanted - first;
  const size_t available = std::min(rest, reader_.left());
  reader_.Skip(available);
  count_ += static_cast<int64_t>(available);
  return available == rest;
}

}  // namespace weir
