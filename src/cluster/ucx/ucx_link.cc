#include "cluster/ucx/ucx_link.h"

#include <chrono>

#include "cluster/transport_errors.h"

namespace weir {

bool UcxLink::Send(UcxHeader head, std::string_view method, Rope payload) {
  if (broken_) return false;
  const Status status = shared_.worker->Send(shared_from_this(), head, method, std::move(payload));
  if (!status.ok()) Break(status);
  return status.ok();
}

bool UcxLink::SendMessage(const LinkMessage& message, std::string_view method, Rope payload) {
  return Send(HeadFor<UcxHeader>(message), method, std::move(payload));
}

void UcxLink::Break(const Status& reason) {
  if (broken_.exchange(true)) return;
  {
    std::lock_guard lock(mu_);
    reason_ = reason;
    changed_.notify_all();
  }
  // Not inline: the caller may hold locks.
  shared_.loop.Post([kept = shared_from_this(), reason] {
    kept->shared_.worker->Disconnect(*kept);
    if (kept->has_link_handler()) kept->link_handler().OnBroken(reason);
  });
}

bool UcxLink::AcceptsMessage(const UcxHeader& head) {
  if (has_link_handler() || head.kind == UcxHeader::kPing || head.kind == UcxHeader::kPong) return true;
  const std::shared_ptr<IncomingLinkCalls> calls = head.kind == UcxHeader::kHello ? find_calls_(head.id) : nullptr;
  if (calls == nullptr) return false;
  auto callee = std::make_unique<LinkCallee>(calls);
  LinkCallee* const end = callee.get();
  set_link_handler(std::move(callee));
  return calls->Add(shared_from_this(), end);
}

Status UcxLink::ExchangeHello(uint64_t invitation, int64_t timeout_ms) {
  Send({.kind = UcxHeader::kHello, .id = invitation}, "", Rope());
  std::unique_lock lock(mu_);
  if (!changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [&] { return greeted_ || !reason_.ok(); }))
    return Unavailable("no connection within {} ms", timeout_ms);
  return reason_;
}

// The pong shows that everything sent before the ping has arrived.
void UcxLink::WaitUntilSent(int64_t timeout_ms) {
  uint64_t number = 0;
  {
    std::lock_guard lock(mu_);
    number = ++pings_;
  }
  if (!Send({.kind = UcxHeader::kPing, .id = number}, "", Rope())) return;
  std::unique_lock lock(mu_);
  changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [&] { return last_pong_ >= number || !reason_.ok(); });
}

void UcxLink::OnMessageStart(const UcxHeader& head, const std::string& method) {
  if (head.kind != UcxHeader::kCall || broken_) return;
  link_handler().OnMessageStart(LinkMessageOf(head), method);
}

void UcxLink::OnMessageComplete(UcxInbox::Message message) {
  const UcxHeader& head = message.head;
  switch (head.kind) {
    case UcxHeader::kHello: {
      bool first = false;
      {
        std::lock_guard lock(mu_);
        first = !std::exchange(greeted_, true);
        changed_.notify_all();
      }
      // The accepting side answers, and stops the peer timeout.
      if (first && find_calls_ != nullptr) {
        EndCall();
        Send({.kind = UcxHeader::kHello}, "", Rope());
      }
      return;
    }
    case UcxHeader::kPing:
      Send({.kind = UcxHeader::kPong, .id = head.id}, "", Rope());
      return;
    case UcxHeader::kPong: {
      std::lock_guard lock(mu_);
      last_pong_ = std::max(last_pong_, head.id);
      changed_.notify_all();
      return;
    }
    case UcxHeader::kCancel:
      return link_handler().OnMessageStart(LinkMessageOf(head), "");
    default:
      break;
  }
  const size_t size = head.size;
  auto shared = std::make_shared<UcxInbox::Message>(std::move(message));
  shared_.loop.RunBySize(size, [kept = shared_from_this(), shared] {
    kept->link_handler().OnMessage(LinkMessageOf(shared->head), std::move(shared->payload));
  });
}

}  // namespace weir
