#include "cluster/master_step.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "base/clock.h"
#include "cluster/aligned_trace.h"
#include "op/node_error.h"

namespace weir {

void MasterSession::MasterStep::Begin(std::shared_ptr<StepPlan> with, int64_t step_id) {
  std::lock_guard lock(mu);
  plan = std::move(with);
  id = step_id;
  left = plan->parts.size() + 1;
  answered.assign(plan->parts.size(), false);
  waiting.resize(plan->parts.size());
  replies.resize(plan->parts.size());
  called_micros.resize(plan->parts.size());
  answered_micros.resize(plan->parts.size());
  values.resize(plan->fetch_names.size());
  if (plan->own_values == nullptr) return;
  // A weak reference, because this object holds own_values.
  auto take = [weak = weak_from_this()](const std::string& key, Tensor value) {
    const std::shared_ptr<MasterStep> self = weak.lock();
    if (self != nullptr) self->OnPartInput(self->plan->consumer_parts.at(key), NamedTensor{key, std::move(value)});
  };
  own_values = std::make_shared<OwnTaskValues>(plan->own_values, std::move(take));
}

void MasterSession::MasterStep::Fail(const Status& failed) {
  {
    std::lock_guard lock(mu);
    if (!status.ok() && !(IsDerived(status) && !IsDerived(failed))) return NameNode(failed);
    status = failed;
  }
  cancel.Cancel(MarkDerived(failed));
  DropPendingParts();
}

// Adds the node that a part was waiting for to the error of a timeout. REQUIRES: mu is held.
void MasterSession::MasterStep::NameNode(const Status& ended) {
  const std::optional<std::string> node = NodeOf(ended);
  if (status.code() != StatusCode::kDeadlineExceeded || !IsDerived(ended) || !node.has_value()) return;
  if (NodeOf(status).has_value()) return;
  status = WithNode(status, *node);
}

void MasterSession::MasterStep::TimeOut(int64_t timeout_ms) {
  const SessionTasks& tasks = *session->tasks_;
  std::vector<std::string> awaited;
  bool runs = false;
  {
    std::lock_guard lock(mu);
    runs = plan != nullptr;
    for (size_t i = 0; i < answered.size(); ++i) {
      if (!answered[i] && waiting[i].left == 0) awaited.push_back(plan->parts[i].task);
    }
  }
  if (!runs) awaited = tasks.Awaited();
  std::string text = fmt::format("Timed out waiting for notification: {} ms have passed", timeout_ms);
  for (size_t i = 0; i < awaited.size(); ++i) {
    if (i == 0) text += runs ? ", and the step still runs on " : ", and these tasks have not responded yet: ";
    if (i > 0) text += ", ";
    text += tasks.peers().Describe(awaited[i]);
  }
  Fail(MakeStatus(StatusCode::kDeadlineExceeded, text));
}

void MasterSession::MasterStep::OnPartReply(size_t part, Result<RunGraphReply> reply) {
  if (reply.ok()) {
    if (reply->message.has_step_stats()) answered_micros[part] = RealClock().NowMicros();
    if (plan->parts[part].returns_values) ForwardValues(*reply);
    replies[part] = *std::move(reply);
    for (size_t i = part + 1; i < plan->parts.size(); ++i) {
      if (plan->parts[i].after == static_cast<int>(part)) OnPartInput(i, std::nullopt);
    }
  } else {
    Fail(reply.status());
  }
  {
    std::lock_guard lock(mu);
    answered[part] = true;
  }
  CountDownReplies();
}

// Delivers the values in a response to the nodes of the master's task, and to parts that wait for them.
void MasterSession::MasterStep::ForwardValues(RunGraphReply& reply) {
  for (NamedTensor& named : reply.tensors) {
    if (const auto taker = plan->consumer_parts.find(named.name); taker != plan->consumer_parts.end()) {
      OnPartInput(taker->second, std::move(named));
    } else if (own_values != nullptr && own_values->Delivers(named.name)) {
      own_values->Deliver(named.name, std::move(named.tensor));
    }
  }
}

void MasterSession::MasterStep::Call(size_t part, RunGraphCall call) {
  const StepPlan::Part& to = plan->parts[part];
  if (!to.waits()) return CallNow(part, std::move(call));
  std::lock_guard lock(mu);
  waiting[part].call = std::move(call);
  waiting[part].left = to.num_inputs + (to.after >= 0 ? 1 : 0);
}

void MasterSession::MasterStep::CallNow(size_t part, RunGraphCall call) {
  if (traced) called_micros[part] = RealClock().NowMicros();
  const int64_t resend_ms = call.message.weir_slot() > 0 ? session->tasks_->resend_ms() : 0;
  plan->parts[part].worker->RunGraph(
      std::move(call),
      CallOptions{.cancel = &cancel, .resend_ms = resend_ms, .resend_alarms = &session->dependencies_.alarms},
      [self = shared_from_this(), part](Result<RunGraphReply> reply) { self->OnPartReply(part, std::move(reply)); });
}

void MasterSession::MasterStep::OnPartInput(size_t part, std::optional<NamedTensor> value) {
  RunGraphCall call;
  {
    std::lock_guard lock(mu);
    PendingPart& waits = waiting[part];
    if (waits.left == 0) return;  // the step has failed
    if (value.has_value()) waits.call.tensors.push_back(*std::move(value));
    if (--waits.left > 0) return;
    call = std::move(waits.call);
  }
  CallNow(part, std::move(call));
}

void MasterSession::MasterStep::DropPendingParts() {
  size_t given_up = 0;
  {
    std::lock_guard lock(mu);
    if (status.ok()) return;
    for (PendingPart& waits : waiting) {
      if (waits.left == 0) continue;
      waits = PendingPart();
      ++given_up;
    }
  }
  for (size_t i = 0; i < given_up; ++i) CountDownReplies();
}

void MasterSession::MasterStep::CountDownReplies() {
  {
    std::lock_guard lock(mu);
    if (--left > 0) return;
  }
  End();
}

namespace {

// Stages of one task have the same devices: merge them.
void AddStats(const tensorflow::StepStats& stats, tensorflow::StepStats* all) {
  for (const tensorflow::DeviceStepStats& device : stats.dev_stats()) {
    auto& known = *all->mutable_dev_stats();
    const auto same =
        std::find_if(known.begin(), known.end(), [&](const auto& other) { return other.device() == device.device(); });
    if (same == known.end()) {
      *all->add_dev_stats() = device;
    } else {
      same->mutable_node_stats()->MergeFrom(device.node_stats());
    }
  }
}

}  // namespace

Result<RunStepReply> MasterSession::MasterStep::Collect() {
  if (!status.ok()) return status;
  RunStepReply reply;
  for (size_t i = 0; i < replies.size(); ++i) {
    absl::flat_hash_map<std::string_view, Tensor*> received;
    for (NamedTensor& named : replies[i].tensors) received.emplace(named.name, &named.tensor);
    for (const Partition::ClientEdge& fetch : plan->parts[i].fetches) {
      if (auto it = received.find(fetch.key); it != received.end()) values[fetch.number] = *it->second;
    }
    if (replies[i].message.has_step_stats()) {
      AlignTrace(called_micros[i], answered_micros[i], replies[i].message.mutable_step_stats());
      AddStats(replies[i].message.step_stats(), reply.message.mutable_metadata()->mutable_step_stats());
    }
    for (tensorflow::GraphDef& graph : *replies[i].message.mutable_partition_graph())
      *reply.message.mutable_metadata()->add_partition_graphs() = std::move(graph);
  }
  for (int fetch : wanted) {
    if (!values[fetch].valid()) return Internal("no task returned a value for fetch {}", plan->fetch_names[fetch]);
    reply.tensors.push_back({plan->fetch_names[fetch], std::move(values[fetch])});
  }
  return reply;
}

void MasterSession::MasterStep::End() {
  if (alarm != 0) session->dependencies_.alarms.Cancel(alarm);
  for (const auto& [token, id] : registrations) token->Unregister(id);
  if (plan != nullptr && id != 0 && (clean_up || !status.ok()))
    session->CleanUp(*plan, id, number, /*ended_well=*/status.ok() && !is_partial_run);
  session->slots_.Free(number);
  Result<RunStepReply> result = Collect();
  if (at_end) at_end(result.status());
  replies.clear();
  const Reply<RunStepReply> answer = std::move(done);
  answer(std::move(result));
  counted = nullptr;  // last, because the server may stop after this and could not send the response
}

}  // namespace weir
