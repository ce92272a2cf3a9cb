#include "cluster/master_session.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/clock.h"
#include "cluster/master_step.h"
#include "cluster/when_all.h"
#include "graph/graph_def.h"
#include "op/joined_token.h"
#include "runtime/check_feed.h"
#include "runtime/first_answer.h"
#include "runtime/partial_step.h"
#include "runtime/transport_thread.h"

namespace weir {
namespace {

constexpr int64_t kMaxTimeoutMs = int64_t{1} << 40;

}  // namespace

// A step that a client runs in pieces.
struct MasterSession::PartialRun {
  PartialRun(std::shared_ptr<StepPlan> its_plan, int64_t step_id)
      : plan(std::move(its_plan)), step_id(step_id), progress(plan->feeds.size(), plan->fetch_names.size()) {}
  const std::shared_ptr<StepPlan> plan;
  const int64_t step_id;
  std::mutex mu;
  PartialRunProgress progress;
};

// A compilation in progress, shared by all callers that wait for it.
struct MasterSession::Compilation {
  CancelToken cancel;
  CancelToken::Id close_registration = 0;
  std::vector<std::shared_ptr<CompilingWaiter>> waiters;  // guarded by the session's lock
};

struct MasterSession::CompilingWaiter {
  FirstAnswer<Result<std::shared_ptr<StepPlan>>>::Ptr answer;
  std::shared_ptr<Compilation> compiling;  // the one that it waits for; guarded by the session's lock
};

MasterSession::MasterSession(std::string handle, tensorflow::ConfigProto config, Dependencies dependencies)
    : handle_(std::move(handle)),
      config_(std::move(config)),
      dependencies_(std::move(dependencies)),
      graph_(std::make_shared<Graph>(dependencies_.registry)),
      tasks_(std::make_shared<SessionTasks>(handle_, config_, dependencies_.peers, dependencies_.alarms,
                                            dependencies_.best_effort, dependencies_.session_lease_ms)),
      placements_(std::make_shared<SessionPlacements>(*graph_, config_.allow_soft_placement())),
      responses_(std::make_shared<Responses>(Responses::Options{.max_bytes = dependencies_.kept_response_bytes,
                                                                .alarms = &dependencies_.alarms,
                                                                .resend_ms = tasks_->resend_ms()})) {
  graph_->set_constant_evaluator(dependencies_.evaluator);
}

MasterSession::~MasterSession() = default;

Result<int64_t> MasterSession::Extend(const tensorflow::GraphDef& graph, int64_t version, CancelToken* cancel) {
  if (closed_.cancelled()) return closed_.reason();
  std::lock_guard extending(extend_mu_);
  {
    std::lock_guard lock(mu_);
    if (version != version_) {
      return Aborted(
          "the session's graph is at version {}, but the client extends version {}: only one client may extend a "
          "session",
          version_, version);
    }
  }
  JoinedToken either{cancel, &closed_};
  ImportOptions options;
  options.extend = true;
  options.cancel = either.get();
  WEIR_TRY(ImportGraphDef(*graph_, graph, options).status());
  std::lock_guard lock(mu_);
  return ++version_;
}

// ---- plans ----

std::shared_ptr<StepPlan> MasterSession::FindPlan(const std::string& key) {
  std::lock_guard lock(mu_);
  auto it = plans_.find(key);
  return it == plans_.end() ? nullptr : it->second;
}

void MasterSession::GetPlan(StepSignature signature, CancelToken* cancel, WithPlan then) {
  const std::string key = signature.Key();
  auto waiter = std::make_shared<CompilingWaiter>();
  waiter->answer = FirstAnswer<Result<std::shared_ptr<StepPlan>>>::Make(
      cancel, std::move(then), [this, key, waiter, cancel] { RemoveWaiter(key, *waiter, cancel->reason()); });
  std::shared_ptr<StepPlan> known;
  std::shared_ptr<Compilation> compiling;
  bool first = false;
  {
    std::lock_guard lock(mu_);
    if (auto it = plans_.find(key); it != plans_.end()) {
      known = it->second;
    } else if (!waiter->answer->answered()) {
      std::shared_ptr<Compilation>& entry = compiling_[key];
      first = entry == nullptr;
      if (first) entry = std::make_shared<Compilation>();
      compiling = entry;
      compiling->waiters.push_back(waiter);
      waiter->compiling = compiling;
    }
  }
  if (known != nullptr) {
    waiter->answer->Give(known);
    return;
  }
  if (!first) return;
  compiling->close_registration = closed_.Register([this, compiling] { compiling->cancel.Cancel(closed_.reason()); });
  if (compiling->close_registration == 0) compiling->cancel.Cancel(closed_.reason());
  PlanCompiler::Compile(
      PlanCompiler::Dependencies{handle_, config_, graph_, tasks_, placements_, dependencies_.evaluator,
                                 dependencies_.blocking_pool},
      std::move(signature), &compiling->cancel,
      [self = shared_from_this(), key, compiling, counted = in_flight_.Enter()](
          const Result<std::shared_ptr<StepPlan>>& plan) { self->FinishCompilation(key, compiling, plan); });
}

// A cancelled waiter leaves. When none is left, the compilation is cancelled, too.
void MasterSession::RemoveWaiter(const std::string& key, CompilingWaiter& waiter, const Status& reason) {
  std::shared_ptr<Compilation> compiling;
  bool last = false;
  {
    std::lock_guard lock(mu_);
    compiling = std::exchange(waiter.compiling, nullptr);
    if (compiling != nullptr) {
      std::erase_if(compiling->waiters, [&](const auto& other) { return other.get() == &waiter; });
      last = compiling->waiters.empty();
      if (auto it = compiling_.find(key); last && it != compiling_.end() && it->second == compiling)
        compiling_.erase(it);
    }
  }
  if (last) compiling->cancel.Cancel(reason);
}

void MasterSession::FinishCompilation(const std::string& key, const std::shared_ptr<Compilation>& compiling,
                                      const Result<std::shared_ptr<StepPlan>>& plan) {
  closed_.Unregister(compiling->close_registration);
  std::vector<std::shared_ptr<CompilingWaiter>> waiters;
  {
    std::lock_guard lock(mu_);
    waiters.swap(compiling->waiters);
    for (const std::shared_ptr<CompilingWaiter>& waiter : waiters) waiter->compiling = nullptr;
    if (auto it = compiling_.find(key); it != compiling_.end() && it->second == compiling) compiling_.erase(it);
    if (plan.ok()) plans_.emplace(key, *plan);
  }
  for (const std::shared_ptr<CompilingWaiter>& waiter : waiters) waiter->answer->Give(plan);
}

// ---- steps ----

int64_t MasterSession::NewStepId() const { return static_cast<int64_t>(dependencies_.rng.Next64() >> 8); }

std::shared_ptr<MasterSession::MasterStep> MasterSession::NewStep(int64_t timeout_ms, const CallOptions& options,
                                                                  Reply<RunStepReply> done) {
  auto step = std::make_shared<MasterStep>();
  step->session = shared_from_this();
  step->counted = in_flight_.Enter();
  step->done = std::move(done);
  for (CancelToken* token : {options.cancel, &closed_}) {
    if (token == nullptr) continue;
    const CancelToken::Id id = token->Register([step, token] { step->Fail(token->reason()); });
    if (id == 0) {
      step->Fail(token->reason());
    } else {
      step->registrations.emplace_back(token, id);
    }
  }
  if (timeout_ms <= 0) timeout_ms = config_.operation_timeout_in_ms();
  if (timeout_ms > 0) {
    step->alarm = dependencies_.alarms.After(std::min(timeout_ms, kMaxTimeoutMs) * kNanosPerMilli,
                                             [step, timeout_ms] { step->TimeOut(timeout_ms); });
  }
  return step;
}

void MasterSession::RunStep(RunStepCall call, const CallOptions& options, Reply<RunStepReply> done, Admit admit) {
  const bool is_piece = !call.message.partial_run_handle().empty();
  Responses::CallPtr known;
  CallOptions step_options = options;
  if (call.message.weir_slot() > 0 && !is_piece) {
    known =
        responses_->Begin({call.message.weir_slot(), call.message.weir_sequence()}, options.cancel, std::move(done));
    if (known == nullptr) return;
    step_options.cancel = &known->cancel;
    done = [responses = responses_, known](Result<RunStepReply> reply) { responses->End(known, std::move(reply)); };
  }
  Result<std::shared_ptr<void>> admitted = admit();
  if (!admitted.ok()) return done(admitted.status());
  done = Counted(*std::move(admitted), std::move(done));
  if (is_piece) return RunPiece(std::move(call), options, std::move(done));
  StepSignature signature;
  std::vector<Tensor> feeds;
  for (NamedTensor& feed : call.tensors) {
    signature.feeds.push_back(std::move(feed.name));
    feeds.push_back(std::move(feed.tensor));
  }
  signature.fetches.assign(call.message.fetch().begin(), call.message.fetch().end());
  signature.targets.assign(call.message.target().begin(), call.message.target().end());
  std::shared_ptr<MasterStep> step = NewStep(call.message.options().timeout_in_ms(), step_options, std::move(done));
  step->known = std::move(known);
  if (std::shared_ptr<StepPlan> plan = FindPlan(signature.Key()))
    return RunPlan(step, std::move(plan), std::move(feeds), call.message.options());
  GetPlan(std::move(signature), &step->cancel,
          [step, feeds = std::move(feeds),
           options = call.message.options()](Result<std::shared_ptr<StepPlan>> plan) mutable {
            if (plan.ok()) return step->session->RunPlan(step, *std::move(plan), std::move(feeds), options);
            step->Fail(plan.status());
            step->CountDownReplies();
          });
}

RunGraphCall MasterSession::CallFor(const StepPlan::Part& part, int64_t step_id) const {
  RunGraphCall call;
  call.message.set_session_handle(handle_);
  call.message.set_create_worker_session_called(true);
  call.message.set_graph_handle(part.graph_handle);
  call.message.set_step_id(step_id);
  return call;
}

namespace {

Status CheckFeeds(const StepPlan& plan, const std::vector<Tensor>& feeds) {
  if (feeds.size() != plan.feeds.size())
    return InvalidArgument("Expected {} feed values, but got {}", plan.feeds.size(), feeds.size());
  for (size_t k = 0; k < feeds.size(); ++k) WEIR_TRY(CheckFeed(plan.feeds[k], feeds[k]));
  return OkStatus();
}

}  // namespace

void MasterSession::RunPlan(const std::shared_ptr<MasterStep>& step, std::shared_ptr<StepPlan> plan,
                            std::vector<Tensor> feeds, const tensorflow::RunOptions& options) {
  if (Status status = CheckFeeds(*plan, feeds); !status.ok()) {
    step->Fail(status);
    return step->CountDownReplies();
  }
  step->Begin(std::move(plan), NewStepId());
  if (step->known != nullptr) step->known->repeatable = step->plan->repeatable;
  if (step->plan->numbers_calls) step->number = slots_.Take(step->plan->parts.size());
  const std::vector<StepPlan::Part>& parts = step->plan->parts;
  for (size_t k = 0; k < step->values.size(); ++k) step->wanted.push_back(static_cast<int>(k));
  for (const StepPlan::FedFetch& fed : step->plan->fed_fetches) step->values[fed.fetch] = feeds[fed.feed];
  step->traced = options.trace_level() != tensorflow::RunOptions::NO_TRACE;
  const auto call_part = [&](size_t i) {
    RunGraphCall call = CallFor(parts[i], step->id);
    if (parts[i].recognizes_copies && step->number.slot != 0) {
      call.message.set_weir_slot(step->number.slot);
      call.message.set_weir_sequence(step->number.sequence + i);  // grows with the stages of a task
    }
    if (step->plan->keeps_values && step->number.slot != 0) call.message.set_weir_keeps_values(true);
    if (step->traced) call.message.mutable_exec_opts()->set_record_timeline(true);
    if (options.output_partition_graphs()) call.message.mutable_exec_opts()->set_record_partition_graphs(true);
    for (const Partition::ClientEdge& feed : parts[i].feeds) call.tensors.push_back({feed.key, feeds[feed.number]});
    for (const std::string& key : parts[i].keys) call.message.add_recv_key(key);
    if (i + 1 == parts.size()) call.own_values = step->own_values;
    step->Call(i, std::move(call));
  };
  // If the master delivers no values, the part of its task requests its inputs. Send these requests together with the
  // calls.
  std::optional<SendBatch> start;
  if (!step->plan->delivers_values()) start.emplace();
  // Parts that wait are set up first: values may arrive as soon as another part is called.
  for (bool waits : {true, false}) {
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].waits() == waits) call_part(i);
    }
  }
  step->DropPendingParts();  // in case the step failed before its parts began to wait
  step->CountDownReplies();
}

