// Farewells: calls that tell a task of the end of a step or a session. Nobody waits for their answer, but while the
// task cannot be reached they are kept, and made again for some minutes: it would hold on to what was left there.
// Thread-safe.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/alarms.h"
#include "cluster/transport.h"

namespace weir {

class Farewells final : public std::enable_shared_from_this<Farewells> {
 public:
  using Call = std::function<void(const CallOptions& options, std::function<void(const Status&)> done)>;
  // `alarms` must live until Stop.
  explicit Farewells(Alarms& alarms) : alarms_(&alarms) {}
  void Say(const std::string& address, Call call) {
    Try(address, std::make_shared<const Call>(std::move(call)), false);
  }
  // Nothing is called again after it.
  void Stop();

 private:
  // A task that could not be reached. One call at a time finds out whether it can be again; the others wait for that.
  struct Unheard {
    std::deque<std::shared_ptr<const Call>> calls;
    int attempts = 0;
  };
  void Try(const std::string& address, std::shared_ptr<const Call> call, bool again);
  void Keep(const std::string& address, std::shared_ptr<const Call> call, bool again);
  void TryAgain(const std::string& address);

  std::mutex mu_;
  Alarms* alarms_;  // null once stopped
  std::map<std::string, Unheard> unheard_;
};

}  // namespace weir
