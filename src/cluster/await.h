// Await: runs a call that answers by a callback and blocks until it has. Await<Response>([&](Reply<Response> done)
// {...}).
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>

#include "cluster/services.h"

namespace weir {

// While it waits, `look` is called every so often.
struct AwaitNotice {
  std::chrono::milliseconds every{0};
  std::function<void()> look;
};

template <class Response, class Start>
Result<Response> Await(const Start& start, const AwaitNotice& notice = {}) {
  struct State {
    std::mutex mu;
    std::condition_variable there;
    std::optional<Result<Response>> reply;
  };
  auto state = std::make_shared<State>();  // the caller's thread may be gone before notify_all returns
  start([state](Result<Response> result) {
    {
      std::lock_guard lock(state->mu);
      state->reply.emplace(std::move(result));
    }
    state->there.notify_all();
  });
  std::unique_lock lock(state->mu);
  const auto answered = [&] { return state->reply.has_value(); };
  if (notice.look) {
    while (!state->there.wait_for(lock, notice.every, answered)) {
      lock.unlock();
      notice.look();
      lock.lock();
    }
  }
  state->there.wait(lock, answered);
  return *std::move(state->reply);
}

}  // namespace weir