void MasterSession::CleanUp(const StepPlan& plan, int64_t step_id, CallNumber number, bool ended_well) const {
  for (const StepPlan::Part& part : plan.parts) {
    if (part.after >= 0) continue;  // each task once
    // The other tasks forget their values with the next call on the slot.
    const bool forgets_values = !part.is_own || !plan.keeps_values;
    if (ended_well && part.cleans_up && forgets_values) continue;
    tensorflow::CleanupGraphRequest request;
    request.set_step_id(step_id);
    if (part.recognizes_copies && number.slot != 0) {
      request.set_weir_session_handle(handle_);
      request.set_weir_slot(number.slot);
      request.set_weir_sequence(number.sequence + plan.parts.size() - 1);
    }
    dependencies_.best_effort->Send(
        dependencies_.peers->AddressOf(part.task),
        [worker = part.worker, request](const CallOptions& options, std::function<void(const Status&)> done) {
          worker->CleanupGraph(
              request, options,
              [done = std::move(done)](const Result<tensorflow::CleanupGraphResponse>& r) { done(r.status()); });
        });
  }
}

// ---- steps in pieces ----

void MasterSession::PartialRunSetup(const tensorflow::PartialRunSetupRequest& request, const CallOptions& options,
                                    Reply<tensorflow::PartialRunSetupResponse> done) {
  StepSignature signature;
  signature.feeds.assign(request.feed().begin(), request.feed().end());
  signature.fetches.assign(request.fetch().begin(), request.fetch().end());
  signature.targets.assign(request.target().begin(), request.target().end());
  signature.is_partial_run = true;
  GetPlan(std::move(signature), options.cancel,
          [self = shared_from_this(), done = std::move(done)](Result<std::shared_ptr<StepPlan>> plan) {
            if (!plan.ok()) return done(plan.status());
            auto partial = std::make_shared<PartialRun>(*std::move(plan), self->NewStepId());
            tensorflow::PartialRunSetupResponse response;
            {
              std::lock_guard lock(self->mu_);
              response.set_partial_run_handle(fmt::format("partial_run/{}", self->next_handle_++));
              self->partial_runs_.emplace(response.partial_run_handle(), std::move(partial));
            }
            done(std::move(response));
          });
}

