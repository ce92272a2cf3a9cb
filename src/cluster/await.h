// Await: starts an asynchronous call and blocks until its callback has run.
// Use: Await<Response>([&](Reply<Response> done) { ... })
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "cluster/arrival.h"
#include "cluster/services.h"

namespace weir {

// Calls `look` every `every` while Await blocks.
struct AwaitNotice {
  std::chrono::milliseconds every{0};
  std::function<void()> look;
};

// If `place` is given and `notice` has no callback, the thread polls the transport there while it waits.
template <class Response, class Start>
Result<Response> Await(const Start& start, const AwaitNotice& notice = {}, WaitingPlace* place = nullptr) {
  struct State {
    std::optional<Result<Response>> reply;
    Arrival arrival;
  };
  auto state = std::make_shared<State>();  // shared: this thread may return before Set does
  start([state](Result<Response> result) {
    state->reply.emplace(std::move(result));
    state->arrival.Set();
  });
  if (notice.look) {
    while (!state->arrival.WaitFor(notice.every)) notice.look();
  } else if (place != nullptr) {
    place->WaitFor(state->arrival);
  }
  state->arrival.Wait();
  return *std::move(state->reply);
}

}  // namespace weir
