// Await: runs a call that answers by a callback and blocks until it has. Await<Response>([&](Reply<Response> done)
// {...}).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "cluster/arrival.h"
#include "cluster/services.h"

namespace weir {

// While it waits, `look` is called every so often.
struct AwaitNotice {
  std::chrono::milliseconds every{0};
  std::function<void()> look;
};

// `place`, if there is one, is where this thread waits as long as there is nothing to look for.
template <class Response, class Start>
Result<Response> Await(const Start& start, const AwaitNotice& notice = {}, WaitingPlace* place = nullptr) {
  struct State {
    std::optional<Result<Response>> reply;
    Arrival arrival;
  };
  auto state = std::make_shared<State>();  // the caller's thread may be gone before Set returns
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
