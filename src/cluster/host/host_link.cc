#include "cluster/host/host_link.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <optional>

#include "base/clock.h"
#include "base/log.h"
#include "base/out_of_memory.h"
#include "cluster/host/host_socket.h"
#include "cluster/transport_errors.h"
#include "tensor/shared_blocks.h"

namespace weir {
namespace {

constexpr uint64_t kGreeting = 0x776569722f686f73;
constexpr uint32_t kMaxMethod = 1 << 12;
constexpr uint32_t kMaxSpans = 1 << 16;
constexpr uint64_t kMaxPayload = uint64_t{1} << 40;
constexpr size_t kMinByReference = size_t{32} << 10;  // payloads from this size on are worth two more system calls

constexpr size_t kMinMapped = size_t{64} << 10;  // spans from this size on are looked up among the shared blocks
constexpr int64_t kMapAgainNanos = 100 * kNanosPerMilli;  // after a block that could not be mapped
constexpr size_t kMaxInlineSpan = 256;    // spans up to this size are written: cheaper than reading the sender's memory
constexpr size_t kMaxInlineBytes = 4096;  // limit for all written spans of a payload

}  // namespace

// A payload that the peer keeps for this process. The destructor tells the peer to release it.
struct HostLink::PeerMemory {
  std::weak_ptr<HostLink> link;
  uint64_t id = 0;
  PeerMemory(std::weak_ptr<HostLink> of, uint64_t which) : link(std::move(of)), id(which) {}
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;
  ~PeerMemory() {
    if (const std::shared_ptr<HostLink> alive = link.lock())
      alive->Send({.kind = HostHeader::kRelease, .id = id}, "", Rope());
  }
};

HostLink::HostLink(const Shared& shared, OwnedFd fd, std::unique_ptr<LinkHandler> end)
    : Link(std::move(end), shared.alarms, shared.settings),
      shared_(shared),
      fd_(std::move(fd)),
      id_(shared.loop.NewId()),
      token_(kGreeting ^ reinterpret_cast<uint64_t>(this) ^ static_cast<uint64_t>(RealClock().MonotonicNanos())) {}

void HostLink::Start() {
  // The token and its address: the peer finds out whether it can read this process's memory.
  Send({.kind = HostHeader::kHello, .id = kGreeting, .size = 0, .reference = token_}, "",
       Rope(std::to_string(reinterpret_cast<uint64_t>(&token_))));
  shared_.loop.Add(id_, fd_.get(), shared_from_this());
  if (broken_) shared_.loop.Remove(id_, fd_.get());
}

void HostLink::Break(const Status& reason) {
  if (broken_.exchange(true)) return;
  shutdown(fd_.get(), SHUT_RDWR);
  const std::shared_ptr<HostLink> self = shared_from_this();  // the loop drops its reference
  shared_.loop.Remove(id_, fd_.get());
  std::map<uint64_t, Rope> shared;  // destroyed without the lock
  std::deque<Rope> queue;
  {
    std::lock_guard lock(write_mu_);
    shared.swap(referenced_);
    queue.swap(queue_);
    sent_.notify_all();
  }
  // The peer may be alive and still read these blocks: they are never written or recycled again.
  for (const auto& [id, rope] : shared) {
    for (const Rope::Slice& slice : rope.slices()) AbandonSharedBlock(slice.data);
  }
  // Not inline: the caller may hold locks.
  shared_.loop.Post([self, reason] { self->link_handler().OnBroken(reason); });
}

void HostLink::WaitUntilSent(int64_t timeout_ms) {
  FlushQueue();
  std::unique_lock lock(write_mu_);
  sent_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                 [&] { return broken_ || (queue_.empty() && referenced_.empty()); });
}

// ---- writing ----

bool HostLink::SendMessage(const LinkMessage& message, std::string_view method, Rope payload) {
  return Send(HeadFor<HostHeader>(message), method, std::move(payload));
}

