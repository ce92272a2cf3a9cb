// ExitDeadline: ends the process with status 0 unless it is destroyed within the given time. For a program that was
// asked to exit and must do so even if threads are stuck in calls that cannot be interrupted.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace weir {

class ExitDeadline final {
 public:
  explicit ExitDeadline(std::chrono::milliseconds time);
  ~ExitDeadline();
  ExitDeadline(const ExitDeadline&) = delete;
  ExitDeadline& operator=(const ExitDeadline&) = delete;

 private:
  std::mutex mu_;
  std::condition_variable changed_;
  bool met_ = false;
  std::thread thread_;
};

}  // namespace weir