namespace {

template <class NameOf>
PartialRunProgress::Item FindItem(size_t size, NameOf name_of, const std::string& name) {
  for (size_t k = 0; k < size; ++k) {
    if (name_of(k) == name) return {static_cast<int>(k), name};
  }
  return {-1, name};
}

}  // namespace

void MasterSession::RunPiece(RunStepCall call, const CallOptions& options, Reply<RunStepReply> done) {
  const std::string handle = call.message.partial_run_handle();
  std::shared_ptr<PartialRun> partial;
  {
    std::lock_guard lock(mu_);
    if (auto it = partial_runs_.find(handle); it != partial_runs_.end()) partial = it->second;
  }
  if (partial == nullptr) return done(InvalidArgument("Must run 'setup' before performing partial runs!"));
  const StepPlan& plan = *partial->plan;
  std::vector<PartialRunProgress::Item> fed;
  for (const NamedTensor& feed : call.tensors) {
    fed.push_back(FindItem(
        plan.feeds.size(), [&](size_t k) -> const std::string& { return plan.feeds[k].name; }, feed.name));
    const int number = fed.back().number;
    if (number < 0) continue;
    if (Status status = CheckFeed(plan.feeds[number], feed.tensor); !status.ok()) return done(status);
  }
  std::vector<PartialRunProgress::Item> fetched;
  for (const std::string& fetch : call.message.fetch()) {
    fetched.push_back(FindItem(
        plan.fetch_names.size(), [&](size_t k) -> const std::string& { return plan.fetch_names[k]; }, fetch));
  }
  bool last = false;
  {
    std::lock_guard lock(partial->mu);
    if (Status status = partial->progress.Take(fed, fetched, plan.feeds_of_fetch); !status.ok()) return done(status);
    last = partial->progress.complete();
  }
  std::vector<Tensor> feeds(plan.feeds.size());
  for (size_t i = 0; i < fed.size(); ++i) feeds[fed[i].number] = std::move(call.tensors[i].tensor);
  std::shared_ptr<MasterStep> step = NewStep(call.message.options().timeout_in_ms(), options, std::move(done));
  step->Begin(partial->plan, partial->step_id);
  step->is_partial_run = true;
  step->clean_up = last;
  for (const PartialRunProgress::Item& fetch : fetched) step->wanted.push_back(fetch.number);
  for (const StepPlan::FedFetch& fed : plan.fed_fetches) step->values[fed.fetch] = feeds[fed.feed];
  step->at_end = [this, handle, last](const Status& status) {
    if (status.ok() && !last) return;
    std::lock_guard lock(mu_);
    partial_runs_.erase(handle);
  };
  for (size_t i = 0; i < plan.parts.size(); ++i) {
    const StepPlan::Part& part = plan.parts[i];
    RunGraphCall piece = CallFor(part, partial->step_id);
    piece.message.set_is_partial(true);
    piece.message.set_is_last_partial_run(last);
    for (const Partition::ClientEdge& feed : part.feeds) {
      if (feeds[feed.number].valid()) piece.tensors.push_back({feed.key, feeds[feed.number]});
    }
    std::set<std::string> keys;
    for (const Partition::ClientEdge& fetch : part.fetches) {
      const bool asked = std::find(step->wanted.begin(), step->wanted.end(), fetch.number) != step->wanted.end();
      if (asked && keys.insert(fetch.key).second) piece.message.add_recv_key(fetch.key);
    }
    part.worker->RunGraph(std::move(piece), CallOptions{.cancel = &step->cancel},
                          [step, i](Result<RunGraphReply> reply) { step->OnPartReply(i, std::move(reply)); });
  }
  step->CountDownReplies();
}