bool HostLink::Send(HostHeader head, std::string_view method, Rope payload) {
  bool fine = true;
  bool too_many = false;
  SendBatch* const batch = payload.size() < kMinByReference ? TransportThread::Current().batch() : nullptr;
  std::vector<Rope> written;
  {
    std::lock_guard lock(write_mu_);
    if (broken_ || ThisProcess() != process_) return false;  // a forked child must not write to its parent's socket
    head.method_size = static_cast<uint32_t>(method.size());
    head.size = payload.size();
    std::string spans;
    std::string text;  // written after the spans
    const bool lend = MayLend(head, payload);
    if (lend) {
      for (const Rope::Slice& slice : payload.slices()) {
        Span span{reinterpret_cast<uint64_t>(slice.data), slice.size};
        if (slice.size <= kMaxInlineSpan && text.size() + slice.size <= kMaxInlineBytes) {
          span.address = 0;
          text.append(slice.data, slice.size);
        }
        std::optional<SharedBlock> block;
        if (slice.size >= kMinMapped) block = FindSharedBlock(slice.data, slice.size);
        if (block.has_value()) {
          span.block = block->id;
          span.offset = block->offset;
          span.capacity = block->capacity;
          span.fd = block->fd;
        }
        spans.append(reinterpret_cast<const char*>(&span), sizeof(span));
      }
      head.spans = static_cast<uint32_t>(payload.slices().size());
      head.reference = next_reference_++;
      referenced_bytes_ += payload.size();
      referenced_.emplace(head.reference, std::exchange(payload, Rope()));
    }
    Append(head, method, spans + text, std::move(payload));
    too_many = queue_.size() > link_handler().most_unsent();
    if (batch == nullptr && !watches_writes_) fine = WriteSome(&written);
  }
  if (batch != nullptr) batch->Add(shared_from_this());
  if (!fine) Break(BrokenConnection(std::strerror(errno)));
  if (too_many) Break(BrokenConnection("the peer does not read its answers"));
  return fine && !too_many;
}

bool HostLink::MayLend(const HostHeader& head, const Rope& payload) const {
  if (!peer_reads_memory_ || payload.size() < kMinByReference || payload.slices().size() > kMaxSpans) return false;
  const auto most = static_cast<uint64_t>(shared_.settings.limits[Limit::kUnreadOfPeer] / 2);
  return head.kind != HostHeader::kAnswer || referenced_bytes_ + payload.size() <= most;
}

bool HostLink::WriteQueue(bool writable) {
  bool fine = true;
  std::vector<Rope> written;
  {
    std::lock_guard lock(write_mu_);
    if (!broken_ && (writable || !watches_writes_) && ThisProcess() == process_) fine = WriteSome(&written);
  }
  if (!fine) Break(BrokenConnection(std::strerror(errno)));
  return fine;
}

void HostLink::Append(const HostHeader& head, std::string_view method, std::string spans, Rope payload) {
  std::string text(reinterpret_cast<const char*>(&head), sizeof(head));
  text += method;
  text += spans;
  Rope message(std::move(text));
  message.Append(std::move(payload));
  queue_.push_back(std::move(message));
}

bool HostLink::WriteSome(std::vector<Rope>* done) {
  constexpr size_t kMostSlices = 64;
  while (!queue_.empty()) {
    std::array<iovec, kMostSlices> parts;
    msghdr message{};
    message.msg_iov = parts.data();
    size_t slice = queue_slice_;
    size_t skipped = queue_offset_;
    for (auto rope = queue_.begin(); rope != queue_.end() && message.msg_iovlen < kMostSlices; ++rope) {
      const std::vector<Rope::Slice>& slices = rope->slices();
      for (; slice < slices.size() && message.msg_iovlen < kMostSlices; ++slice) {
        parts[message.msg_iovlen++] = {const_cast<char*>(slices[slice].data) + skipped, slices[slice].size - skipped};
        skipped = 0;
      }
      slice = 0;
    }
    const ssize_t written = sendmsg(fd_.get(), &message, MSG_NOSIGNAL);
    if (written < 0 && errno == EINTR) continue;
    const bool full = written < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (written < 0 && !full) return false;
    if (full) {
      if (!watches_writes_) shared_.loop.WatchWrites(id_, fd_.get(), true);
      watches_writes_ = true;
      return true;
    }
    TakeOffQueue(static_cast<size_t>(written), done);
  }
  if (watches_writes_) shared_.loop.WatchWrites(id_, fd_.get(), false);
  watches_writes_ = false;
  if (referenced_.empty()) sent_.notify_all();
  return true;
}

void HostLink::TakeOffQueue(size_t bytes, std::vector<Rope>* done) {
  while (!queue_.empty()) {
    const std::vector<Rope::Slice>& slices = queue_.front().slices();
    while (queue_slice_ < slices.size() && bytes >= slices[queue_slice_].size - queue_offset_) {
      bytes -= slices[queue_slice_++].size - queue_offset_;
      queue_offset_ = 0;
    }
    if (queue_slice_ < slices.size()) {
      queue_offset_ += bytes;
      return;
    }
    done->push_back(std::move(queue_.front()));
    queue_.pop_front();
    queue_slice_ = 0;
  }
}

// ---- reading ----

