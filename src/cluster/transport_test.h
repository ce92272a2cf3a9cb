// A fixture for calls over real sockets, with each of gRPC, the host transport and UCX.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cluster/grpc/grpc_transport.h"
#include "cluster/host/host_transport.h"
#include "cluster/ucx/ucx_transport.h"

namespace weir::transport_tests {

inline constexpr char kSignOfLife[] = "/weir.Connection/GiveSignOfLife";
inline constexpr int64_t kPatience = 20'000'000'000;  // in nanoseconds: gives up after this time

// A one-shot event.
class Signal final {
 public:
  void Give() {
    std::lock_guard lock(mu_);
    given_ = true;
    changed_.notify_all();
  }
  bool Wait() {
    std::unique_lock lock(mu_);
    return changed_.wait_for(lock, std::chrono::nanoseconds(kPatience), [&] { return given_; });
  }

 private:
  std::mutex mu_;
  std::condition_variable changed_;
  bool given_ = false;
};

// The response to a call.
class Answer final {
 public:
  Channel::Done Take() {
    return [this](Result<Rope> result) {
      std::lock_guard lock(mu_);
      ++times_;
      if (result.ok()) {
        text_ = result->Flatten();
      } else {
        status_ = result.status();
      }
      changed_.notify_all();
    };
  }
  // Waits for the end of the call.
  Status Wait() {
    std::unique_lock lock(mu_);
    if (!changed_.wait_for(lock, std::chrono::nanoseconds(kPatience), [&] { return times_ > 0; }))
      return Internal("no answer came");
    EXPECT_EQ(times_, 1);
    return status_;
  }
  const std::string& text() const { return text_; }

 private:
  std::mutex mu_;
  std::condition_variable changed_;
  int times_ = 0;
  Status status_;
  std::string text_;
};

inline constexpr int64_t kLongTimeoutMs = 120'000;
inline constexpr int64_t kShortTimeoutMs = 1'000;

enum class Kind { kGrpc, kHost, kUcx };

class TransportTest : public testing::TestWithParam<Kind> {
 protected:
  static std::unique_ptr<Transport> Make(int64_t peer_timeout_ms) {
    const TransportSettings settings{.peer_timeout_ms = peer_timeout_ms, .force_ucx = true};
    std::unique_ptr<Transport> grpc = MakeGrpcTransport(settings);
    if (GetParam() == Kind::kHost) return MakeHostTransport(std::move(grpc), settings);
    if (GetParam() == Kind::kUcx) return MakeUcxTransport(std::move(grpc), settings);
    return grpc;
  }
  // A listener waits until all calls have been answered.
  void TearDown() override {
    std::lock_guard lock(mu_);
    for (const std::shared_ptr<IncomingCall>& call : kept_) call->Respond(Cancelled("the test has ended"));
  }
  void Keep(std::shared_ptr<IncomingCall> call) {
    std::lock_guard lock(mu_);
    kept_.push_back(std::move(call));
  }
  IncomingCall& kept(size_t i) {
    std::lock_guard lock(mu_);
    return *kept_.at(i);
  }
  void Listen(int64_t peer_timeout_ms, CallHandler handler) {
    server_ = Make(peer_timeout_ms);
    Result<std::unique_ptr<Listener>> listener = server_->Listen("localhost:0");
    ASSERT_TRUE(listener.ok()) << listener.status();
    listener_ = *std::move(listener);
    ASSERT_GT(listener_->port(), 0);
    client_ = Make(peer_timeout_ms);
    channel_ = client_->Connect(address());
    if (!handler) return;
    listener_->Serve(std::move(handler));
    const bool is_ready = GetParam() != Kind::kUcx || WaitUntilUcxIsUsed(*channel_, kPatience / 1'000'000);
    ASSERT_TRUE(is_ready);
  }
  std::string address() const { return fmt::format("localhost:{}", listener_->port()); }
  Status Call(const std::string& method, std::string request, std::string* response = nullptr,
              const CallOptions& options = {}) {
    Answer answer;
    channel_->Call(method, Rope(std::move(request)), options, answer.Take());
    Status status = answer.Wait();
    if (response != nullptr) *response = answer.text();
    return status;
  }
  static void Echo(const std::shared_ptr<IncomingCall>& call) {
    if (call->method() == kSignOfLife) return call->Respond(Unimplemented("there is no such method"));
    call->Respond(Rope(call->method() + ":" + call->request().Flatten()));
  }

  std::mutex mu_;
  std::vector<std::shared_ptr<IncomingCall>> kept_;  // not answered yet
  std::unique_ptr<Transport> server_;
  std::unique_ptr<Transport> client_;
  std::unique_ptr<Listener> listener_;
  std::shared_ptr<Channel> channel_;
};

}  // namespace weir::transport_tests
