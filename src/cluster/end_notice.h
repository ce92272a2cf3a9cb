// EndNotice: answers the calls that wait until this task ends (WorkerService::WaitForEnd). A task that is killed does
// not answer: its connections break, so the calls fail. Thread-safe.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "cluster/services.h"
#include "runtime/first_answer.h"

namespace weir {

class EndNotice final {
 public:
  using Answer = Result<tensorflow::GetStatusResponse>;

  void Wait(CancelToken* cancel, Reply<tensorflow::GetStatusResponse> done) {
    const auto waiter = FirstAnswer<Answer>::Make(cancel, std::move(done));
    std::optional<Status> given;
    {
      std::lock_guard lock(mu_);
      given = given_;
      std::erase_if(waiters_, [](const auto& other) { return other->answered(); });
      if (!given.has_value()) waiters_.push_back(waiter);
    }
    if (given.has_value()) Give(*waiter, *given);
  }
  // Answers all calls, including later ones, with the first status that it gets: OK if the task has done its work.
  void Send(const Status& status) {
    std::vector<FirstAnswer<Answer>::Ptr> waiters;
    {
      std::lock_guard lock(mu_);
      if (given_.has_value()) return;
      given_ = status;
      waiters.swap(waiters_);
    }
    for (const auto& waiter : waiters) Give(*waiter, status);
  }

 private:
  static void Give(FirstAnswer<Answer>& waiter, const Status& status) {
    waiter.Give(status.ok() ? Answer(tensorflow::GetStatusResponse()) : Answer(status));
  }

  std::mutex mu_;
  std::optional<Status> given_;
  std::vector<FirstAnswer<Answer>::Ptr> waiters_;
};

}  // namespace weir
