// Farewells: calls that tell a task of the end of a step or a session. Nobody waits for their answer, but they are made
// again, for some minutes, while the task cannot be reached: it would keep what was left there. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "base/alarms.h"
#include "cluster/transport.h"

namespace weir {

class Farewells final : public std::enable_shared_from_this<Farewells> {
 public:
  using Call = std::function<void(const CallOptions& options, std::function<void(const Status&)> done)>;
  // `alarms` must live until Stop.
  explicit Farewells(Alarms& alarms) : alarms_(&alarms) {}
  void Say(Call call) { Try(std::make_shared<const Call>(std::move(call)), 0); }
  // Nothing is called again after it.
  void Stop();

 private:
  void Try(const std::shared_ptr<const Call>& call, int attempt);

  std::mutex mu_;
  Alarms* alarms_;  // null once stopped
};

}  // namespace weir
