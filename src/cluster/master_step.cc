#include "cluster/master_step.h"

#include <optional>

#include "absl/container/flat_hash_map.h"
#include "base/clock.h"
#include "cluster/aligned_trace.h"

namespace weir {

void MasterSession::Step::Begin(std::shared_ptr<StepPlan> with, int64_t step_id) {
  std::lock_guard lock(mu);
  plan = std::move(with);
  id = step_id;
  left = plan->parts.size() + 1;
  answered.assign(plan->parts.size(), false);
  replies.resize(plan->parts.size());
  answered_micros.resize(plan->parts.size());
  values.resize(plan->fetch_names.size());
}

void MasterSession::Step::Fail(const Status& failed) {
  {
    std::lock_guard lock(mu);
    if (!status.ok() && !(IsDerived(status) && !IsDerived(failed))) return NameNode(failed);
    status = failed;
  }
  cancel.Cancel(MarkDerived(failed));
}

// Where the step has run out of time, and a part of it knows for which node it waited. REQUIRES: mu is held.
void MasterSession::Step::NameNode(const Status& ended) {
  const std::optional<std::string> node = NodeOf(ended);
  if (status.code() != StatusCode::kDeadlineExceeded || !IsDerived(ended) || !node.has_value()) return;
  if (NodeOf(status).has_value()) return;
  status = MarkNode(
      MakeStatus(status.code(), fmt::format("{}\n\t [[node '{}']]", std::string(status.message()), *node)), *node);
}

void MasterSession::Step::TimeOut(int64_t timeout_ms) {
  const SessionTasks& tasks = *session->tasks_;
  std::vector<std::string> awaited;
  bool runs = false;
  {
    std::lock_guard lock(mu);
    runs = plan != nullptr;
    for (size_t i = 0; i < answered.size(); ++i) {
      if (!answered[i]) awaited.push_back(plan->parts[i].task);
    }
  }
  if (!runs) awaited = tasks.Awaited();
  std::string text = fmt::format("Timed out waiting for notification: {} ms have passed", timeout_ms);
  for (size_t i = 0; i < awaited.size(); ++i) {
    if (i == 0) text += runs ? ", and the step still runs on " : ", and there is no answer yet from ";
    if (i > 0) text += ", ";
    text += tasks.peers().Describe(awaited[i]);
  }
  Fail(MakeStatus(StatusCode::kDeadlineExceeded, text));
}

void MasterSession::Step::Take(size_t part, Result<RunGraphReply> reply) {
  if (reply.ok()) {
    if (reply->message.has_step_stats()) answered_micros[part] = RealClock().NowMicros();
    if (plan->parts[part].brings_values) HandOn(*reply);
    replies[part] = *std::move(reply);
  } else {
    Fail(reply.status());
  }
  {
    std::lock_guard lock(mu);
    answered[part] = true;
  }
  Answered();
}

// To the nodes of the own task that wait for it.
void MasterSession::Step::HandOn(RunGraphReply& reply) {
  if (brought == nullptr) return;  // a step in pieces asks for each value
  for (NamedTensor& named : reply.tensors) {
    if (brought->Has(named.name)) brought->Bring(named.name, std::move(named.tensor));
  }
}

void MasterSession::Step::Answered() {
  {
    std::lock_guard lock(mu);
    if (--left > 0) return;
  }
  End();
}

Result<RunStepReply> MasterSession::Step::Collect() {
  if (!status.ok()) return status;
  RunStepReply reply;
  for (size_t i = 0; i < replies.size(); ++i) {
    absl::flat_hash_map<std::string_view, Tensor*> received;
    for (NamedTensor& named : replies[i].tensors) received.emplace(named.name, &named.tensor);
    for (const Partition::ClientEdge& fetch : plan->parts[i].fetches) {
      if (auto it = received.find(fetch.key); it != received.end()) values[fetch.number] = *it->second;
    }
    if (replies[i].message.has_step_stats()) {
      AlignTrace(started_micros, answered_micros[i], replies[i].message.mutable_step_stats());
      reply.message.mutable_metadata()->mutable_step_stats()->MergeFrom(replies[i].message.step_stats());
    }
    for (tensorflow::GraphDef& graph : *replies[i].message.mutable_partition_graph())
      *reply.message.mutable_metadata()->add_partition_graphs() = std::move(graph);
  }
  for (int fetch : wanted) {
    if (!values[fetch].valid()) return Internal("no value came for {}", plan->fetch_names[fetch]);
    reply.tensors.push_back({plan->fetch_names[fetch], std::move(values[fetch])});
  }
  return reply;
}

void MasterSession::Step::End() {
  if (alarm != 0) session->dependencies_.alarms.Drop(alarm);
  for (const auto& [token, id] : ties) token->Unregister(id);
  if (plan != nullptr && id != 0 && (clean_up || !status.ok()))
    session->CleanUp(*plan, id, /*ended_well=*/status.ok() && !in_pieces);
  Result<RunStepReply> result = Collect();
  if (at_end) at_end(result.status());
  replies.clear();
  const Reply<RunStepReply> answer = std::move(done);
  answer(std::move(result));
  counted = nullptr;  // who waits for the session's steps may then cut the way of the answer
}

}  // namespace weir