void HostLink::OnReady(bool readable, bool writable) {
  if (writable && !WriteQueue(/*writable=*/true)) return;
  if (!readable && !writable) FlushQueue();  // the thread that should may be blocked in a handler
  std::string why;
  bool fine = true;
  try {
    fine = !readable || Read(&why);
  } catch (...) {  // the rest of what was read is lost
    fine = false;
    why = std::string(StatusFromCurrentException("reading a message").message());
  }
  if (!HandleAll()) {
    fine = false;
    why = "received malformed bytes";
  }
  if (!fine) Break(BrokenConnection(why));
}

bool HostLink::Read(std::string* why) {
  std::unique_lock lock(read_mu_, std::try_to_lock);
  if (!lock.owns_lock()) return true;  // another thread reads, and is called again if there is more
  std::array<char, size_t{64} << 10> buffer;
  const ssize_t size = read(fd_.get(), buffer.data(), buffer.size());
  if (size <= 0) {
    if (size < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) return true;
    *why = size == 0 ? "end of file" : std::strerror(errno);
    return false;
  }
  RecordActivity();
  *why = "received malformed bytes";
  const bool fine = Feed(buffer.data(), static_cast<size_t>(size));
  const std::vector<LinkMessage> cancelled = std::exchange(cancelled_, {});
  lock.unlock();  // callbacks run now
  for (const LinkMessage& message : cancelled) link_handler().OnMessageStart(message, "");
  return fine;
}

bool HostLink::HandleAll() {
  std::optional<SendBatch> answers;  // sends the responses to messages that came together in one write
  bool announced = false;
  for (;;) {
    Incoming message;
    bool more = false;
    {
      std::lock_guard lock(read_mu_);
      if (received_.empty()) return true;
      message = std::move(received_.front());
      received_.pop_front();
      more = !received_.empty();
    }
    if (more && !answers.has_value()) answers.emplace();
    if (more && !announced && shared_.loop.others_wait()) {
      shared_.loop.Post([weak = weak_from_this()] {
        if (const std::shared_ptr<HostLink> alive = weak.lock()) alive->OnReady(false, false);
      });
      announced = true;
    }
    try {
      if (!Handle(std::move(message))) return false;
    } catch (...) {  // the callers learn of it when the handler's closures are destroyed
      LogCurrentException("the handler of a message");
    }
  }
}

bool HostLink::Feed(const char* bytes, size_t size) {
  while (size > 0) {
    size_t count = 0;
    if (head_have_ < sizeof(HostHeader)) {
      count = std::min(size, sizeof(HostHeader) - head_have_);
      std::memcpy(reinterpret_cast<char*>(&reading_.head) + head_have_, bytes, count);
      head_have_ += count;
      if (head_have_ == sizeof(HostHeader) && !BeginBody()) return false;
    } else if (small_.size() < small_need_) {
      count = std::min(size, small_need_ - small_.size());
      small_.append(bytes, count);
      if (small_.size() == small_need_ && reading_.head.spans > 0 && !BeginInlineSpans()) return false;
    } else {
      count = std::min<size_t>(size, payload_need_ - payload_have_);
      TakePayload(bytes, count);
    }
    bytes += count;
    size -= count;
    if (head_have_ == sizeof(HostHeader) && small_.size() == small_need_ && payload_have_ == payload_need_)
      EndMessage();
  }
  return true;
}

// The head is complete.
bool HostLink::BeginBody() {
  const HostHeader& head = reading_.head;
  if (head.kind < HostHeader::kHello || head.kind > HostHeader::kPong || head.method_size > kMaxMethod ||
      head.spans > kMaxSpans || head.size > kMaxPayload)
    return false;
  small_.clear();
  small_need_ = head.method_size + head.spans * sizeof(Span);
  payload_have_ = 0;
  payload_need_ = head.spans > 0 ? 0 : head.size;
  reading_.payload = Rope();
  if (head.kind == HostHeader::kCall &&
      head.size > static_cast<uint64_t>(shared_.settings.limits[Limit::kMessageBytes]))
    reading_.payload = shared_.settings.limits.Reached(Limit::kMessageBytes, "a call");  // its bytes are discarded
  return true;
}

// The spans are complete.
bool HostLink::BeginInlineSpans() {
  const HostHeader& head = reading_.head;
  reading_.spans.resize(head.spans);
  std::memcpy(reading_.spans.data(), small_.data() + head.method_size, head.spans * sizeof(Span));
  for (const Span& span : reading_.spans) {
    if (!span.is_inline()) continue;
    if (span.size > kMaxInlineBytes - payload_need_) return false;
    payload_need_ += span.size;
  }
  return true;
}

