// Await: starts an asynchronous call and blocks until its callback has run.
// Use: Await<Response>([&](Reply<Response> done) { ... })
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "cluster/one_shot_event.h"
#include "cluster/services.h"

namespace weir {

// Calls `callback` while Await blocks: first after `first`, then each time after what the callback returned.
struct AwaitNotice {
  std::chrono::milliseconds first{0};
  std::function<std::chrono::milliseconds()> callback;
};

// If `poller` is given and `notice` has no callback, the thread polls the transport there while it waits.
template <class Response, class Start>
Result<Response> Await(const Start& start, const AwaitNotice& notice = {}, EventPoller* poller = nullptr) {
  struct State {
    std::optional<Result<Response>> reply;
    OneShotEvent event;
  };
  auto state = std::make_shared<State>();  // shared: this thread may return before Set does
  start([state](Result<Response> result) {
    state->reply.emplace(std::move(result));
    state->event.Set();
  });
  if (notice.callback) {
    for (auto next = notice.first; !state->event.WaitFor(next);) next = notice.callback();
  } else if (poller != nullptr) {
    poller->WaitFor(state->event);
  }
  state->event.Wait();
  return *std::move(state->reply);
}

}  // namespace weir
