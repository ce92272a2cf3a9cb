#include "cluster/ucx/ucx_link.h"

#include <chrono>

#include "cluster/transport_errors.h"

namespace weir {

bool UcxLink::Send(UcxHead head, std::string_view method, Rope payload) {
  if (broken_) return false;
  const Status status = shared_.worker->Send(shared_from_this(), head, method, std::move(payload));
  if (!status.ok()) Break(status);
  return status.ok();
}

bool UcxLink::SendMessage(const LinkMessage& message, std::string_view method, Rope payload) {
  return Send(HeadFor<UcxHead>(message), method, std::move(payload));
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
    if (kept->has_end()) kept->end().Broken(reason);
  });
}

bool UcxLink::Admits(const UcxHead& head) {
  if (has_end() || head.kind == UcxHead::kPing || head.kind == UcxHead::kPong) return true;
  const std::shared_ptr<LinkCalls> calls = head.kind == UcxHead::kHello ? host_(head.id) : nullptr;
  if (calls == nullptr) return false;
  auto callee = std::make_unique<LinkCallee>(calls);
  LinkCallee* const end = callee.get();
  set_end(std::move(callee));
  return calls->Add(shared_from_this(), end);
}

Status UcxLink::Greet(uint64_t invitation, int64_t timeout_ms) {
  Send({.kind = UcxHead::kHello, .id = invitation}, "", Rope());
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
  if (!Send({.kind = UcxHead::kPing, .id = number}, "", Rope())) return;
  std::unique_lock lock(mu_);
  changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [&] { return last_pong_ >= number || !reason_.ok(); });
}

void UcxLink::Began(const UcxHead& head, const std::string& method) {
  if (head.kind != UcxHead::kCall || broken_) return;
  end().Began(LinkMessageOf(head), method);
}

void UcxLink::Came(UcxInbox::Message message) {
  const UcxHead& head = message.head;
  switch (head.kind) {
    case UcxHead::kHello: {
      bool first = false;
      {
        std::lock_guard lock(mu_);
        first = !std::exchange(greeted_, true);
        changed_.notify_all();
      }
      // The accepting side answers, and stops the peer timeout.
      if (first && host_ != nullptr) {
        EndWait();
        Send({.kind = UcxHead::kHello}, "", Rope());
      }
      return;
    }
    case UcxHead::kPing:
      Send({.kind = UcxHead::kPong, .id = head.id}, "", Rope());
      return;
    case UcxHead::kPong: {
      std::lock_guard lock(mu_);
      last_pong_ = std::max(last_pong_, head.id);
      changed_.notify_all();
      return;
    }
    case UcxHead::kCancel:
      return end().Began(LinkMessageOf(head), "");
    default:
      break;
  }
  const size_t size = head.size;
  auto shared = std::make_shared<UcxInbox::Message>(std::move(message));
  shared_.loop.RunFor(size, [kept = shared_from_this(), shared] {
    kept->end().Came(LinkMessageOf(shared->head), std::move(shared->payload));
  });
}

}  // namespace weir