// Allocates memory as bytes arrive, not for the announced size.
void HostLink::TakePayload(const char* bytes, size_t size) {
  constexpr size_t kBlock = size_t{1} << 18;
  payload_have_ += size;
  while (size > 0 && reading_.payload.ok()) {
    if (block_ == nullptr) {
      block_size_ = std::min<size_t>(kBlock, size + payload_need_ - payload_have_);
      block_have_ = 0;
      Result<BufferPtr> block = CpuAllocator().Allocate(block_size_);
      if (!block.ok()) {
        reading_.payload = block.status();  // the rest is discarded
        return;
      }
      block_ = *std::move(block);
    }
    const size_t count = std::min(size, block_size_ - block_have_);
    std::memcpy(static_cast<char*>(block_->data()) + block_have_, bytes, count);
    bytes += count;
    size -= count;
    block_have_ += count;
    if (block_have_ < block_size_) continue;
    reading_.payload->Append(std::move(block_));
  }
}

void HostLink::EndMessage() {
  const HostHeader& head = reading_.head;
  reading_.method = small_.substr(0, head.method_size);
  block_ = nullptr;
  if (head.kind == HostHeader::kCall) link_handler().OnMessageStart(LinkMessageOf(head), std::move(reading_.method));
  if (head.kind == HostHeader::kCancel) {
    cancelled_.push_back(LinkMessageOf(head));
  } else {
    received_.push_back(std::move(reading_));
  }
  reading_ = Incoming();
  head_have_ = 0;
}

bool HostLink::IsConnected() const {
  if (broken_) return false;
  pollfd polled{fd_.get(), POLLRDHUP, 0};
  return poll(&polled, 1, 0) == 0;
}

bool HostLink::MayMap(const Span& span) const {
  if (span.block == 0) return false;
  const int64_t again = map_again_nanos_.load(std::memory_order_relaxed);
  return again == 0 || RealClock().MonotonicNanos() >= again;
}

// Maps the bytes of a span. Null if they are not in a block that can be mapped.
BufferPtr HostLink::MapSpan(int process, const Span& span, const std::shared_ptr<PeerMemory>& peer_memory) {
  if (!MayMap(span) || span.offset > span.capacity || span.size > span.capacity - span.offset) return nullptr;
  const Result<std::shared_ptr<const char>> bytes =
      mappings_.Find(process, {.id = span.block, .fd = static_cast<int>(span.fd), .capacity = span.capacity});
  if (!bytes.ok()) {
    if (map_again_nanos_.exchange(RealClock().MonotonicNanos() + kMapAgainNanos) == 0)
      LogWarning("a block of {} bytes in the memory of process {} cannot be mapped, so it is copied: {}", span.capacity,
                 process, std::string(bytes.status().message()));
    return nullptr;
  }
  SweepLater();
  char* const data = const_cast<char*>(bytes->get()) + span.offset;
  BufferPtr mapped = WrapMemory(data, span.size, [bytes = *bytes, peer_memory] {});
  mapped->AddReader();  // the peer reads it, too: no op may write in place
  return mapped;
}

void HostLink::SweepLater() {
  if (sweeping_.exchange(true)) return;
  shared_.alarms.After(HostMappings::kKeepNanos, [weak = weak_from_this()] {
    const std::shared_ptr<HostLink> alive = weak.lock();
    if (alive == nullptr) return;
    alive->sweeping_ = false;
    if (alive->mappings_.Sweep(RealClock().MonotonicNanos()) && !alive->broken_) alive->SweepLater();
  });
}

// Copies the spans that were not mapped.
Status HostLink::CopySpans(int process, const std::vector<Span>& spans, std::vector<BufferPtr>* parts) const {
  constexpr size_t kMost = 512;
  std::vector<iovec> from, to;
  for (size_t i = 0; i < spans.size(); ++i) {
    const Span& span = spans[i];
    if (span.size == 0 || span.is_inline() || (*parts)[i]) continue;
    char last = 0;  // probe the last byte before allocating
    iovec one{&last, 1};
    iovec end{reinterpret_cast<void*>(span.address + span.size - 1), 1};
    if (process_vm_readv(process, &one, 1, &end, 1, 0) != 1) return BrokenConnection(std::strerror(errno));
    WEIR_ASSIGN((*parts)[i], CpuAllocator().Allocate(span.size));
    from.push_back({reinterpret_cast<void*>(span.address), span.size});
    to.push_back({(*parts)[i]->data(), span.size});
  }
  // The kernel may copy fewer bytes than requested.
  size_t first = 0;
  while (first < from.size()) {
    const size_t count = std::min(kMost, from.size() - first);
    ssize_t copied = process_vm_readv(process, to.data() + first, count, from.data() + first, count, 0);
    if (copied <= 0) return BrokenConnection(copied < 0 ? std::strerror(errno) : "cannot read the peer's memory");
    while (first < from.size() && static_cast<size_t>(copied) >= from[first].iov_len)
      copied -= static_cast<ssize_t>(from[first++].iov_len);
    if (copied == 0) continue;
    for (std::vector<iovec>* list : {&from, &to}) {
      iovec& part = (*list)[first];
      part = {static_cast<char*>(part.iov_base) + copied, part.iov_len - static_cast<size_t>(copied)};
    }
  }
  return OkStatus();
}

