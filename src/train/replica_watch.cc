#include "train/replica_watch.h"
#include "train/log.h"

#include <algorithm>

namespace weir {
namespace {

constexpr double kShortestPauseSecs = 0.01;
constexpr double kLongestPauseSecs = 1;

// The state of the replicas at one poll.
struct Sample {
  std::vector<int64_t> given;
  int64_t step = 0;
  bool all_wait = false;
  bool operator==(const Sample&) const = default;
};

Sample MakeSample(const std::vector<Tensor>& values) {
  Sample sample;
  const size_t sums = values.size() - 2;
  for (size_t i = 0; i < sums; ++i) sample.given.push_back(values[i].Int(0));
  sample.step = values[sums].Int(0);
  sample.all_wait = values[sums + 1].Int(0) < 0;
  return sample;
}

}  // namespace

Status ReplicaWatch::Run(Session& session, const Coordinator& coordinator, CancelToken& stopped) const {
  std::vector<Output> fetches = given;
  fetches.push_back(step);
  fetches.push_back(waiting);
  auto poll = session.MakeCallable({}, fetches, {});
  if (!poll.ok()) return OkStatus();  // the training steps report the session's error
  const auto now_secs = [&] { return static_cast<double>(clock->MonotonicNanos()) / 1e9; };
  Sample last;
  double since = now_secs();
  double pause = kShortestPauseSecs;
  while (!coordinator.WaitForStop(pause)) {
    const Result<std::vector<Tensor>> values = (*poll)->Call({}, nullptr, nullptr, &stopped);
    if (!values.ok()) return OkStatus();
    Sample now = MakeSample(*values);
    const auto lacking =
        std::find_if(now.given.begin(), now.given.end(), [&](int64_t count) { return count > 0 && count < needed; });
    const bool lacks = lacking != now.given.end();
    if (now != last || !lacks) since = now_secs();
    // A waiting replica has already contributed. If all wait in two successive samples, no more gradients will come.
    if (lacks && now.all_wait && now == last) {
      TrainInfo(
          "{}: step {} has {} of {} gradients and all replicas wait (gradients were lost). All replicas repeat the "
          "step",
          name, now.step, *lacking, needed);
      session.Run({.targets = {again}, .cancel = &stopped}).status().IgnoreError();
      last = Sample();
      continue;
    }
    if (const double waited = now_secs() - since; waited >= limit_secs)
      return DeadlineExceeded(
          "{}: step {} has {} of {} required gradients after {:.0f} s: too few replicas are running", name, now.step,
          *lacking, needed, waited);
    pause = std::min({pause * 1.5, kLongestPauseSecs, std::max(limit_secs / 10, kShortestPauseSecs)});
    if (lacks && now.all_wait) pause = kShortestPauseSecs;
    last = std::move(now);
  }
  return OkStatus();
}

Status ChiefWatch::Run(Session& session, const Coordinator& coordinator) const {
  const auto now_secs = [&] { return static_cast<double>(clock->MonotonicNanos()) / 1e9; };
  int64_t last = -1;
  double since = now_secs();
  double warned = since;
  while (!coordinator.WaitForStop(pause_secs)) {
    const Result<std::vector<Tensor>> values = session.Run({.fetches = {step, waiting}});
    if (!values.ok()) return OkStatus();  // the training steps report the session's error
    const int64_t now = (*values)[0].Int(0);
    if (now != last || (*values)[1].Int(0) >= 0) since = warned = now_secs();
    last = now;
    const double waited = now_secs() - since;
    if (waited >= limit_secs)
      return DeadlineExceeded("{}: all replicas have waited {:.0f} s for the chief to apply the gradients of step {}",
                              name, waited, now);
    if (now_secs() - warned < warn_secs) continue;
    warned = now_secs();
    TrainWarning(
        "{}: all replicas have waited {:.0f} s for the chief to apply the gradients of step {}. Is the chief running?",
        name, waited, now);
  }
  return OkStatus();
}

}  // namespace weir
