#include "train/train_and_evaluate.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "base/status.h"
#include "train/checkpoint_state.h"
#include "train/log.h"
#include "train/session_manager.h"

namespace weir {
namespace {

constexpr double kDelaySecsPerWorker = 5;
constexpr int64_t kPollMicros = 100'000;

class RoleRunner final {
 public:
  RoleRunner(const RunConfig& config, EstimatorProgram& program, const TrainAndEvaluateOptions& options)
      : config_(config), program_(program), options_(options) {}

  Status Run() {
    const TaskRole& role = config_.role;
    if (role.task_type == "evaluator") return EvaluateCheckpoints();
    if (role.cluster.empty()) return TrainWithEvaluation();
    if (role.task_type == "chief" || role.task_type == "worker") return TrainInCluster(nullptr);
    if (role.task_type == "master") return TrainInCluster(Listener());
    if (role.task_type != "ps")
      return SetupError(InvalidArgument(
          "Task type {} is not supported. Supported task types are chief, evaluator, master, ps, worker",
          role.task_type));
    WEIR_TRY(program_.StartServer());
    return program_.JoinServer();
  }

 private:
  friend class EvaluatingListener;
  CheckpointListenerPtr Listener();

  Status TrainWithEvaluation() {
    options_.log("Training in this process. Each checkpoint is evaluated, at most one per throttle_secs.");
    return program_.Train(Listener());
  }

  Status TrainInCluster(CheckpointListenerPtr listener) {
    WEIR_ASSIGN(const bool needs_server, NeedsServer(config_.role));
    if (needs_server) WEIR_TRY(program_.StartServer());
    if (config_.role.task_type == "worker") {
      const double delay = std::min(config_.max_worker_delay_secs, kDelaySecsPerWorker * (config_.role.task_id + 1));
      if (delay > 0) {
        options_.log(fmt::format("Waiting {:.0f} secs before starting training.", delay));
        WEIR_TRY(Sleep(delay));
      }
    }
    return program_.Train(std::move(listener));
  }

  // Returns when a checkpoint of the last step was evaluated.
  Status EvaluateCheckpoints() {
    if (options_.start_delay_secs > 0) {
      options_.log(fmt::format("Waiting {:f} secs before starting eval.", options_.start_delay_secs));
      WEIR_TRY(Sleep(options_.start_delay_secs));
    }
    while (true) {
      const int64_t start = options_.clock->MonotonicNanos();
      WEIR_ASSIGN(const bool evaluated, EvaluateLatest());
      const double elapsed = static_cast<double>(options_.clock->MonotonicNanos() - start) * 1e-9;
      const double left = options_.throttle_secs - elapsed;
      if (left > 0) {
        options_.log(fmt::format("Waiting {:f} secs before starting next eval run.", left));
        WEIR_TRY(Sleep(left));
      } else if (!evaluated) {
        // Do not poll the directory without a pause.
        options_.clock->SleepMicros(kPollMicros);
      }
      if (evaluated && IsLast()) {
        options_.log(
            fmt::format("Exiting evaluation, global_step={} >= train max_steps={}", step_, *options_.max_steps));
        return OkStatus();
      }
    }
  }

  // Evaluates and exports the latest checkpoint; false if there is no new one.
  Result<bool> EvaluateLatest() {
    WEIR_ASSIGN(const std::optional<std::string> latest, LatestCheckpoint(*config_.env, config_.model_dir));
    if (!latest) {
      if (!warned_)
        options_.warning("Estimator is not trained yet. Will start an evaluation when a checkpoint is ready.");
      warned_ = true;
      return false;
    }
    if (*latest == evaluated_) {
      options_.warning(
          "No new checkpoint ready for evaluation. Skip the current evaluation pass as evaluation results are expected "
          "to be same for the same checkpoint.");
      return false;
    }
    WEIR_ASSIGN(step_, program_.Evaluate(*latest));
    WEIR_TRY(program_.Export(*latest, IsLast()));
    evaluated_ = *latest;
    return true;
  }

