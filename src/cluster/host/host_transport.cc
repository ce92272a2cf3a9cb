#include "cluster/host/host_transport.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/alarms.h"
#include "base/clock.h"
#include "cluster/host/host_channel.h"
#include "cluster/host/host_listener.h"

namespace weir {
namespace {

// Lets threads wait in the loop, as long as there is one.
class HostWaitingPlace final : public WaitingPlace {
 public:
  void WaitFor(Arrival& arrival) override {
    HostLoop* loop = nullptr;
    {
      std::lock_guard lock(mu_);
      if (loop_ == nullptr) return;
      loop = loop_;
      ++inside_;
    }
    loop->WaitFor(arrival);
    std::lock_guard lock(mu_);
    if (--inside_ == 0 && loop_ == nullptr) left_.notify_all();
  }
  void Open(HostLoop& loop) {
    std::lock_guard lock(mu_);
    loop_ = &loop;
  }
  // Waits until no thread is inside.
  void Close() {
    std::unique_lock lock(mu_);
    if (HostLoop* const loop = std::exchange(loop_, nullptr)) loop->SendAway();
    left_.wait(lock, [this] { return inside_ == 0; });
  }

 private:
  std::mutex mu_;
  std::condition_variable left_;
  HostLoop* loop_ = nullptr;
  int inside_ = 0;
};

class HostTransport final : public Transport {
 public:
  HostTransport(std::unique_ptr<Transport> other, int64_t peer_timeout_ms)
      : peer_timeout_ms_(std::max<int64_t>(4, peer_timeout_ms)), other_(std::move(other)), alarms_(RealClock()) {}
  ~HostTransport() override {
    place_->Close();
    callers_->Close();
    other_ = nullptr;
  }
  std::shared_ptr<WaitingPlace> waiting_place() override { return place_; }
  std::shared_ptr<Channel> Connect(const std::string& address) override {
    return std::make_shared<HostChannel>(
        address, callers_, [this] { return Shared(); },
        [weak = std::weak_ptr(other_), address]() -> std::shared_ptr<Channel> {
          const std::shared_ptr<Transport> other = weak.lock();
          return other == nullptr ? nullptr : other->Connect(address);
        });
  }
  Result<std::unique_ptr<Listener>> Listen(const std::string& address) override {
    WEIR_ASSIGN(const Address wanted, Address::Parse(address));
    WEIR_ASSIGN(std::unique_ptr<Listener> listener, other_->Listen(address));
    return std::unique_ptr<Listener>(std::make_unique<HostListener>(Shared(), wanted, std::move(listener)));
  }

 private:
  // The loop is created for the first connection or listener.
  HostLink::Shared Shared() {
    std::lock_guard lock(mu_);
    if (loop_ == nullptr) {
      loop_ = std::make_unique<HostLoop>();
      place_->Open(*loop_);
      LookLater();
    }
    return {*loop_, alarms_, peer_timeout_ms_};
  }
  // Schedules the next check. The interval is short enough that pings of a waiting peer are answered in time even if a
  // handler blocks the loop.
  void LookLater() {
    alarms_.After(std::max<int64_t>(1, peer_timeout_ms_ / 8) * kNanosPerMilli, [this] {
      loop_->Look();
      LookLater();
    });
  }

  const int64_t peer_timeout_ms_;
  std::shared_ptr<Transport> other_;
  std::mutex mu_;
  std::unique_ptr<HostLoop> loop_;
  const std::shared_ptr<HostWaitingPlace> place_ = std::make_shared<HostWaitingPlace>();
  const std::shared_ptr<LinkCallers> callers_ = std::make_shared<LinkCallers>();
  // Declared last, so destroyed first: an alarm may still use the loop.
  ThreadAlarms alarms_;
};

}  // namespace

std::unique_ptr<Transport> MakeHostTransport(std::unique_ptr<Transport> other, int64_t peer_timeout_ms) {
  return std::make_unique<HostTransport>(std::move(other), peer_timeout_ms);
}

}  // namespace weir
