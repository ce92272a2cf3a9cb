// The messages between two ends of a UCX connection. A message is an active message: its header is a UcxHead and the
// method; its data is a table of parts and what is short of the payload. What is long of it goes in parts, each an
// active message of its own that is received where it is to stay. Pure: no UCX in here.
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

struct UcxHead {
  enum Kind : uint32_t { kHello = 1, kCall, kAnswer, kError, kCancel, kPing, kPong, kPart };
  static constexpr uint32_t kVersion = 1;
  uint32_t version = kVersion;
  uint32_t kind = 0;
  uint32_t code = 0;     // of an error
  uint32_t parts = 0;    // that come by themselves
  uint64_t message = 0;  // its number on the connection; of a part: that of what it is a part of
  uint64_t id = 0;       // of the call; of a part: its place among them
  uint64_t size = 0;     // of the payload, with all parts
};

// A part of a payload: its size, and how many of the bytes that came with the head stand before it.
struct UcxPart {
  uint64_t before = 0;
  uint64_t size = 0;
};

constexpr size_t kUcxMaxMethod = 1 << 10;
constexpr size_t kUcxPartBytes = size_t{512} << 10;  // what is as long goes by itself

// A message as it is sent: `data` are the slices after the head, `parts` those that go by themselves; all of them are
// in `owned` or `payload`.
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
  std::vector<UcxHead> part_heads;
};
std::unique_ptr<UcxOutgoing> MakeUcxOutgoing(UcxHead head, std::string_view method, Rope payload);

// What has come over one connection and is not yet whole. Sizes are checked before anything is done with them.
class UcxInbox final {
 public:
  struct Message {
    UcxHead head;
    std::string method;
    Result<Rope> payload = Rope();
  };
  // One active message whose data has yet to be put where it says.
  struct Piece {
    UcxHead head;
    std::string method;
    size_t size = 0;
    // Where `size` bytes go, and a tensor may keep them; none where there is no memory for them: they are passed over.
    BufferPtr memory;
    Status failed;
  };
  // InvalidArgument for what is no message.
  Result<Piece> Begin(std::string_view header, size_t data_size);
  // The bytes are there. Nothing where the message is not whole yet; InvalidArgument where it can never be.
  Result<std::optional<Message>> End(Piece piece);

 private:
  struct Incomplete {
    std::optional<Piece> first;
    std::unordered_map<uint64_t, Piece> parts;
  };
  std::unordered_map<uint64_t, Incomplete> incomplete_;
};

}  // namespace weir
