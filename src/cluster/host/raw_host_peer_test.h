// For tests of the host transport: a peer made of a bare socket.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/host/host_link.h"

namespace weir {

// One end of a connection, driven by hand.
class RawHostPeer final {
 public:
  explicit RawHostPeer(OwnedFd fd) : fd_(std::move(fd)) {
    EXPECT_TRUE(fd_.valid());
    fcntl(fd_.get(), F_SETFL, fcntl(fd_.get(), F_GETFL) & ~O_NONBLOCK);
    const timeval patience{20, 0};
    setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  }
  void Write(const void* data, size_t size) {
    EXPECT_EQ(send(fd_.get(), data, size, MSG_NOSIGNAL), static_cast<ssize_t>(size));
  }
  void Write(const HostHeader& head, std::string_view rest = "") {
    Write(&head, sizeof(head));
    if (!rest.empty()) Write(rest.data(), rest.size());
  }
  void WriteCall(uint64_t id, std::string_view method, std::string_view payload) {
    Write({.kind = HostHeader::kCall, .id = id, .size = payload.size(), .method_size = uint32_t(method.size())},
          std::string(method) + std::string(payload));
  }
  // False if the peer has disconnected.
  bool TryWriteCall(uint64_t id, std::string_view method) {
    const HostHeader head{.kind = HostHeader::kCall, .id = id, .method_size = uint32_t(method.size())};
    const std::string bytes = std::string(reinterpret_cast<const char*>(&head), sizeof(head)) + std::string(method);
    return send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }
  // The next message of that kind; nullopt at the end of the connection. `payload` gets its bytes, if it has them.
  std::optional<HostHeader> Read(uint32_t kind, std::string* payload = nullptr) { return ReadAny({kind}, payload); }
  std::optional<HostHeader> ReadAny(const std::set<uint32_t>& kinds, std::string* payload = nullptr) {
    HostHeader head;
    while (ReadAll(&head, sizeof(head))) {
      seen_.insert(head.kind);
      std::string rest(head.method_size + head.spans * 48 + (head.spans > 0 ? 0 : head.size), '\0');
      if (!ReadAll(rest.data(), rest.size())) return std::nullopt;
      if (!kinds.contains(head.kind)) continue;
      if (payload != nullptr) *payload = rest;
      return head;
    }
    return std::nullopt;
  }
  // Blocks until there is something to read.
  bool HasMore() {
    pollfd polled{fd_.get(), POLLIN, 0};
    return poll(&polled, 1, 20'000) == 1;
  }
  bool IsAtEnd() { return !Read(~uint32_t{0}).has_value() && !is_late_; }
  // Whether a message of this kind has been read so far.
  bool HasSeen(uint32_t kind) const { return seen_.contains(kind); }

 private:
  bool ReadAll(void* to, size_t size) {
    if (size == 0) return true;
    const ssize_t count = recv(fd_.get(), to, size, MSG_WAITALL);
    is_late_ = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    return count == static_cast<ssize_t>(size);
  }
  OwnedFd fd_;
  std::set<uint32_t> seen_;
  bool is_late_ = false;  // the read timed out, but the connection is open
};

// The layout of HostLink's spans.
struct TestSpan {
  uint64_t address = 0;
  uint64_t size = 0;
  uint64_t block = 0;
  uint64_t offset = 0;
  uint64_t capacity = 0;
  int64_t fd = -1;
};

// `text` holds the bytes of spans without an address.
inline void WriteCallByReference(RawHostPeer& end, uint64_t id, uint64_t size, const std::vector<TestSpan>& spans,
                                 const std::string& text = "") {
  std::string rest = "/a.B/C";
  for (const TestSpan& span : spans) rest.append(reinterpret_cast<const char*>(&span), sizeof(span));
  rest += text;
  end.Write({.kind = HostHeader::kCall,
             .id = id,
             .size = size,
             .reference = id,
             .method_size = 6,
             .spans = static_cast<uint32_t>(spans.size())},
            rest);
}

}  // namespace weir
