// For tests of transports: waits for the end of a call.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

#include "cluster/transport.h"

namespace weir {

// The outcome of a call, or any other event that one thread waits for.
class CallOutcome final {
 public:
  void Set(Status status, std::string text = "") {
    std::lock_guard lock(mu_);
    status_ = std::move(status);
    text_ = std::move(text);
    there_ = true;
    changed_.notify_all();
  }
  Channel::Done Take() {
    return [this](Result<Rope> result) {
      if (result.ok()) {
        Set(OkStatus(), result->Flatten());
      } else {
        Set(result.status());
      }
    };
  }
  Status Wait() {
    std::unique_lock lock(mu_);
    if (!changed_.wait_for(lock, kPatience, [&] { return there_; })) return Internal("nothing came");
    return status_;
  }
  const std::string& text() const { return text_; }

 private:
  static constexpr auto kPatience = std::chrono::seconds(20);  // gives up after this time
  std::mutex mu_;
  std::condition_variable changed_;
  bool there_ = false;
  Status status_;
  std::string text_;
};

}  // namespace weir
