// Implements the rules of docs/control-flow.md, one function each. Private functions require that mu_ is held.
#include "runtime/flow_state.h"

#include "base/murmur.h"

#include <algorithm>

namespace weir {
namespace {

constexpr int32_t kLive = -1;

}  // namespace

struct Frame {
  int32_t info = 0;  // the static frame
  uint64_t id = 0;   // the same on every task: a hash of the names and iterations of the enclosing frames
  Frame* parent = nullptr;
  Iteration* parent_iteration = nullptr;
  int64_t newest = 0;                            // the number of the last iteration started
  std::vector<Iteration*> iterations;            // live iterations, oldest first
  int32_t pending_enters = 0;                    // Enter nodes that have not run yet
  std::vector<FlowState::LoopValue> invariants;  // values of constant Enter nodes, for every iteration
  std::vector<FlowState::LoopValue> deferred;    // NextIteration values that wait because of parallel_iterations
  std::vector<int32_t> dead_exits;               // dead Exit nodes of the newest iteration

  Iteration* Find(int64_t number) const {
    const int64_t oldest = iterations.empty() ? 0 : iterations.front()->number;
    const int64_t at = number - oldest;
    return at >= 0 && at < static_cast<int64_t>(iterations.size()) ? iterations[at] : nullptr;
  }
};

FlowState::FlowState(const Plan& plan) : plan_(plan), root_(std::make_unique<Frame>()), spare_(plan.frames.size()) {}

FlowState::~FlowState() { Clear(); }

KernelContext::LoopPosition FlowState::PositionOf(const Iteration& iteration) {
  return {iteration.frame->id, iteration.number};
}

void FlowState::Reset(Iteration* root) {
  Clear();
  root->frame = root_.get();
  root->number = 0;
  root->outstanding = 0;
  root_->iterations.assign(1, root);
  num_reached_ = 0;
}

void FlowState::Start(Progress& progress) {
  std::lock_guard lock(mu_);
  Iteration* root = root_->iterations.front();
  for (int32_t n : plan_.roots) MakeReady(root, n, false, progress);
  for (int32_t n : plan_.constants) {
    EdgeValue value{*plan_.nodes[n].constant, nullptr};
    Activate(root, plan_.nodes[n].edges, plan_.nodes[n].control_edges, &value, 0, false, false, true, progress);
  }
}

void FlowState::SeedFeed(int32_t feed, const Tensor& value, Progress& progress) {
  std::lock_guard lock(mu_);
  EdgeValue edge_value{value, nullptr};
  Activate(root_->iterations.front(), plan_.feeds[feed].edges, {}, &edge_value, 0, false, false, true, progress);
}

void FlowState::Propagate(const ReadyNode& done, EdgeValue* outputs, uint64_t dead_outputs, Progress& progress) {
  std::lock_guard lock(mu_);
  const PlanNode& node = plan_.nodes[done.node];
  Iteration* iteration = done.iteration;
  Frame* frame = iteration->frame;
  if (node.kind == NodeKind::kEnter) {
    PropagateEnter(done, outputs, progress);
  } else if (node.kind == NodeKind::kExit) {
    PropagateExit(done, outputs, progress);
  } else if (node.kind == NodeKind::kNextIteration) {
    PropagateNextIteration(done, outputs, progress);
  } else {
    Activate(iteration, node.edges, node.control_edges, outputs, dead_outputs, done.dead, false, true, progress);
  }
  if (frame->parent == nullptr) ++num_reached_;
  --iteration->outstanding;
  EndIterations(frame, progress);
}

void FlowState::Activate(Iteration* iteration, const PlanEdges& edges, const PlanEdges& control_edges,
                         EdgeValue* outputs, uint64_t dead_outputs, bool dead, bool from_enter, bool move,
                         Progress& progress) {
  for (int32_t e = edges.begin; e < edges.end; ++e) {
    const PlanEdge& edge = plan_.edges[e];
    const bool dead_edge = dead || (edge.output < 64 && ((dead_outputs >> edge.output) & 1) != 0);
    ActivateValue(iteration, edge, &outputs[edge.output], dead_edge, from_enter, move && edge.last, progress);
  }
  for (int32_t e = control_edges.begin; e < control_edges.end; ++e)
    ActivateControl(iteration, plan_.control_edges[e], dead, progress);
}

void FlowState::ActivateValue(Iteration* iteration, const PlanEdge& edge, EdgeValue* value, bool dead, bool from_enter,
                              bool move, Progress& progress) {
  auto take = [&]() -> EdgeValue { return move ? std::move(*value) : *value; };
  if (edge.node == kFetchEdge) {
    progress.fetched.push_back({edge.entry, dead ? EdgeValue() : take(), dead});
    return;
  }
  const PlanNode& node = plan_.nodes[edge.node];
  int32_t& pending = iteration->pending[node.counter];
  int32_t& dead_count = iteration->dead[node.counter];
  if (node.kind == NodeKind::kMerge) {
    if (dead_count == kLive) return;  // the first live value wins
    if (!dead) {
      dead_count = kLive;
      iteration->entries[edge.entry] = take();
      if (pending == 0) MakeReady(iteration, edge.node, false, progress);
      return;
    }
    // If the Enter is dead, the back edge never delivers a value.
    dead_count = from_enter ? node.num_inputs : dead_count + 1;
    if (dead_count == node.num_inputs && pending == 0) MakeReady(iteration, edge.node, true, progress);
    return;
  }
  if (dead) {
    ++dead_count;
  } else {
    iteration->entries[edge.entry] = take();
  }
  if (--pending == 0) MakeReady(iteration, edge.node, dead_count > 0, progress);
}

void FlowState::ActivateControl(Iteration* iteration, int32_t consumer, bool dead, Progress& progress) {
  const PlanNode& node = plan_.nodes[consumer];
  int32_t& pending = iteration->pending[node.counter];
  int32_t& dead_count = iteration->dead[node.counter];
  --pending;
  if (node.kind == NodeKind::kMerge) {
    const bool all_dead = dead_count >= node.num_inputs;
    if (pending == 0 && (dead_count == kLive || all_dead)) MakeReady(iteration, consumer, all_dead, progress);
    return;
  }
  if (dead && node.kind != NodeKind::kTrigger) ++dead_count;
  if (pending == 0) MakeReady(iteration, consumer, dead_count > 0, progress);
}

// Propagates the output of Enter, Exit or NextIteration node `n` in `iteration`, where its consumers are.
void FlowState::ActivateOne(Iteration* iteration, int32_t n, EdgeValue value, bool dead, Progress& progress) {
  const PlanNode& node = plan_.nodes[n];
  Activate(iteration, node.edges, node.control_edges, &value, 0, dead, node.kind == NodeKind::kEnter, true, progress);
}

void FlowState::MakeReady(Iteration* iteration, int32_t node, bool dead, Progress& progress) {
  ++iteration->outstanding;
  progress.ready.push_back({iteration, node, dead});
}

void FlowState::PropagateEnter(const ReadyNode& done, EdgeValue* outputs, Progress& progress) {
  const PlanNode& node = plan_.nodes[done.node];
  Frame* child = FindOrMakeChild(done.iteration, node.child_frame);
  if (node.constant_enter) {
    for (Iteration* iteration : child->iterations) ActivateOne(iteration, done.node, outputs[0], done.dead, progress);
    child->invariants.push_back({done.node, std::move(outputs[0]), done.dead});
  } else {
    ActivateOne(child->iterations.front(), done.node, std::move(outputs[0]), done.dead, progress);
  }
  --child->pending_enters;
  EndIterations(child, progress);
}

// A dead Exit counts only if the loop ends with this iteration. In earlier iterations it is ignored.
void FlowState::PropagateExit(const ReadyNode& done, EdgeValue* outputs, Progress& progress) {
  Frame* frame = done.iteration->frame;
  if (!done.dead) {
    ActivateOne(frame->parent_iteration, done.node, std::move(outputs[0]), false, progress);
  } else if (done.iteration->number == frame->newest) {
    frame->dead_exits.push_back(done.node);
  }
}

// A dead NextIteration ends the loop.
void FlowState::PropagateNextIteration(const ReadyNode& done, EdgeValue* outputs, Progress& progress) {
  if (done.dead) return;
  Frame* frame = done.iteration->frame;
  const bool opens = done.iteration->number == frame->newest;
  const auto window = static_cast<size_t>(plan_.frames[frame->info].info.parallel_iterations);
  if (opens && frame->iterations.size() >= window) {
    frame->deferred.push_back({done.node, std::move(outputs[0]), false});
    return;
  }
  Iteration* next = opens ? StartIteration(frame, progress) : frame->Find(done.iteration->number + 1);
  ActivateOne(next, done.node, std::move(outputs[0]), false, progress);
}

Frame* FlowState::FindOrMakeChild(Iteration* iteration, int32_t static_frame) {
  for (Frame* child : iteration->children) {
    if (child->info == static_frame) return child;
  }
  auto* child = new Frame();
  child->info = static_frame;
  child->id = CombineHashes(iteration->frame->id, CombineHashes(static_cast<uint64_t>(iteration->number),
                                                                plan_.frames[static_frame].info.name_hash));
  child->parent = iteration->frame;
  child->parent_iteration = iteration;
  child->pending_enters = plan_.frames[static_frame].info.num_enters;
  Iteration* first = TakeIteration(static_frame);
  first->frame = child;
  first->number = 0;
  child->iterations.push_back(first);
  iteration->children.push_back(child);
  return child;
}

Iteration* FlowState::StartIteration(Frame* frame, Progress& progress) {
  Iteration* iteration = TakeIteration(frame->info);
  iteration->frame = frame;
  iteration->number = ++frame->newest;
  frame->iterations.push_back(iteration);
  frame->dead_exits.clear();
  for (const LoopValue& invariant : frame->invariants)
    ActivateOne(iteration, invariant.node, invariant.value, invariant.dead, progress);
  std::vector<LoopValue> deferred = std::move(frame->deferred);
  frame->deferred.clear();
  for (LoopValue& value : deferred) ActivateOne(iteration, value.node, std::move(value.value), false, progress);
  return iteration;
}

// An iteration has ended if none of its nodes is ready or running, the iteration before it has ended, and all Enters
// have run. Its end allows a deferred iteration to start. When no iteration is left, the frame has ended, and perhaps
// the enclosing iteration.
void FlowState::EndIterations(Frame* frame, Progress& progress) {
  while (frame->parent != nullptr) {
    while (!frame->iterations.empty() && frame->pending_enters == 0) {
      Iteration* oldest = frame->iterations.front();
      if (oldest->outstanding > 0 || !oldest->children.empty()) break;
      frame->iterations.erase(frame->iterations.begin());
      ReturnIteration(frame->info, oldest);
      if (!frame->deferred.empty()) StartIteration(frame, progress);
    }
    if (!frame->iterations.empty()) return;
    Frame* parent = frame->parent;
    EndFrame(frame, progress);
    frame = parent;
  }
}

void FlowState::EndFrame(Frame* frame, Progress& progress) {
  Iteration* outer = frame->parent_iteration;
  for (int32_t exit : frame->dead_exits) ActivateOne(outer, exit, EdgeValue(), true, progress);
  outer->children.erase(std::find(outer->children.begin(), outer->children.end(), frame));
  delete frame;
}

Iteration* FlowState::TakeIteration(int32_t static_frame) {
  const PlanFrame& info = plan_.frames[static_frame];
  const size_t count = info.initial_pending.size();
  Iteration* iteration;
  if (!spare_[static_frame].empty()) {
    iteration = spare_[static_frame].back().release();
    spare_[static_frame].pop_back();
  } else {
    iteration = new Iteration();
    iteration->entries = std::make_unique<EdgeValue[]>(info.num_entries);
    iteration->pending = std::make_unique<int32_t[]>(count);
    iteration->dead = std::make_unique<int32_t[]>(count);
  }
  std::copy(info.initial_pending.begin(), info.initial_pending.end(), iteration->pending.get());
  std::fill_n(iteration->dead.get(), count, 0);
  iteration->outstanding = 0;
  return iteration;
}

// Releases all entries: values of nodes that were never reached must not leak into a later iteration.
void FlowState::ReturnIteration(int32_t static_frame, Iteration* iteration) {
  iteration->frame = nullptr;
  for (int32_t i = 0; i < plan_.frames[static_frame].num_entries; ++i) Release(iteration->entries[i]);
  spare_[static_frame].emplace_back(iteration);
}

Status FlowState::CheckAllReached() {
  std::lock_guard lock(mu_);
  if (num_reached_ == plan_.frames[0].num_nodes) return OkStatus();
  const Iteration& root = *root_->iterations.front();
  for (size_t n = 0; n < plan_.nodes.size(); ++n) {
    const PlanNode& node = plan_.nodes[n];
    if (node.frame != 0 || node.is_source) continue;
    const bool waits_for_values =
        node.kind == NodeKind::kMerge && root.dead[node.counter] != kLive && root.dead[node.counter] < node.num_inputs;
    if (root.pending[node.counter] == 0 && !waits_for_values) continue;
    return MarkNode(InvalidArgument("The step is stuck: node '{}' ({}) never received all of its inputs. A loop that "
                                    "it depends on did not end, or ended without a value",
                                    node.info->name, node.info->op->name),
                    node.info->name);
  }
  return Internal("the step ended before all of its nodes ran");
}

void FlowState::Clear() {
  std::vector<Frame*> frames;
  const auto take_children = [&frames](Iteration* iteration) {
    frames.insert(frames.end(), iteration->children.begin(), iteration->children.end());
    iteration->children.clear();
  };
  for (Iteration* iteration : root_->iterations) take_children(iteration);
  root_->iterations.clear();
  while (!frames.empty()) {
    Frame* const frame = frames.back();
    frames.pop_back();
    for (Iteration* iteration : frame->iterations) {
      take_children(iteration);
      ReturnIteration(frame->info, iteration);
    }
    delete frame;
  }
}

}  // namespace weir