// ---- callables ----

void MasterSession::MakeCallable(const tensorflow::CallableOptions& callable, const CallOptions& options,
                                 Reply<tensorflow::MakeCallableResponse> done) {
  if (callable.tensor_connection_size() > 0)
    return done(Unimplemented("callables with tensor connections are not supported"));
  StepSignature signature;
  signature.feeds.assign(callable.feed().begin(), callable.feed().end());
  signature.fetches.assign(callable.fetch().begin(), callable.fetch().end());
  signature.targets.assign(callable.target().begin(), callable.target().end());
  GetPlan(std::move(signature), options.cancel,
          [self = shared_from_this(), run_options = callable.run_options(),
           done = std::move(done)](Result<std::shared_ptr<StepPlan>> plan) {
            if (!plan.ok()) return done(plan.status());
            tensorflow::MakeCallableResponse response;
            {
              std::lock_guard lock(self->mu_);
              response.set_handle(self->next_handle_++);
              self->callables_.emplace(response.handle(), std::pair(*std::move(plan), run_options));
            }
            done(std::move(response));
          });
}

void MasterSession::RunCallable(RunCallableCall call, const CallOptions& options, Reply<RunCallableReply> done) {
  std::pair<std::shared_ptr<StepPlan>, tensorflow::RunOptions> callable;
  {
    std::lock_guard lock(mu_);
    if (auto it = callables_.find(call.message.handle()); it != callables_.end()) callable = it->second;
  }
  if (callable.first == nullptr) return done(InvalidArgument("No such callable handle: {}", call.message.handle()));
  std::vector<Tensor> feeds;
  for (NamedTensor& feed : call.tensors) feeds.push_back(std::move(feed.tensor));
  std::shared_ptr<MasterStep> step =
      NewStep(callable.second.timeout_in_ms(), options, [done = std::move(done)](Result<RunStepReply> reply) {
        if (!reply.ok()) return done(reply.status());
        RunCallableReply result;
        result.tensors = std::move(reply->tensors);
        *result.message.mutable_metadata() = std::move(*reply->message.mutable_metadata());
        done(std::move(result));
      });
  RunPlan(step, callable.first, std::move(feeds), callable.second);
}

