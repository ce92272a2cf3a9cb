// Await: runs a call that answers by a callback and blocks until it has. Await<Response>([&](Reply<Response> done)
// {...}).
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>

#include "cluster/services.h"

namespace weir {

template <class Response, class Start>
Result<Response> Await(const Start& start) {
  struct State {
    std::mutex mu;
    std::condition_variable there;
    std::optional<Result<Response>> reply;
  };
  auto state = std::make_shared<State>();  // the caller's thread may be gone before notify_all returns
  start([state](Result<Response> result) {
    std::lock_guard lock(state->mu);
    state->reply.emplace(std::move(result));
    state->there.notify_all();
  });
  std::unique_lock lock(state->mu);
  state->there.wait(lock, [&] { return state->reply.has_value(); });
  return *std::move(state->reply);
}

}  // namespace weir
