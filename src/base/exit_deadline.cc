#include "base/exit_deadline.h"

#include <cstdlib>

#include "base/log.h"

namespace weir {

ExitDeadline::ExitDeadline(std::chrono::milliseconds time)
    : thread_([this, time] {
        std::unique_lock lock(mu_);
        if (changed_.wait_for(lock, time, [this] { return met_; })) return;
        LogWarning("Shutdown timed out: exiting while calls that cannot be interrupted are still running");
        std::_Exit(0);
      }) {}

ExitDeadline::~ExitDeadline() {
  {
    std::lock_guard lock(mu_);
    met_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

}  // namespace weir
