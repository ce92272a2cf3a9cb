#include "train/session_manager.h"

#include <absl/strings/str_join.h>

#include <algorithm>
#include <cstdlib>

#include "absl/strings/numbers.h"
#include "train/backoff.h"
#include "train/checkpoint_state.h"
#include "train/global_step.h"
#include "train/log.h"
#include "train/preemption.h"
#include "train/run_marks.h"

namespace weir {
namespace {

constexpr char kSetupPayload[] = "weir/setup";

std::string NamesOf(const std::vector<Node*>& nodes) {
  if (nodes.empty()) return "None";
  return absl::StrJoin(nodes, ", ", [](std::string* out, const Node* node) { out->append(node->name()); });
}

// Closes the session on destruction unless Keep() was called.
class CloseOnError final {
 public:
  explicit CloseOnError(SessionPtr session) : session_(std::move(session)) {}
  ~CloseOnError() {
    if (session_ != nullptr) session_->Close().IgnoreError();
  }
  CloseOnError(const CloseOnError&) = delete;
  CloseOnError& operator=(const CloseOnError&) = delete;
  Session& operator*() const { return *session_; }
  const SessionPtr& get() const { return session_; }
  SessionPtr Keep() { return std::move(session_); }

 private:
  SessionPtr session_;
};

}  // namespace

Status SetupError(Status status) {
  status.SetPayload(kSetupPayload, absl::Cord("1"));
  return status;
}

bool IsSetupError(const Status& status) { return status.GetPayload(kSetupPayload).has_value(); }

Result<std::shared_ptr<SessionManager>> SessionManager::Make(Graph& graph, SessionManagerOptions options) {
  if (options.ready_for_local_init.node != nullptr && options.local_init.empty())
    return SetupError(
        InvalidArgument("If you pass a ready_for_local_init_op you must also pass a local_init_op, "
                        "ready_for_local_init_op [{}]",
                        options.ready_for_local_init.node->name()));
  if (!options.recover) {
    const char* text = std::getenv("WEIR_RECOVER");
    const Result<RecoverMode> mode = ParseRecoverMode(text == nullptr ? "" : text);
    if (!mode.ok()) return SetupError(mode.status());
    options.recover = *mode;
  }
  return std::shared_ptr<SessionManager>(new SessionManager(graph, std::move(options)));
}

Result<SessionManager::Missing> SessionManager::CheckReady(const ReadyOp& ready, const char* what, Session& session,
                                                           CancelToken* cancel) const {
  if (ready.node == nullptr) return std::nullopt;
  RunRequest request;
  if (ready.output < 0)
    request.targets = {ready.node};
  else
    request.fetches = {Output(ready.node, ready.output)};
  request.cancel = cancel;
  const Result<std::vector<Tensor>> values = session.Run(request);
  if (!values.ok()) {
    const Status& status = values.status();
    if (status.code() != StatusCode::kFailedPrecondition) return status;
    if (status.message().find("uninitialized") != absl::string_view::npos) return std::string(status.message());
    TrainWarning("{}: error [{}]", what, std::string(status.message()));
    return status;
  }
  if (values->empty() || (*values)[0].num_elements() == 0) return std::nullopt;
  const Tensor& names = (*values)[0];
  if (names.dtype() == kInt32) return std::nullopt;
  if (names.dtype() != kString)
    return SetupError(
        InvalidArgument("ready op '{}' must return the names of uninitialized variables as strings, but returns {}",
                        ready.node->name(), DTypeName(names.dtype())));
  return "Variables not initialized: " + absl::StrJoin(names.flat<std::string>(), ", ");
}

Result<SessionManager::Missing> SessionManager::InitializeLocal(Session& session, CancelToken* cancel) const {
  if (options_.local_init.empty()) return std::nullopt;
  WEIR_ASSIGN(Missing missing,
              CheckReady(options_.ready_for_local_init, "Model not ready for local init", session, cancel));
  if (missing) return missing;
  WEIR_TRY(session
               .Run({.feeds = options_.local_init_feeds,
                     .targets = options_.local_init,
                     .options = options_.local_init_run_options ? &*options_.local_init_run_options : nullptr,
                     .cancel = cancel})
               .status());
  return std::nullopt;
}

Status SessionManager::RestoreFrom(const std::string& path, Session& session, const RestoreOptions& options,
                                   const std::vector<Node*>& targets) const {
  std::vector<Node*> initializers = graph_.collections().Of<Node*>("saved_model_initializers");
  if (!initializers.empty())
    WEIR_TRY(session.Run({.targets = std::move(initializers), .cancel = options.cancel}).status());
  Status step;
  const Status restored = options.saver->Restore(
      graph_,
      [&](RunRequest request) {
        request.cancel = options.cancel;
        if (!targets.empty()) request.targets = targets;
        Result<std::vector<Tensor>> values = session.Run(request);
        step = values.status();
        return values;
      },
      path);
  return restored.ok() || !step.ok() ? restored : SetupError(restored);
}

Result<bool> SessionManager::Restore(Session& session, const RestoreOptions& options) const {
  if (!options.checkpoint_dir.empty() && !options.checkpoint_path.empty())
    return SetupError(InvalidArgument("Can not provide both checkpoint_dir and checkpoint_filename_with_path."));
  if (options.saver == nullptr) return false;
  if (!options.checkpoint_path.empty()) {
    WEIR_TRY(RestoreFrom(options.checkpoint_path, session, options));
    return true;
  }
  if (options.checkpoint_dir.empty()) return false;
  const double wait_secs = options.wait_for_checkpoint ? options.max_wait_secs : 0;
  Backoff backoff(options_.recovery_wait_secs, wait_secs, options.cancel, *options_.clock);
  if (options.wait_for_checkpoint) TrainInfo("Waiting for checkpoint to be available.");
  while (true) {
    WEIR_ASSIGN(const auto state, GetCheckpointState(*options_.env, options.checkpoint_dir));
    if (state && !state->model_checkpoint_path().empty()) {
      // Use the newest intact checkpoint. If there is none, restoring the named one reports what is wrong with it.
      WEIR_ASSIGN(const auto latest, LatestCheckpoint(*options_.env, options.checkpoint_dir));
      WEIR_TRY(RestoreFrom(latest.value_or(state->model_checkpoint_path()), session, options));
      options.saver->RecoverLastCheckpoints(
          {state->all_model_checkpoint_paths().begin(), state->all_model_checkpoint_paths().end()});
      return true;
    }
    const Status paused = backoff.Wait();
    if (paused.code() == StatusCode::kDeadlineExceeded) return false;
    WEIR_TRY(paused);
  }
}

namespace {

// Whether a step needs the gradients of several replicas.
bool IsSynchronous(const Graph& graph) {
  const std::vector<Node*> nodes = graph.Nodes();
  return std::any_of(nodes.begin(), nodes.end(), [](const Node* node) { return node->op().traits.accumulator; });
}

// The nodes under the saver's restore op that assign variables of these tasks.
std::vector<Node*> RestoringNodes(const Graph& graph, const Saver& saver, const std::set<std::string>& tasks) {
  std::vector<Node*> found;
  std::vector<Node*> left = {graph.FindNode(saver.def().restore_op_name())};
  std::set<Node*> seen = {left[0], nullptr};
  if (left[0] == nullptr) return {};
  while (!left.empty()) {
    Node* const node = left.back();
    left.pop_back();
    if (node->num_inputs() == 0 && node->num_outputs() == 0) {  // groups others
      for (Node* before : node->control_inputs())
        if (seen.insert(before).second) left.push_back(before);
      continue;
    }
    const bool has_own_device = !node->device().empty() || node->num_inputs() == 0;
    if (tasks.contains(RequestedTask(has_own_device ? node->device() : node->input(0).node->device())))
      found.push_back(node);
  }
  return found;
}

// The step in the name of a checkpoint, "model.ckpt-120"; nullopt if it has none.
std::optional<int64_t> StepOfCheckpoint(const std::string& path) {
  const size_t dash = path.rfind('-');
  int64_t step = 0;
  if (dash == std::string::npos || !absl::SimpleAtoi(path.substr(dash + 1), &step)) return std::nullopt;
  return step;
}

}  // namespace

Result<std::unique_ptr<RunMarks>> SessionManager::ReadMarks(Session& session, const RestoreOptions& options) const {
  RunMarks::Options from;
  from.env = options_.env;
  from.cancel = options.cancel;
  if (options.checkpoint_path.empty()) from.directory = options.checkpoint_dir;
  Result<std::unique_ptr<RunMarks>> marks = RunMarks::Read(graph_, session, from);
  if (marks.ok() || IsPreemption(marks.status()) || marks.status().code() == StatusCode::kCancelled ||
      marks.status().code() == StatusCode::kDeadlineExceeded)
    return marks;
  TrainWarning("Cannot find out whether variables of an earlier session are alive, so they are not kept: {}",
               std::string(marks.status().message()));
  return nullptr;
}

Result<bool> SessionManager::KeepModel(Session& session, RunMarks& marks, const RestoreOptions& options) const {
  const std::set<std::string>& lost = marks.lost();
  if (*options_.recover == RecoverMode::kRestore || lost == marks.tasks()) return false;
  const std::string lost_tasks = absl::StrJoin(lost, ", ");
  if (!lost.empty() && (*options_.recover != RecoverMode::kPartial || IsSynchronous(graph_))) {
    LogInfo("The variables of {} are lost. Restoring those of all tasks", lost_tasks);
    return false;
  }
  WEIR_ASSIGN(const auto latest, LatestCheckpoint(*options_.env, options.checkpoint_dir));
  const Result<GlobalStep> step = FindGlobalStep(graph_, OfSeveral::kFirst);
  if (step.ok() && step->value.valid() && latest && !lost.contains(RequestedTask(step->value.node->device()))) {
    const Result<int64_t> now = ReadGlobalStep(session, step->value, options.cancel);
    if (!now.ok() && now.status().code() != StatusCode::kFailedPrecondition) return now.status();
    const std::optional<int64_t> saved = StepOfCheckpoint(*latest);
    if (!now.ok() || (saved && *now < *saved)) {
      LogInfo("The variables on the servers are older than {}: they have {}. Restoring the variables of all tasks",
              *latest, now.ok() ? fmt::format("global step {}", *now) : "no global step");
      return false;
    }
  }
  if (!lost.empty()) {
    if (!latest || options.saver == nullptr) return false;
    const std::vector<Node*> targets = RestoringNodes(graph_, *options.saver, lost);
    if (targets.empty()) return false;
    WEIR_TRY(marks.Clear(lost));
    WEIR_TRY(RestoreFrom(*latest, session, options, targets));
  }
  WEIR_ASSIGN(Missing missing, InitializeLocal(session, options.cancel));
  if (!missing) {
    WEIR_ASSIGN(missing, CheckReady(options_.ready, "Model not ready", session, options.cancel));
  }
  if (missing) {
    LogInfo("Restoring the variables of all tasks, because some are not on the servers any more: {}", *missing);
    return false;
  }
  WEIR_TRY(marks.Set(lost));
  if (lost.empty())
    LogInfo("The variables of this run are alive on all servers: training continues from there");
  else
    LogInfo("Restored the variables of {} from {}; those of the other tasks are alive and were kept", lost_tasks,
            *latest);
  WEIR_ASSIGN(const auto state, GetCheckpointState(*options_.env, options.checkpoint_dir));
  if (state && options.saver != nullptr)
    options.saver->RecoverLastCheckpoints(
        {state->all_model_checkpoint_paths().begin(), state->all_model_checkpoint_paths().end()});
  return true;
}

Status SessionManager::MakeReady(const SessionPtr& session, const PrepareOptions& options) const {
  WEIR_ASSIGN(const std::unique_ptr<RunMarks> marks, ReadMarks(*session, options.restore));
  if (marks == nullptr) return BuildModel(session, options);
  WEIR_ASSIGN(const bool kept, KeepModel(*session, *marks, options.restore));
  if (kept) return OkStatus();
  WEIR_TRY(marks->Clear(marks->tasks()));
  WEIR_TRY(BuildModel(session, options));
  return *options_.recover == RecoverMode::kRestore ? OkStatus() : marks->Set(marks->tasks());
}

Status SessionManager::BuildModel(const SessionPtr& session, const PrepareOptions& options) const {
  CancelToken* const cancel = options.restore.cancel;
  WEIR_ASSIGN(const bool restored, Restore(*session, options.restore));
  if (!restored) {
    if (options.init.empty() && !options.init_fn && options_.local_init.empty())
      return SetupError(
          FailedPrecondition("Model is not initialized and no init_op or init_fn or local_init_op was given"));
    if (!options.init.empty())
      WEIR_TRY(session->Run({.feeds = options.init_feeds, .targets = options.init, .cancel = cancel}).status());
    if (options.init_fn) WEIR_TRY(options.init_fn(session));
  }
  const auto not_ready = [&](const char* what, const std::string& missing) {
    return SetupError(FailedPrecondition(
        "Init operations did not make model ready{}.  Init op: {}, init fn: {}, local_init_op: {}, error: {}", what,
        NamesOf(options.init), options.init_fn ? "given" : "None", NamesOf(options_.local_init), missing));
  };
  WEIR_ASSIGN(Missing missing, InitializeLocal(*session, cancel));
  if (missing) return not_ready(" for local_init", *missing);
  WEIR_ASSIGN(missing, CheckReady(options_.ready, "Model not ready", *session, cancel));
  return missing ? not_ready("", *missing) : OkStatus();
}

Result<SessionPtr> SessionManager::Prepare(const SessionMaker& make, const PrepareOptions& options) const {
  WEIR_ASSIGN(SessionPtr made, make());
  CloseOnError session(std::move(made));
  WEIR_TRY(MakeReady(session.get(), options));
  return session.Keep();
}

Result<SessionManager::Recovered> SessionManager::Recover(const SessionMaker& make,
                                                          const RestoreOptions& options) const {
  WEIR_ASSIGN(SessionPtr made, make());
  CloseOnError session(std::move(made));
  WEIR_ASSIGN(const bool restored, Restore(*session, options));
  const std::string& from = options.checkpoint_dir.empty() ? options.checkpoint_path : options.checkpoint_dir;
  WEIR_ASSIGN(Missing missing, InitializeLocal(*session, options.cancel));
  if (!restored) return Recovered{session.Keep(), false};
  if (missing) {
    TrainInfo("Restoring model from {} did not make model ready for local init: {}", from, *missing);
    return Recovered{session.Keep(), false};
  }
  WEIR_ASSIGN(missing, CheckReady(options_.ready, "Model not ready", *session, options.cancel));
  if (missing)
    TrainInfo("Restoring model from {} did not make model ready: {}", from, *missing);
  else
    TrainInfo("Restored model from {}", from);
  return Recovered{session.Keep(), !missing.has_value()};
}

namespace {

// Logs what the session waits for: at once if that has changed, else periodically.
class WaitLogger final {
 public:
  explicit WaitLogger(Clock& clock) : clock_(clock) {}
  void Say(std::string lacking) {
    constexpr int64_t kBetweenNanos = 10'000'000'000;
    const int64_t now = clock_.MonotonicNanos();
    if (lacking == said_ && now - when_ < kBetweenNanos) return;
    TrainInfo("Waiting for model to be ready: {}", lacking);
    said_ = std::move(lacking);
    when_ = now;
  }
  const std::string& said() const { return said_; }