Status MasterSession::ReleaseCallable(int64_t handle) {
  std::lock_guard lock(mu_);
  if (callables_.erase(handle) == 0) return InvalidArgument("No such callable handle: {}", handle);
  return OkStatus();
}

// ---- devices and closing ----

void MasterSession::ListDevices(const CallOptions& options, Reply<tensorflow::ListDevicesResponse> done) {
  struct DeviceListCall {
    DeviceListCall(std::shared_ptr<void> counted, std::initializer_list<CancelToken*> tokens)
        : counted(std::move(counted)), cancel(tokens) {}
    std::shared_ptr<void> counted;
    JoinedToken cancel;
  };
  const std::vector<std::string> tasks = tasks_->Allowed();
  // Holds the caller's token until the response only: it may be destroyed afterwards.
  auto waiting = std::make_shared<std::optional<DeviceListCall>>();
  waiting->emplace(in_flight_.Enter(), std::initializer_list<CancelToken*>{options.cancel, &closed_});
  CancelToken* const cancel = (*waiting)->cancel.get();
  const auto answered =
      WhenAll(tasks.size(), [self = shared_from_this(), waiting, tasks, done = std::move(done)](const Status& status) {
        waiting->reset();
        if (!status.ok()) return done(status);
        tensorflow::ListDevicesResponse response;
        for (const std::string& known : tasks) {
          const bool own = known == self->tasks_->peers().own_task();
          for (const tensorflow::DeviceAttributes& device : *self->tasks_->DevicesOf(known))
            *(own ? response.add_local_device() : response.add_remote_device()) = device;
        }
        done(std::move(response));
      });
  for (const std::string& task : tasks) tasks_->Ask(task, cancel, answered);
}

void MasterSession::Close(std::function<void()> done) {
  closed_.Cancel(Cancelled("Session has been closed."));
  in_flight_.WhenNone([self = shared_from_this(), done = std::move(done)] {
    decltype(self->partial_runs_) partials;
    {
      std::lock_guard lock(self->mu_);
      partials.swap(self->partial_runs_);
      self->plans_.clear();
      self->callables_.clear();
    }
    for (const auto& [handle, partial] : partials)
      self->CleanUp(*partial->plan, partial->step_id, {}, /*ended_well=*/false);
    self->tasks_->Close();
    done();
  });
}

}  // namespace weir
