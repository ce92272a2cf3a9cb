// A step is known here from its first call, RunGraph or a RecvTensor of a faster task. It is discarded by CleanupGraph,
// or when it has run and no task waits for its values.
#include "cluster/worker.h"

#include "absl/container/inlined_vector.h"
#include "base/out_of_memory.h"
#include "cluster/registered_graph.h"
#include "cluster/worker_state.h"
#include "op/joined_token.h"
#include "runtime/partial_step.h"
#include "runtime/partition.h"
#include "runtime/step_trace.h"

namespace weir {

Worker::Worker(std::string task, std::vector<std::unique_ptr<Device>> devices, Dependencies dependencies)
    : task_(std::move(task)),
      devices_(std::make_shared<const Devices>(std::move(devices))),
      dependencies_(dependencies),
      resources_(std::make_shared<ResourceManager>()) {}

Worker::~Worker() {
  Stop(Cancelled("the worker {} has ended", task_));
  in_flight_.WaitForNone();
  resources_->ClearAll();  // breaks the reference cycle of iterators with shared names
}

void Worker::Stop(const Status& reason) {
  end_notice_.Send(reason);
  stop_.Cancel(reason);
  std::map<int64_t, std::shared_ptr<ActiveStep>> steps;
  Alarms::Id alarm = 0;
  {
    std::lock_guard lock(mu_);
    steps.swap(steps_);
    watches_leases_ = false;
    alarm = std::exchange(lease_alarm_, 0);
  }
  if (alarm != 0) dependencies_.alarms->Cancel(alarm);
  for (const auto& [id, step] : steps) step->End(reason);
}

Worker::Usage Worker::usage() const {
  std::lock_guard lock(mu_);
  Usage usage{.sessions = static_cast<int>(sessions_.size())};
  for (const auto& [id, step] : steps_) usage.steps += step->counted != nullptr ? 1 : 0;
  for (const auto& [handle, session] : sessions_) {
    std::lock_guard session_lock(session->mu);
    usage.graphs += static_cast<int>(session->graphs.size());
  }
  usage.has_calls_in_flight = !in_flight_.none();
  return usage;
}

void Worker::Drain(int64_t timeout_ms) {
  std::vector<std::shared_ptr<Responses>> responses;
  {
    std::lock_guard lock(mu_);
    draining_ = true;
    for (const auto& [handle, session] : sessions_) responses.push_back(session->responses);
  }
  for (const std::shared_ptr<Responses>& kept : responses) kept->EndOrphans();
  EndStepsOfLostMasters(timeout_ms);
  in_flight_.WaitForNone(timeout_ms);
}

std::string Worker::NewHandle() {
  std::lock_guard lock(mu_);
  return fmt::format("{:016x}", next_handle_++);
}

void Worker::GetStatus(tensorflow::GetStatusRequest, const CallOptions&, Reply<tensorflow::GetStatusResponse> done) {
  tensorflow::GetStatusResponse response;
  for (const auto& device : *devices_) *response.add_device_attributes() = device->attributes();
  done(std::move(response));
}

Result<std::shared_ptr<RegisteredGraph>> Worker::FindGraph(WorkerSession& session, const std::string& handle) {
  std::lock_guard lock(session.mu);
  auto it = session.graphs.find(handle);
  if (it == session.graphs.end()) {
    return Aborted(
        "Graph handle is not found: {}. {} does not know this graph, possibly because the task was restarted: make a "
        "new session",
        handle, task_);
  }
  return it->second;
}

void Worker::RegisterGraph(tensorflow::RegisterGraphRequest request, const CallOptions& options,
                           Reply<tensorflow::RegisterGraphResponse> done) {
  // Importing and compiling take long: not on the caller's thread.
  auto shared = std::make_shared<tensorflow::RegisterGraphRequest>(std::move(request));
  dependencies_.parts.blocking_pool.Schedule(
      [this, shared, cancel = options.cancel, done = std::move(done), counted = in_flight_.Enter()] {
        done(CatchOutOfMemory("RegisterGraph", [&] {
          JoinedToken either{cancel, &stop_};
          return Register(*shared, *either.get());
        }));
      });
}

Result<tensorflow::RegisterGraphResponse> Worker::Register(const tensorflow::RegisterGraphRequest& request,
                                                           const CancelToken& cancel) {
  WEIR_ASSIGN(std::shared_ptr<WorkerSession> session,
              FindSession(request.session_handle(), request.create_worker_session_called()));
  WEIR_ASSIGN(std::shared_ptr<RegisteredGraph> graph,
              RegisteredGraph::Make(
                  request,
                  RegisteredGraph::Dependencies{dependencies_.parts.registry, dependencies_.parts.env, session->devices,
                                                session->resources, session->stateful, session->handle},
                  &cancel));
  tensorflow::RegisterGraphResponse response;
  response.set_graph_handle(NewHandle());
  std::lock_guard lock(session->mu);
  session->graphs.emplace(response.graph_handle(), std::move(graph));
  return response;
}

void Worker::DeregisterGraph(tensorflow::DeregisterGraphRequest request, const CallOptions&,
                             Reply<tensorflow::DeregisterGraphResponse> done) {
  Result<std::shared_ptr<WorkerSession>> session =
      FindSession(request.session_handle(), request.create_worker_session_called());
  if (!session.ok()) return done(session.status());
  std::shared_ptr<RegisteredGraph> removed;
  {
    std::lock_guard lock((*session)->mu);
    if (auto it = (*session)->graphs.find(request.graph_handle()); it != (*session)->graphs.end()) {
      removed = std::move(it->second);
      (*session)->graphs.erase(it);
    }
  }
  if (removed == nullptr) return done(Aborted("Graph handle is not found: {}", request.graph_handle()));
  done(tensorflow::DeregisterGraphResponse());
}

std::shared_ptr<Worker::ActiveStep> Worker::StepFor(int64_t id) {
  std::shared_ptr<ActiveStep>& step = steps_[id];
  if (step == nullptr) step = std::make_shared<ActiveStep>(id, in_flight_.Enter());
  if (step->counted == nullptr) step->counted = in_flight_.Enter();
  return step;
}

void Worker::RunGraph(RunGraphCall call, const CallOptions& options, Reply<RunGraphReply> done) {
  const tensorflow::RunGraphRequest& request = call.message;
  Result<std::shared_ptr<WorkerSession>> session =
      FindSession(request.session_handle(), request.create_worker_session_called());
  if (!session.ok()) return done(session.status());
  if (request.weir_slot() > 0) {
    // The calls of another task must not find the responses of this one.
    if (Status status = dependencies_.access.CheckOwner(*options.caller, (*session)->owner, (*session)->handle);
        !status.ok())
      return done(status);
  }
  Result<std::shared_ptr<RegisteredGraph>> graph = FindGraph(**session, request.graph_handle());
  if (!graph.ok()) return done(graph.status());
  if (stop_.cancelled()) return done(stop_.reason());
  // A broken connection does not cancel a call that may be sent again. If its master does not come back, the session's
  // lease ends.
  CancelToken* cancel = options.cancel;
  if (request.weir_slot() > 0 && !request.is_partial()) {
    const Responses::CallPtr known =
        (*session)->responses->Begin({request.weir_slot(), request.weir_sequence()}, options.cancel, std::move(done));
    if (known == nullptr) return;
    known->repeatable = (*graph)->repeatable();
    cancel = &known->cancel;
    done = [session = *session, known](Result<RunGraphReply> reply) {
      session->responses->End(known, std::move(reply));
    };
  }
  std::shared_ptr<ActiveStep> step;
  int64_t former = 0;  // the slot's previous step, whose values have arrived
  {
    std::lock_guard lock(mu_);
    if (!draining_ || steps_.contains(request.step_id())) {
      step = StepFor(request.step_id());
      step->session = *session;
      ++step->running;
      former = ReplaceKeptStep(**session, request);
    }
  }
  if (former != 0) ForgetValues(former);
  if (step == nullptr) return done(Unavailable("{} is stopping", task_));
  step->rendezvous->set_peers((*session)->peers);
  if (request.weir_keeps_values()) {
    step->sent.KeepValues();
    step->rendezvous->SendRequestsAgain(dependencies_.alarms);
  }
  if (call.own_values != nullptr) step->rendezvous->set_own_values(std::move(call.own_values));
  done = [this, step, id = request.step_id(), cancel, done = std::move(done)](Result<RunGraphReply> reply) {
    // A master that has given up also calls CleanupGraph, but that may have arrived before this call.
    ReleaseStep(step, id, &ActiveStep::running, /*given_up=*/cancel != nullptr && cancel->cancelled());
    done(std::move(reply));
  };
  if (request.is_partial()) return RunPartial(*session, *graph, step, std::move(call), cancel, std::move(done));
  StartStep(*session, *graph, step, std::move(call), cancel, std::move(done));
}

int64_t Worker::ReplaceKeptStep(WorkerSession& session, const tensorflow::RunGraphRequest& request) {
  const size_t slot = request.weir_slot();
  std::vector<int64_t>& steps = session.kept_steps;
  if (slot == 0 || slot > kMaxCallSlots || (slot > steps.size() && !request.weir_keeps_values())) return 0;
  if (slot > steps.size()) steps.resize(slot);
  const int64_t former = std::exchange(steps[slot - 1], request.weir_keeps_values() ? request.step_id() : 0);
  return former == request.step_id() ? 0 : former;
}

void Worker::ForgetValues(int64_t id) {
  std::shared_ptr<ActiveStep> step;
  {
    std::lock_guard lock(mu_);
    if (auto it = steps_.find(id); it != steps_.end()) step = it->second;
  }
  if (step == nullptr) return;
  step->sent.Clear();
  ReleaseStep(step, id, /*users=*/nullptr, /*given_up=*/true);
}

// State that a step needs until its end.
struct Worker::StepState {
  std::shared_ptr<void> counted;
  std::shared_ptr<RegisteredGraph> graph;
  std::shared_ptr<WorkerSession> session;
  std::optional<StepTrace> trace;
  RunGraphCall call;
};

StepArgs Worker::ArgsFor(const StepState& state, ActiveStep& step, int64_t id) {
  StepArgs args;
  args.context.step_id = id;
  args.context.pool = &dependencies_.parts.pool;
  args.context.blocking_pool = &dependencies_.parts.blocking_pool;
  args.context.env = &dependencies_.parts.env;
  args.context.resources = state.session->resources.get();
  args.context.functions = state.graph->kernel_state()->functions.get();
  args.context.py_functions = dependencies_.parts.py_functions;
  args.context.may_end_process = dependencies_.parts.may_end_process;
  args.context.rendezvous = step.rendezvous;
  args.context.session_handle = &state.graph->kernel_state()->session_handle;
  args.context.keep_alive = state.graph->kernel_state();
  args.pool = &dependencies_.parts.pool;
  args.clock = &dependencies_.clock;
  args.cancelled_by = {&stop_, &step.cancel};
  return args;
}

namespace {

using Numbers = absl::InlinedVector<int, 8>;

// The number of the feed for each tensor of a call. Checks the types.
Result<Numbers> FeedNumbers(RegisteredGraph& graph, const RunGraphCall& call) {
  Numbers numbers;
  numbers.reserve(call.tensors.size());
  for (const NamedTensor& sent : call.tensors) {
    numbers.push_back(graph.FeedNumber(sent.name));
    if (numbers.back() < 0) return InvalidArgument("the registered graph has no feed with key '{}'", sent.name);
    const PlanGraph::Feed& feed = graph.executor().plan().feeds[numbers.back()].what;
    if (!sent.tensor.valid()) return InvalidArgument("missing value for feed '{}'", feed.name);
    if (sent.tensor.dtype() != feed.dtype)
      return InvalidArgument("the value for feed '{}' has type {}, expected {}", feed.name, sent.tensor.dtype(),
                             feed.dtype);
  }
  return numbers;
}

Result<Numbers> FetchNumbers(const RegisteredGraph& graph, const tensorflow::RunGraphRequest& request) {
  Numbers numbers;
  numbers.reserve(request.recv_key_size());
  for (const std::string& key : request.recv_key()) {
    numbers.push_back(graph.FetchNumber(key));
    if (numbers.back() < 0) return InvalidArgument("the registered graph has no fetch with key '{}'", key);
  }
  return numbers;
}

}  // namespace

void Worker::StartStep(const std::shared_ptr<WorkerSession>& session, const std::shared_ptr<RegisteredGraph>& graph,
                       const std::shared_ptr<ActiveStep>& step, RunGraphCall call, CancelToken* cancel,
                       Reply<RunGraphReply> done) {
  auto state = std::make_shared<StepState>();
  state->counted = in_flight_.Enter();
  state->graph = graph;
  state->session = session;
  state->call = std::move(call);
  const tensorflow::RunGraphRequest& request = state->call.message;
  std::vector<Tensor> feeds(graph->num_feeds());
  const Result<Numbers> feed_numbers = FeedNumbers(*graph, state->call);
  if (!feed_numbers.ok()) return done(feed_numbers.status());
  for (size_t i = 0; i < feed_numbers->size(); ++i)
    feeds[(*feed_numbers)[i]] = std::move(state->call.tensors[i].tensor);
  const Plan& plan = graph->executor().plan();
  for (size_t k = 0; k < feeds.size(); ++k) {
    if (!feeds[k].valid()) return done(InvalidArgument("missing value for feed '{}'", plan.feeds[k].what.name));
  }
  Result<Numbers> fetches = FetchNumbers(*graph, request);
  if (!fetches.ok()) return done(fetches.status());
  StepArgs args = ArgsFor(*state, *step, request.step_id());
  if (cancel != nullptr) args.cancelled_by.push_back(cancel);
  args.private_fetches = true;
  if (request.exec_opts().record_timeline()) args.trace = &state->trace.emplace();
  graph->executor().Start(
      args, std::move(feeds),
      [state, step, fetches = *std::move(fetches), done = std::move(done)](Result<std::vector<Tensor>> values) {
        if (!values.ok()) return done(values.status());
        RunGraphReply reply;
        for (size_t i = 0; i < fetches.size(); ++i)
          reply.tensors.push_back({state->call.message.recv_key(static_cast<int>(i)), (*values)[fetches[i]]});
        if (state->trace) state->trace->WriteTo(reply.message.mutable_step_stats());
        if (state->call.message.exec_opts().record_partition_graphs())
          ExportPlan(state->graph->executor().plan(), reply.message.add_partition_graph());
        done(std::move(reply));
      });
}

// The first piece starts the step.
void Worker::RunPartial(const std::shared_ptr<WorkerSession>& session, const std::shared_ptr<RegisteredGraph>& graph,
                        const std::shared_ptr<ActiveStep>& step, RunGraphCall call, CancelToken* cancel,
                        Reply<RunGraphReply> done) {
  const Result<Numbers> feed_numbers = FeedNumbers(*graph, call);
  if (!feed_numbers.ok()) return done(feed_numbers.status());
  Result<Numbers> fetches = FetchNumbers(*graph, call.message);
  if (!fetches.ok()) return done(fetches.status());
  Result<std::shared_ptr<Executor>> executor = graph->PartialExecutor();
  if (!executor.ok()) return done(executor.status());
  std::vector<PartialStep::PieceFeed> feeds;
  for (size_t i = 0; i < feed_numbers->size(); ++i)
    feeds.push_back({(*feed_numbers)[i], std::move(call.tensors[i].tensor)});
  std::shared_ptr<PartialStep> partial;
  bool is_first = false;
  {
    std::lock_guard lock(mu_);
    is_first = step->partial == nullptr;
    if (is_first) step->partial = std::make_shared<PartialStep>(*executor);
    partial = step->partial;
  }
  // A step runs one part per worker. Reject a master that sends pieces of different graphs.
  if (&partial->plan() != &(*executor)->plan())
    return done(InvalidArgument("the pieces of a partial run belong to different graphs"));
  if (is_first) {
    auto state = std::make_shared<StepState>();
    state->counted = in_flight_.Enter();
    state->graph = graph;
    state->session = session;
    partial->Start(ArgsFor(*state, *step, call.message.step_id()), [state, step] {});
  }
  const bool last = call.message.is_last_partial_run();
  partial->RunPiece(std::move(feeds), {fetches->begin(), fetches->end()}, last, cancel,
                    [message = std::move(call.message), done = std::move(done)](Result<std::vector<Tensor>> values) {
                      if (!values.ok()) return done(values.status());
                      RunGraphReply reply;
                      for (size_t i = 0; i < values->size(); ++i)
                        reply.tensors.push_back({message.recv_key(static_cast<int>(i)), std::move((*values)[i])});
                      done(std::move(reply));
                    });
}

void Worker::CleanupGraph(tensorflow::CleanupGraphRequest request, const CallOptions& options,
                          Reply<tensorflow::CleanupGraphResponse> done) {
  std::shared_ptr<ActiveStep> step;
  std::shared_ptr<WorkerSession> session;
  const Status reason = MarkDerived(Aborted("the step was ended by its master (CleanupGraph)"));
  {
    std::lock_guard lock(mu_);
    if (request.weir_slot() > 0) {
      auto it = sessions_.find(request.weir_session_handle());
      if (it != sessions_.end()) session = it->second;
    }
    if (session != nullptr) {
      if (Status status = dependencies_.access.CheckOwner(*options.caller, session->owner, session->handle);
          !status.ok())
        return done(status);
    }
    if (auto it = steps_.find(request.step_id()); it != steps_.end()) {
      step = std::move(it->second);
      steps_.erase(it);
    }
  }
  // The calls may arrive after this one.
  if (session != nullptr) session->responses->GiveUp({request.weir_slot(), request.weir_sequence()}, reason);
  if (step != nullptr) step->End(reason);
  done(tensorflow::CleanupGraphResponse());
}

void Worker::CleanupAll(tensorflow::CleanupAllRequest request, const CallOptions&,
                        Reply<tensorflow::CleanupAllResponse> done) {
  if (request.container_size() == 0) resources_->ClearContainer("");
  for (const std::string& container : request.container()) resources_->ClearContainer(container);
  done(tensorflow::CleanupAllResponse());
}

// Removes a user of the step, if `users` is given. A step without users that holds nothing for others is forgotten:
// after a success no master has to call CleanupGraph.
void Worker::ReleaseStep(const std::shared_ptr<ActiveStep>& step, int64_t id, int ActiveStep::*users, bool given_up) {
  std::shared_ptr<ActiveStep> removed;
  std::shared_ptr<void> counted;  // destroyed without the lock
  {
    std::lock_guard lock(mu_);
    if (users != nullptr) --(*step.*users);
    const bool wanted =
        step->waiting > 0 || step->partial != nullptr || (step->session != nullptr && !step->rendezvous->idle());
    if (step->running > 0 || (wanted && !given_up)) return;
    auto it = steps_.find(id);
    if (it == steps_.end() || it->second != step) return;
    if (step->sent.expects_copies() && !given_up) {
      counted = std::move(step->counted);
      return;
    }
    removed = std::move(it->second);
    steps_.erase(it);
  }
  removed->End(step_done_);  // ends what waits in it and may refer to it
}

void Worker::Logging(tensorflow::LoggingRequest, const CallOptions&, Reply<tensorflow::LoggingResponse> done) {
  done(tensorflow::LoggingResponse());
}

}  // namespace weir
