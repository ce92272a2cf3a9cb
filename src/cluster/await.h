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

// Calls `callback` every `every` while Await blocks.
struct AwaitNotice {
  std::chrono::milliseconds every{0};
  std::function<void()> callback;
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
    while (!state->event.WaitFor(notice.every)) notice.callback();
  } else if (poller != nullptr) {
    poller->WaitFor(state->event);
  }
  state->event.Wait();
  return *std::move(state->reply);
}

}  // namespace weir