  bool IsLast() const { return options_.max_steps && *options_.max_steps > 0 && step_ >= *options_.max_steps; }

  Status Sleep(double secs) {
    for (int64_t left = static_cast<int64_t>(secs * 1e6); left > 0; left -= kPollMicros) {
      if (options_.cancel != nullptr && options_.cancel->cancelled()) return options_.cancel->reason();
      options_.clock->SleepMicros(std::min(left, kPollMicros));
    }
    return OkStatus();
  }

  const RunConfig& config_;
  EstimatorProgram& program_;
  const TrainAndEvaluateOptions& options_;
  std::string evaluated_;  // the last checkpoint that was evaluated
  int64_t step_ = 0;       // its global step
  bool warned_ = false;
};

// Evaluates checkpoints while the model trains: all but the first of a session, at most one per interval, and the last.
class EvaluatingListener final : public CheckpointListener {
 public:
  EvaluatingListener(RoleRunner& runner, TimerInterval interval) : runner_(runner), interval_(interval) {}

  Status Begin() override {
    WEIR_ASSIGN(timer_, MakeTimer(interval_));
    is_first_ = true;
    return OkStatus();
  }
  Result<bool> AfterSave(const SessionPtr&, int64_t step) override {
    if (std::exchange(is_first_, false)) return false;  // it is the checkpoint that training began with
    if (timer_->ShouldTrigger(step)) WEIR_TRY(Evaluate(step));
    return false;
  }
  Status End(const SessionPtr&, int64_t step) override {
    return timer_->last_step() && step <= *timer_->last_step() ? OkStatus() : Evaluate(step);
  }

 private:
  Status Evaluate(int64_t step) {
    timer_->Note(step);
    return runner_.EvaluateLatest().status();
  }

  RoleRunner& runner_;
  const TimerInterval interval_;
  TimerPtr timer_;
  bool is_first_ = true;
};

CheckpointListenerPtr RoleRunner::Listener() {
  return std::make_shared<EvaluatingListener>(*this, TimerInterval{.every_secs = options_.throttle_secs});
}

}  // namespace

Result<bool> NeedsServer(const TaskRole& role) {
  if (!role.master.empty()) return true;
  const auto& jobs = role.cluster.jobs();
  const bool alone = jobs.size() == 1 && jobs.begin()->second.size() == 1 && jobs.begin()->first != "ps";
  if (alone) return false;
  return SetupError(FailedPrecondition(
      "Could not start server; be sure to specify master in RunConfig or set the TF_CONFIG environment variable."));
}

Status TrainAndEvaluate(const RunConfig& config, EstimatorProgram& program, const TrainAndEvaluateOptions& options) {
  return RoleRunner(config, program, options).Run();
}

namespace {

// Deletes a file, a link, or a directory with everything in it.
Status DeleteTree(Env& env, const std::string& path) {
  if (env.DeleteFile(path).ok()) return OkStatus();
  WEIR_ASSIGN(const std::vector<std::string> names, env.List(path));
  for (const std::string& name : names) WEIR_TRY(DeleteTree(env, JoinPath(path, name)));
  return env.DeleteDirectory(path);
}

}  // namespace

Status DeleteOldExports(const std::string& directory, int keep, Env& env) {
  WEIR_ASSIGN(const std::vector<std::string> names, env.List(directory));
  std::vector<std::pair<int64_t, std::string>> exports;
  for (const std::string& name : names) {
    int64_t version = 0;
    if (absl::SimpleAtoi(name, &version)) exports.emplace_back(version, name);
  }
  std::sort(exports.begin(), exports.end());
  for (size_t i = 0; i + static_cast<size_t>(keep) < exports.size(); ++i) {
    const Status deleted = DeleteTree(env, JoinPath(directory, exports[i].second));
    if (!deleted.ok()) TrainWarning("Can not delete {} recursively: {}", exports[i].second, deleted.ToString());
  }
  return OkStatus();
}

}  // namespace weir
