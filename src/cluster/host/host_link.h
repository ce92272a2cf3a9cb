// HostLink: a connection between two processes of one host, and the messages on it. Small payloads are written to the
// socket. For a large payload, the sender writes only short slices and the addresses of the long ones, and keeps the
// memory until the receiver has released it (kRelease). The receiver maps slices in shared blocks, so that tensors are
// read in place, and copies other slices out of the sender's memory. If the kernel allows neither, the sender writes
// all bytes.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/alarms.h"
#include "base/this_process.h"
#include "cluster/epoll_loop.h"
#include "cluster/host/host_mappings.h"
#include "cluster/link.h"
#include "cluster/rope.h"
#include "runtime/transport_thread.h"

namespace weir {

// The header of every message, sent in the byte order and layout of the host.
struct HostHeader {
  enum Kind : uint32_t { kHello = 1, kCanReadMemory, kCall, kAnswer, kError, kCancel, kRelease, kPing, kPong };
  uint32_t kind = 0;
  uint32_t code = 0;         // only in kError: the StatusCode
  uint64_t id = 0;           // of the call; in kRelease: of the payload to release; in kHello: a magic number
  uint64_t size = 0;         // of the payload
  uint64_t reference = 0;    // id of the payload if it stays in the sender's memory; in kHello: the token
  uint32_t method_size = 0;  // of kCall
  uint32_t spans = 0;        // if the payload stays in the sender's memory: the number of spans
};

class HostLink final : public Link,
                       public EpollLoop::Watcher,
                       public SendBatch::Sender,
                       public std::enable_shared_from_this<HostLink> {
 public:
  // Shared by the links of a transport. Must live until all of them are broken.
  struct Shared {
    EpollLoop& loop;
    Alarms& alarms;
    TransportSettings settings;
  };
  HostLink(const Shared& shared, OwnedFd fd, std::unique_ptr<LinkHandler> end);
  // Starts to read. Call it once, before anything is sent.
  void Start();

  bool SendMessage(const LinkMessage& message, std::string_view method, Rope payload) override;
  void Break(const Status& reason) override;
  bool IsConnected() const override;
  void WaitUntilSent(int64_t timeout_ms) override;
  void Post(std::function<void()> work) override { shared_.loop.Post(std::move(work)); }
  bool single_message_is_cheap() const override { return peer_reads_memory_; }
  std::shared_ptr<Link> self() override { return shared_from_this(); }
  void OnReady(bool readable, bool writable) override;
  void FlushQueue() override { WriteQueue(/*writable=*/false); }
  bool HasMore() override {
    std::lock_guard lock(read_mu_);
    return !received_.empty();
  }

 private:
  struct PeerMemory;
  // Bytes in the sender's memory.
  struct Span {
    uint64_t address = 0;  // 0: the bytes follow the spans on the socket
    uint64_t size = 0;
    uint64_t block = 0;  // id of the shared block that holds them; 0 if none does
    uint64_t offset = 0;
    uint64_t capacity = 0;  // of the block
    int64_t fd = -1;
    bool is_inline() const { return address == 0; }
  };
  struct Incoming {
    HostHeader head;
    std::string method;
    std::vector<Span> spans;
    Result<Rope> payload = Rope();
  };

  // Reading: takes bytes in pieces of any size. False if they are no valid messages.
  bool Read(std::string* why);
  bool Feed(const char* bytes, size_t size);
  bool BeginBody();
  bool BeginInlineSpans();
  void TakePayload(const char* bytes, size_t size);
  void EndMessage();
  // Handles the complete messages in order. If one takes long, another thread continues with the next.
  bool HandleAll();
  bool Handle(Incoming message);
  void Deliver(Incoming& message);
  Result<Rope> TakeFromPeer(const Incoming& message);
  bool MayMap(const Span& span) const;
  BufferPtr MapSpan(int process, const Span& span, const std::shared_ptr<PeerMemory>& peer_memory);
  Status CopySpans(int process, const std::vector<Span>& spans, std::vector<BufferPtr>* parts) const;
  void SweepLater();

  // Writing. REQUIRES: write_mu_ is held. Messages that were written go to `written`, to be destroyed without the lock.
  bool WriteSome(std::vector<Rope>* written);
  void TakeOffQueue(size_t bytes, std::vector<Rope>* written);
  // Acquires write_mu_. Bytes that the socket has no room for wait until it is writable. False if the link broke.
  bool WriteQueue(bool writable);
  void Append(const HostHeader& head, std::string_view method, std::string spans, Rope payload);

  // Whether the payload may stay in this process until the peer has released it: a peer that keeps many answers gets
  // further ones as copies. REQUIRES: write_mu_ is held.
  bool MayLend(const HostHeader& head, const Rope& payload) const;
  // False if the link is broken.
  bool Send(HostHeader head, std::string_view method, Rope payload);
  void Ping() override { Send({.kind = HostHeader::kPing}, "", Rope()); }

  const Shared shared_;
  const OwnedFd fd_;
  const pid_t process_ = ThisProcess();
  const EpollLoop::Id id_;
  std::atomic<bool> broken_{false};
  const uint64_t token_;  // the peer tries to read it out of this process's memory

  std::mutex read_mu_;
  size_t head_have_ = 0;
  Incoming reading_;
  std::string small_;  // method and spans
  size_t small_need_ = 0;
  BufferPtr block_;  // the block of the payload that is being filled
  size_t block_size_ = 0;
  size_t block_have_ = 0;
  uint64_t payload_have_ = 0;
  uint64_t payload_need_ = 0;
  std::deque<Incoming> received_;       // complete, but not handled yet
  std::vector<LinkMessage> cancelled_;  // cancellations that were just read

  std::mutex write_mu_;
  std::condition_variable sent_;
  std::deque<Rope> queue_;  // not written yet: the socket is full, or a SendBatch collects more
  size_t queue_slice_ = 0;  // how far the first one is written
  size_t queue_offset_ = 0;
  bool watches_writes_ = false;
  std::atomic<bool> peer_reads_memory_{false};  // the peer can read the memory of this process
  uint64_t next_reference_ = 1;
  std::map<uint64_t, Rope> referenced_;
  uint64_t referenced_bytes_ = 0;

  HostMappings mappings_;
  std::atomic<int64_t> map_again_nanos_{0};  // after a block could not be mapped: when to try again
  std::atomic<bool> sweeping_{false};
};

}  // namespace weir