 private:
  Clock& clock_;
  std::string said_;
  int64_t when_ = 0;
};

}  // namespace

Result<SessionPtr> SessionManager::Wait(const SessionMaker& make, const WaitOptions& options) const {
  constexpr double kSingleCheckSecs = 5;  // time for a single check
  CancelAfter limit(std::max(options.max_wait_secs, kSingleCheckSecs), options.cancel, *options_.clock);
  CancelToken* const cancel = limit.token();
  Backoff backoff(options_.recovery_wait_secs, options.max_wait_secs, cancel, *options_.clock);
  WaitLogger lines(*options_.clock);
  const auto too_long = [&] {
    return DeadlineExceeded("Session was not ready after waiting {:g} secs. {}", options.max_wait_secs,
                            lines.said().empty() ? "Required tasks have not responded." : lines.said());
  };
  while (true) {
    WEIR_ASSIGN(SessionPtr made, make());
    CloseOnError session(std::move(made));
    // Use one session until it fails; run the local initialization once per session.
    bool local_done = false;
    Status ended;
    while (ended.ok()) {
      Result<Missing> missing = std::nullopt;
      if (!local_done) missing = InitializeLocal(*session, cancel);
      local_done = missing.ok() && !*missing;
      if (local_done) missing = CheckReady(options_.ready, "Model not ready", *session, cancel);
      ended = missing.status();
      if (ended.ok() && !*missing) return session.Keep();
      if (limit.passed()) return too_long();
      if (!ended.ok() && !IsPreemption(ended)) return ended;
      lines.Say(ended.ok() ? **missing : std::string(ended.message()));
      const Status paused = backoff.Wait();
      if (limit.passed() || paused.code() == StatusCode::kDeadlineExceeded) return too_long();
      WEIR_TRY(paused);
    }
  }
}

}  // namespace weir
