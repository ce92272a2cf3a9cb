// The messages between the two ends of a UCX connection. A message is one active message: its header is a UcxHeader and
// the method; its data is a table of UcxParts and the short slices of the payload. Long slices are sent as parts:
// separate active messages that are received directly into their final memory. Does not depend on UCX.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cluster/rope.h"

namespace weir {

struct UcxHeader {
  enum Kind : uint32_t { kHello = 1, kCall, kAnswer, kError, kCancel, kPing, kPong, kPart };
  static constexpr uint32_t kVersion = 1;
  uint32_t version = kVersion;
  uint32_t kind = 0;
  uint32_t code = 0;   // only in kError: the StatusCode
  uint32_t parts = 0;  // number of parts that are sent separately
  // sequence number of the message on the connection; in kPart: of the message that the part belongs to
  uint64_t message = 0;
  uint64_t id = 0;    // of the call; in kPart: index of the part
  uint64_t size = 0;  // of the payload with all parts; in kPart: of the part
};

// An entry of the part table: the size of the part, and how many of the bytes in the first message precede it.
struct UcxPart {
  uint64_t before = 0;
  uint64_t size = 0;
};

constexpr size_t kUcxMaxMethod = 1 << 10;
constexpr size_t kUcxPartBytes = size_t{512} << 10;  // slices of at least this size are sent as parts

// A message to be sent. `data` has the slices that follow the header, `parts` the slices that are sent separately. All
// of them point into `owned` or `payload`.
struct UcxOutgoing {
  struct Bytes {
    const char* data = nullptr;
    size_t size = 0;
  };
  std::string header;
  std::string owned;
  Rope payload;
  std::vector<Bytes> data;
  size_t data_size = 0;
  std::vector<Bytes> parts;
  std::vector<UcxHeader> part_heads;
};
std::unique_ptr<UcxOutgoing> MakeUcxOutgoing(UcxHeader head, std::string_view method, Rope payload);

// Assembles the messages of one connection. Checks sizes before it uses them. Not thread-safe.
class UcxInbox final {
 public:
  struct Message {
    UcxHeader head;
    std::string method;
    Result<Rope> payload = Rope();
  };
  // One active message: a message without parts, the first of a message with parts, or a part. Its data has yet to be
  // received into `memory`.
  struct Fragment {
    UcxHeader head;
    std::string method;
    size_t size = 0;
    // Room for `size` bytes that a tensor may keep. Null if the allocation failed: the bytes are discarded then.
    BufferPtr memory;
    Status failed;
  };
  // InvalidArgument if it is not a valid message.
  Result<Fragment> Begin(std::string_view header, size_t data_size);
  // REQUIRES: the bytes are in fragment.memory. nullopt while the message is incomplete; InvalidArgument if it can
  // never be complete.
  Result<std::optional<Message>> End(Fragment fragment);

 private:
  struct Incomplete {
    std::optional<Fragment> first;
    std::unordered_map<uint64_t, Fragment> parts;
  };
  std::unordered_map<uint64_t, Incomplete> incomplete_;
};

}  // namespace weir