// The owner of the memory lives at least as long as its end of the socket is open. If the connection still exists after
// reading, the bytes came from the owner and not from a new process with the same id.
Result<Rope> HostLink::TakeFromPeer(const Incoming& message) {
  const auto peer_memory = std::make_shared<PeerMemory>(weak_from_this(), message.head.reference);
  uint64_t left = message.head.size;
  for (const Span& span : message.spans) {
    if (span.size > left) return Internal("the sizes of the spans do not add up to the size of the message");
    left -= span.size;
  }
  if (left != 0) return Internal("the sizes of the spans do not add up to the size of the message");
  WEIR_TRY(message.payload.status());
  const std::string written = message.payload->Flatten();
  const int process = PeerProcess(fd_.get());
  std::vector<BufferPtr> parts;
  for (const Span& span : message.spans)
    parts.push_back(span.is_inline() ? nullptr : MapSpan(process, span, peer_memory));
  WEIR_TRY(CopySpans(process, message.spans, &parts));
  if (!IsConnected()) return BrokenConnection("end of file");
  Rope payload;
  size_t used = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Span& span = message.spans[i];
    if (span.is_inline()) {
      payload.Append(written.substr(used, span.size));
      used += span.size;
    } else if (parts[i]) {
      payload.Append(std::move(parts[i]));
    }
  }
  return payload;
}

// False if it is a message that the peer must not send.
bool HostLink::Handle(Incoming message) {
  const HostHeader head = message.head;
  switch (head.kind) {
    case HostHeader::kHello: {
      if (head.id != kGreeting || !message.payload.ok()) return false;
      uint64_t found = 0;
      const std::string where = message.payload->Flatten();
      iovec to{&found, sizeof(found)};
      iovec from{reinterpret_cast<void*>(std::strtoull(where.c_str(), nullptr, 10)), sizeof(found)};
      const int process = PeerProcess(fd_.get());
      const bool can_read = process > 0 && process_vm_readv(process, &to, 1, &from, 1, 0) == sizeof(found) &&
                            found == head.reference && IsConnected();
      if (can_read) Send({.kind = HostHeader::kCanReadMemory}, "", Rope());
      return true;
    }
    case HostHeader::kCanReadMemory: {
      ShareLargeBlocks();
      peer_reads_memory_ = true;
      return true;
    }
    case HostHeader::kRelease: {
      Rope taken;  // released without the lock, and before WaitUntilSent is woken
      {
        std::lock_guard lock(write_mu_);
        if (auto it = referenced_.find(head.id); it != referenced_.end()) taken = std::exchange(it->second, Rope());
        referenced_bytes_ -= taken.size();
      }
      taken = Rope();
      std::lock_guard lock(write_mu_);
      referenced_.erase(head.id);
      if (referenced_.empty() && queue_.empty()) sent_.notify_all();
      return true;
    }
    case HostHeader::kPing:
      Send({.kind = HostHeader::kPong}, "", Rope());
      return true;
    case HostHeader::kPong:
      return true;
    default:
      break;
  }
  size_t copied = head.spans == 0 ? head.size : 0;
  for (const Span& span : message.spans) copied += MayMap(span) ? 0 : std::min(span.size, kMaxPayload);
  if (EventThreads::IsSmall(copied)) {
    Deliver(message);
    return true;
  }
  auto shared = std::make_shared<Incoming>(std::move(message));
  shared_.loop.RunBySize(copied, [self = shared_from_this(), shared] { self->Deliver(*shared); });
  return true;
}

void HostLink::Deliver(Incoming& message) {
  link_handler().OnMessage(LinkMessageOf(message.head),
                           message.head.spans == 0 ? std::move(message.payload) : TakeFromPeer(message));
}

}  // namespace weir
