#include "cluster/ucx/ucx_frame.h"

#include <algorithm>
#include <cstring>

namespace weir {
namespace {

constexpr uint32_t kMaxParts = 1 << 12;
constexpr uint64_t kMaxUcxPayload = uint64_t{1} << 40;
constexpr size_t kMaxIncomplete = 1 << 16;
constexpr size_t kMostPartBytes = size_t{128} << 20;  // parts count as signs of life: they must not take too long
constexpr size_t kJoined = size_t{8} << 10;           // up to this size slices are copied together: faster than a list

std::string_view BytesOf(const UcxHeader& head) { return {reinterpret_cast<const char*>(&head), sizeof(head)}; }

}  // namespace

// ---- sending ----

std::unique_ptr<UcxOutgoing> MakeUcxOutgoing(UcxHeader head, std::string_view method, Rope payload) {
  auto out = std::make_unique<UcxOutgoing>();
  out->payload = std::move(payload);
  head.size = out->payload.size();
  uint64_t before = 0;
  for (const Rope::Slice& slice : out->payload.slices()) {
    if (slice.size >= kUcxPartBytes && out->parts.size() + slice.size / kMostPartBytes < kMaxParts) {
      for (size_t at = 0; at < slice.size; at += kMostPartBytes) {
        const size_t size = std::min(kMostPartBytes, slice.size - at);
        const UcxPart part{before, size};
        out->owned.append(reinterpret_cast<const char*>(&part), sizeof(part));
        out->part_heads.push_back(
            {.kind = UcxHeader::kPart, .message = head.message, .id = out->parts.size(), .size = size});
        out->parts.push_back({slice.data + at, size});
      }
    } else {
      before += slice.size;
      out->data.push_back({slice.data, slice.size});
    }
  }
  head.parts = static_cast<uint32_t>(out->parts.size());
  out->header = std::string(BytesOf(head)) + std::string(method);
  out->data_size = out->owned.size() + before;
  if (out->data_size <= kJoined) {
    for (const UcxOutgoing::Bytes& bytes : out->data) out->owned.append(bytes.data, bytes.size);
    out->data.clear();
  }
  if (!out->owned.empty()) out->data.insert(out->data.begin(), {out->owned.data(), out->owned.size()});
  return out;
}

// ---- receiving ----

Result<UcxInbox::Fragment> UcxInbox::Begin(std::string_view header, size_t data_size) {
  Fragment fragment;
  if (header.size() < sizeof(UcxHeader) || header.size() > sizeof(UcxHeader) + kUcxMaxMethod)
    return InvalidArgument("invalid message: header of {} bytes", header.size());
  std::memcpy(&fragment.head, header.data(), sizeof(UcxHeader));
  fragment.method = header.substr(sizeof(UcxHeader));
  fragment.size = data_size;
  const UcxHeader& head = fragment.head;
  if (head.version != UcxHeader::kVersion || head.kind < UcxHeader::kHello || head.kind > UcxHeader::kPart)
    return InvalidArgument("invalid message: version {}, kind {}", head.version, head.kind);
  if (head.size > kMaxUcxPayload || head.parts > kMaxParts)
    return InvalidArgument("invalid message: {} bytes in {} parts", head.size, head.parts);
  const size_t table = head.parts * sizeof(UcxPart);
  const bool fits = head.kind == UcxHeader::kPart ? head.parts == 0 && head.id < kMaxParts && data_size == head.size
                                                  : data_size >= table && data_size - table <= head.size;
  if (!fits) return InvalidArgument("invalid message: header says {} bytes, but {} arrived", head.size, data_size);
  if (head.parts == 0 && head.kind != UcxHeader::kPart && data_size != head.size)
    return InvalidArgument("invalid message: header says {} bytes, but {} arrived", head.size, data_size);
  const auto known = incomplete_.find(head.message);
  if (known == incomplete_.end() && incomplete_.size() >= kMaxIncomplete)
    return InvalidArgument("more than {} incomplete messages", kMaxIncomplete);
  if (data_size == 0) return fragment;
  Result<BufferPtr> memory = CpuAllocator().Allocate(data_size);
  if (memory.ok()) {
    fragment.memory = *std::move(memory);
  } else {
    fragment.failed = memory.status();
  }
  return fragment;
}

namespace {

// Assembles a payload from the data of the first message and the parts. InvalidArgument if they do not fit together.
Result<Rope> AssemblePayload(const UcxInbox::Fragment& first, std::unordered_map<uint64_t, UcxInbox::Fragment>& parts) {
  Rope payload;
  const auto owner = std::make_shared<const BufferPtr>(first.memory);
  const char* table = static_cast<const char*>(first.memory->data());
  size_t at = first.head.parts * sizeof(UcxPart);
  uint64_t before = 0;
  uint64_t left = first.head.size;
  for (uint64_t i = 0; i < first.head.parts; ++i) {
    UcxPart part;
    std::memcpy(&part, table + i * sizeof(part), sizeof(part));
    UcxInbox::Fragment& fragment = parts.at(i);
    if (part.before < before || part.before - before > first.size - at || part.size != fragment.size)
      return InvalidArgument("invalid message: the sizes of its parts do not add up");
    const uint64_t count = part.before - before;
    if (count > left || part.size > left - count)
      return InvalidArgument("invalid message: its parts are longer than the message");
    left -= count + part.size;
    if (count > 0) payload.Append(table + at, count, owner);
    at += count;
    before = part.before;
    if (fragment.size > 0) payload.Append(std::move(fragment.memory));
  }
  if (first.size - at != left) return InvalidArgument("invalid message: the sizes of its parts do not add up");
  if (left > 0) payload.Append(table + at, left, owner);
  return payload;
}

}  // namespace

Result<std::optional<UcxInbox::Message>> UcxInbox::End(Fragment fragment) {
  const uint64_t number = fragment.head.message;
  const bool is_part = fragment.head.kind == UcxHeader::kPart;
  if (!is_part && fragment.head.parts == 0) {  // the common case
    Message message{fragment.head, std::move(fragment.method), Rope()};
    if (!fragment.failed.ok()) {
      message.payload = fragment.failed;
    } else if (fragment.size > 0) {
      message.payload->Append(std::move(fragment.memory));
    }
    return std::optional(std::move(message));
  }
  Incomplete& incomplete = incomplete_[number];
  if (is_part) {
    const uint64_t index = fragment.head.id;
    if (!incomplete.parts.emplace(index, std::move(fragment)).second)
      return InvalidArgument("invalid message: the same part arrived twice");
  } else {
    if (incomplete.first.has_value()) return InvalidArgument("invalid message: the same message number arrived twice");
    incomplete.first = std::move(fragment);
  }
  if (!incomplete.first.has_value()) return std::optional<Message>();
  const Fragment& first = *incomplete.first;
  for (const auto& [index, part] : incomplete.parts) {
    if (index >= first.head.parts) return InvalidArgument("invalid message: part index out of range");
  }
  if (incomplete.parts.size() < first.head.parts) return std::optional<Message>();
  Message message{first.head, first.method, Rope()};
  Status failed = first.failed;
  for (const auto& [index, part] : incomplete.parts) failed.Update(part.failed);
  if (failed.ok()) {
    WEIR_ASSIGN(message.payload, AssemblePayload(first, incomplete.parts));
  } else {
    message.payload = failed;
  }
  incomplete_.erase(number);
  return std::optional(std::move(message));
}

}  // namespace weir
