#include "train/queue_runner.h"

#include <algorithm>
#include <atomic>

#include "train/log.h"
#include "train/meta_graph.h"
#include "train/preemption.h"

namespace weir {
namespace {

Result<Node*> FindNodeOf(Graph& graph, const std::string& scope, const std::string& name) {
  const std::string full = InScope(scope, name);
  Node* node = graph.FindNode(full);
  if (node == nullptr) return NotFound("The name '{}' refers to an Operation not in the graph.", full);
  return node;
}

std::string WithoutScope(const std::string& name, const std::string& scope) {
  return !scope.empty() && name.starts_with(scope + "/") ? name.substr(scope.size() + 1) : name;
}

// True if the node closes a queue that no other session can find.
bool ClosesPrivateQueue(const Node& close) {
  if (close.num_inputs() == 0) return false;
  const Node& queue = *close.input(0).node;
  if (queue.op().traits.state != StateRole::kHandle) return false;
  const Result<std::string> shared_name = queue.Attr<std::string>("shared_name");
  return shared_name.ok() && shared_name->empty();
}

}  // namespace

Result<QueueRunnerPtr> QueueRunner::Make(QueueRunnerParts parts) {
  if (parts.enqueue.empty()) return InvalidArgument("Must provide queue and enqueue_ops.");
  std::vector<Node*> nodes = parts.enqueue;
  nodes.push_back(parts.close);
  nodes.push_back(parts.cancel);
  if (std::find(nodes.begin(), nodes.end(), nullptr) != nodes.end())
    return InvalidArgument("queue runner of '{}': an enqueue, close or cancel op is missing", parts.queue_name);
  if (parts.closed.empty())
    return InvalidArgument("queue runner of '{}': queue_closed_exception_types must not be empty", parts.queue_name);
  QueueRunnerPtr runner(new QueueRunner(std::move(parts)));
  runner->self_ = runner;
  return runner;
}

Result<QueueRunnerPtr> QueueRunner::FromProto(Graph& graph, const tensorflow::QueueRunnerDef& def,
                                              const std::string& import_scope) {
  QueueRunnerParts parts;
  WEIR_ASSIGN(Node * queue, FindNodeOf(graph, import_scope, def.queue_name()));
  parts.queue_name = queue->name();
  for (const std::string& name : def.enqueue_op_name()) {
    WEIR_ASSIGN(Node * node, FindNodeOf(graph, import_scope, name));
    parts.enqueue.push_back(node);
  }
  WEIR_ASSIGN(parts.close, FindNodeOf(graph, import_scope, def.close_op_name()));
  WEIR_ASSIGN(parts.cancel, FindNodeOf(graph, import_scope, def.cancel_op_name()));
  if (def.queue_closed_exception_types_size() > 0) parts.closed.clear();
  for (int code : def.queue_closed_exception_types()) parts.closed.insert(static_cast<StatusCode>(code));
  return Make(std::move(parts));
}

std::optional<tensorflow::QueueRunnerDef> QueueRunner::ToProto(const std::string& export_scope) const {
  if (!export_scope.empty() && !parts_.queue_name.starts_with(export_scope)) return std::nullopt;
  tensorflow::QueueRunnerDef def;
  def.set_queue_name(WithoutScope(parts_.queue_name, export_scope));
  for (const Node* node : parts_.enqueue) def.add_enqueue_op_name(WithoutScope(node->name(), export_scope));
  def.set_close_op_name(WithoutScope(parts_.close->name(), export_scope));
  def.set_cancel_op_name(WithoutScope(parts_.cancel->name(), export_scope));
  for (StatusCode code : parts_.closed)
    def.add_queue_closed_exception_types(static_cast<tensorflow::error::Code>(static_cast<int>(code)));
  return def;
}

void QueueRunner::AddCompanion(std::string name, Companion companion) {
  companions_.emplace_back(std::move(name), std::move(companion));
}

std::vector<QueueRunner::Loop> QueueRunner::Loops(std::shared_ptr<Session> session,
                                                  std::shared_ptr<Coordinator> coordinator) {
  const SessionKey key = session;
  {
    std::lock_guard<std::mutex> lock(mu_);
    std::erase_if(running_, [](const auto& entry) { return entry.first.expired(); });
    int& count = running_[key];
    if (count > 0) return {};
    count = static_cast<int>(parts_.enqueue.size());
  }
  const QueueRunnerPtr self = self_.lock();  // loops may outlive the other owners of the runner
  const auto stopped = std::make_shared<CancelToken>();
  std::vector<Loop> loops;
  for (Node* node : parts_.enqueue)
    loops.push_back({fmt::format("QueueRunnerThread-{}-{}", parts_.queue_name, node->name()),
                     [self, key, session, node, coordinator, stopped] {
                       return self->RunEnqueue(key, *session, node, coordinator.get(), stopped.get());
                     }});
  if (coordinator != nullptr) {
    for (const auto& [name, companion] : companions_)
      loops.push_back(
          {fmt::format("QueueRunnerThread-{}-{}", parts_.queue_name, name),
           [run = companion, session, coordinator, stopped] { return run(*session, *coordinator, *stopped); }});
    loops.push_back({fmt::format("QueueRunnerThread-{}-close_on_stop", parts_.queue_name),
                     [self, session, coordinator, stopped]() -> Status {
                       coordinator->WaitForStop();
                       // `cancel` wakes only steps that wait for this queue; an enqueue node may be waiting for
                       // something else.
                       stopped->Cancel(Cancelled("the coordinator has stopped"));
                       // A shared queue outlives a session that lost a task: the next session continues with it.
                       if (IsPreemption(coordinator->error()) && !ClosesPrivateQueue(*self->parts_.cancel))
                         return OkStatus();
                       // If the session is already closed, there is nothing to wake.
                       session->Run({.targets = {self->parts_.cancel}}).status().IgnoreError();
                       return OkStatus();
                     }});
  }
  return loops;
}

bool QueueRunner::EndLoop(const SessionKey& key) {
  std::lock_guard<std::mutex> lock(mu_);
  return --running_[key] == 0;
}

Status QueueRunner::RunEnqueue(const SessionKey& key, Session& session, Node* enqueue, const Coordinator* coordinator,
                               CancelToken* stopped) {
  Status status;
  if (auto step = session.MakeCallable({}, {}, {enqueue}); step.ok()) {
    while (status.ok() && (coordinator == nullptr || !coordinator->should_stop()))
      status = (*step)->Call({}, nullptr, nullptr, stopped).status();
    if (status.code() == StatusCode::kCancelled && stopped->cancelled()) status = OkStatus();
  } else {
    status = step.status();
  }
  const bool is_last = EndLoop(key);
  if (!parts_.closed.contains(status.code())) return status;
  if (is_last) session.Run({.targets = {parts_.close}}).status().IgnoreError();  // it may already be closed
  return OkStatus();
}

QueueRunnerThreads::QueueRunnerThreads(std::shared_ptr<Coordinator> coordinator, std::vector<QueueRunner::Loop> loops) {
  for (QueueRunner::Loop& loop : loops) {
    auto handle = std::make_shared<TrackedThread>(loop.name);
    coordinator->RegisterThread(handle);
    std::thread thread([coordinator, handle, run = std::move(loop.run)]() mutable {
      if (const Status status = run();
          !status.ok() && coordinator->RequestStop(status) == Coordinator::Outcome::kTooLate)
        TrainWarning("a queue runner failed after its coordinator was joined: {}", status.ToString());
      run = nullptr;
      handle->End();
    });
    threads_.push_back({std::move(handle), std::move(thread)});
  }
}

QueueRunnerThreads::~QueueRunnerThreads() {
  for (Thread& thread : threads_)
    if (thread.thread.joinable()) thread.thread.join();
}

void QueueRunnerThreads::JoinOrAbandon() {
  for (Thread& thread : threads_) thread.handle->JoinOrAbandon(thread.thread);
  threads_.clear();
}

void AddQueueRunner(Graph& graph, QueueRunnerPtr runner, const std::string& collection) {
  graph.collections().Add(collection, std::move(runner));
}

std::unique_ptr<QueueRunnerThreads> StartQueueRunners(Graph& graph, const std::shared_ptr<Session>& session,
                                                      const std::shared_ptr<Coordinator>& coordinator,
                                                      const std::string& collection) {
  std::vector<QueueRunner::Loop> loops;
  for (const QueueRunnerPtr& runner : graph.collections().Of<QueueRunnerPtr>(collection))
    for (QueueRunner::Loop& loop : runner->Loops(session, coordinator)) loops.push_back(std::move(loop));
  return std::make_unique<QueueRunnerThreads>(coordinator, std::move(loops));
}

}  // namespace weir
