#include "train/session_manager.h"

#include <absl/strings/str_join.h>

#include "train/backoff.h"
#include "train/checkpoint_state.h"
#include "train/log.h"
#include "train/preemption.h"

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

Status SessionManager::RestoreFrom(const std::string& path, Session& session, const RestoreOptions& options) const {
  std::vector<Node*> initializers = graph_.collections().Of<Node*>("saved_model_initializers");
  if (!initializers.empty())
    WEIR_TRY(session.Run({.targets = std::move(initializers), .cancel = options.cancel}).status());
  Status step;
  const Status restored = options.saver->Restore(
      graph_,
      [&](RunRequest request) {
        request.cancel = options.cancel;
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

Status SessionManager::MakeReady(const SessionPtr& session, const PrepareOptions& options) const {
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
