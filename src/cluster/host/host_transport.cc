#include "cluster/host/host_transport.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "base/alarms.h"
#include "base/clock.h"
#include "cluster/host/host_channel.h"
#include "cluster/host/host_listener.h"

namespace weir {
namespace {

// Lets threads wait in the loop, as long as there is one.
class HostEventPoller final : public EventPoller {
 public:
  void WaitFor(OneShotEvent& event) override {
    EpollLoop* loop = nullptr;
    {
      std::lock_guard lock(mu_);
      if (loop_ == nullptr) return;
      loop = loop_;
      ++inside_;
    }
    const absl::Cleanup leave = [this] {
      std::lock_guard lock(mu_);
      if (--inside_ == 0 && loop_ == nullptr) left_.notify_all();
    };
    loop->WaitFor(event);
  }
  void Open(EpollLoop& loop) {
    std::lock_guard lock(mu_);
    loop_ = &loop;
  }
  // Waits until no thread is in WaitFor.
  void Close() {
    std::unique_lock lock(mu_);
    if (EpollLoop* const loop = std::exchange(loop_, nullptr)) loop->ReleaseWaiters();
    left_.wait(lock, [this] { return inside_ == 0; });
  }

 private:
  std::mutex mu_;
  std::condition_variable left_;
  EpollLoop* loop_ = nullptr;
  int inside_ = 0;
};

class HostTransport final : public Transport {
 public:
  HostTransport(std::unique_ptr<Transport> other, const TransportSettings& settings)
      : settings_(WithUsableTimeout(settings)), other_(std::move(other)), alarms_(RealClock()) {}
  ~HostTransport() override {
    poller_->Close();
    callers_->Close();
    other_ = nullptr;
  }
  std::shared_ptr<EventPoller> event_poller() override { return poller_; }
  std::shared_ptr<Channel> Connect(const std::string& address, const std::string& task) override {
    return std::make_shared<HostChannel>(
        address, callers_, [this] { return Shared(); },
        [weak = std::weak_ptr(other_), address, task]() -> std::shared_ptr<Channel> {
          const std::shared_ptr<Transport> other = weak.lock();
          return other == nullptr ? nullptr : other->Connect(address, task);
        });
  }
  Status CheckCredentials() override { return other_->CheckCredentials(); }
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
      loop_ = std::make_unique<EpollLoop>();
      poller_->Open(*loop_);
      CheckPeriodically(alarms_, settings_.peer_timeout_ms, [this] { loop_->CheckForStall(); });
    }
    return {*loop_, alarms_, settings_};
  }

  const TransportSettings settings_;
  std::shared_ptr<Transport> other_;
  std::mutex mu_;
  std::unique_ptr<EpollLoop> loop_;
  const std::shared_ptr<HostEventPoller> poller_ = std::make_shared<HostEventPoller>();
  const std::shared_ptr<OutgoingLinks> callers_ = std::make_shared<OutgoingLinks>();
  // Declared last, so destroyed first: an alarm may still use the loop.
  ThreadAlarms alarms_;
};

}  // namespace

std::unique_ptr<Transport> MakeHostTransport(std::unique_ptr<Transport> other, const TransportSettings& settings) {
  return std::make_unique<HostTransport>(std::move(other), settings);
}

}  // namespace weir
