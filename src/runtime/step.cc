// Runs the nodes of a step. Every value is stored in the entry of the input that will use it. The last consumer of an
// output gets it moved, so that its kernel sees a single reference to the memory. Inputs are released before outputs
// are propagated.
#include "runtime/step.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/out_of_memory.h"
#include "runtime/transport_thread.h"
#include "tensor/strings.h"

namespace weir {
namespace {

constexpr int kInlineOutputs = 4;
// A kernel more expensive than this is worth waking another thread.
constexpr uint32_t kExpensiveNanos = 10'000;
// More expensive kernels run on the blocking pool, so that the thread that waits for the step, and threads that handle
// messages, can continue (MayTakeLong).
constexpr uint32_t kLongNanos = 50'000'000;
constexpr uint32_t kLongBlockingNanos = 1'000'000;
// A kernel that was never measured counts as long if it has at least this many bytes of input.
constexpr size_t kLongBytes = size_t{1} << 20;
constexpr uint32_t kMeasuredFirst = 8;
constexpr uint32_t kMeasuredEvery = 32;
// The first steps do not plan memory, because many plans run only once or twice.
constexpr uint32_t kUnplannedSteps = 2;

uint64_t DeadOutputs(const KernelContext& ctx) {
  uint64_t mask = 0;
  for (int i = 0; i < std::min(ctx.num_outputs(), 64); ++i) mask |= uint64_t{ctx.is_dead(i)} << i;
  return mask;
}

void UpdateCost(std::atomic<uint32_t>& cost, int64_t nanos) {
  const auto measured = static_cast<uint32_t>(std::min<int64_t>(nanos, 1'000'000'000));
  const uint32_t before = cost.load(std::memory_order_relaxed);
  // Decrease at once but increase slowly: a kernel that was preempted once is not expensive.
  cost.store(measured < before ? measured : before + (measured - before) / 4, std::memory_order_relaxed);
}

}  // namespace

// The state of one thread while it works for a step.
struct Step::ThreadState {
  absl::InlinedVector<ReadyNode, 32> stack;  // nodes for this thread to run, last in first out
  std::optional<ReadyNode> blocking;         // a blocking node, to be run when `stack` is empty
  Progress progress;
  EdgeValue outputs[kInlineOutputs];
  std::vector<EdgeValue> many_outputs;
  bool keeps_expensive = true;
  bool may_block = false;
  bool keeps_nothing = false;     // leave all ready nodes to other threads
  bool may_take_long = false;     // a pool thread, which may run long kernels
  std::vector<AsyncCall*> ended;  // calls of other steps that were completed by kernels on this thread

  ThreadState(bool keeps_expensive, bool may_block) : keeps_expensive(keeps_expensive), may_block(may_block) {}
  EdgeValue* OutputsFor(const PlanNode& node) {
    if (node.num_outputs <= kInlineOutputs) return outputs;
    if (many_outputs.size() < static_cast<size_t>(node.num_outputs)) many_outputs.resize(node.num_outputs);
    return many_outputs.data();
  }
};

// Counts nested completions of asynchronous calls on this thread, to bound the stack depth.
class InlineDepth {
 public:
  InlineDepth() { ++Depth(); }
  ~InlineDepth() { --Depth(); }
  int value() const { return Depth(); }

 private:
  static int& Depth() {
    thread_local int depth = 0;
    return depth;
  }
};
constexpr int kMaxInlineDepth = 4;

// An asynchronous kernel in flight. The later of two events, the return of RunAsync and `done`, completes the call.
struct Step::AsyncCall {
  enum Phase { kLaunching, kLaunched, kDone };

  AsyncCall(Step* step, const ReadyNode& item, const PlanNode& node, EdgeValue* inputs)
      : step(step),
        item(item),
        outputs(node.num_outputs),
        ctx(*node.info, step->context_, absl::MakeSpan(inputs, node.num_inputs), absl::MakeSpan(outputs)) {}

  Step* const step;
  const ReadyNode item;
  std::vector<EdgeValue> outputs;
  KernelContext ctx;
  Status status;
  StepTrace::Times times;
  std::atomic<int> phase{kLaunching};
};

// Active while a kernel runs on this thread. If the kernel completes asynchronous calls of other steps, these are added
// to `ended` and continued after the kernel has returned, because it may hold locks. If `ended` is null, they are not
// deferred: other threads continue those steps.
class Step::KernelScope {
 public:
  explicit KernelScope(std::vector<AsyncCall*>* ended) : before_(std::exchange(Current(), ended)) {}
  ~KernelScope() { Current() = before_; }
  KernelScope(const KernelScope&) = delete;
  KernelScope& operator=(const KernelScope&) = delete;
  static std::vector<AsyncCall*>*& Current() {
    thread_local std::vector<AsyncCall*>* current = nullptr;
    return current;
  }

 private:
  std::vector<AsyncCall*>* const before_;
};

Step::Step(const Plan& plan) : plan_(plan), fetches_(plan.fetches.size()) {
  const PlanFrame& frame = plan.frames[0];
  root_.entries = std::make_unique<EdgeValue[]>(frame.num_entries);
  root_.pending = std::make_unique<int32_t[]>(frame.initial_pending.size());
  if (plan.has_flow) {
    root_.dead = std::make_unique<int32_t[]>(frame.initial_pending.size());
    flow_ = std::make_unique<FlowState>(plan);
  }
}

Step::~Step() {
  if (flow_ != nullptr) flow_->Clear();
}

void Step::Prepare(std::shared_ptr<Executor> owner, const StepArgs& args, Executor::FetchDone done) {
  refs_.store(1, std::memory_order_relaxed);
  owner_ = std::move(owner);
  pool_ = args.pool;
  trace_ = args.trace;
  traced_ = trace_ != nullptr;
  clock_ = args.clock != nullptr ? args.clock : &RealClock();
  private_fetches_ = args.private_fetches;
  done_ = std::move(done);
  has_done_ = done_ != nullptr;
  const uint32_t number = plan_.num_steps.fetch_add(1, std::memory_order_relaxed);
  if (number >= kUnplannedSteps && owner_->MemoryChanged(memory_)) PrepareMemory();
  measure_ = number < kMeasuredFirst || number % kMeasuredEvery == 0;
  aborted_.store(false, std::memory_order_relaxed);
  ended_.store(false, std::memory_order_relaxed);
  finished_.store(false, std::memory_order_relaxed);
  missing_feeds_ = plan_.late_feeds ? static_cast<int64_t>(plan_.feeds.size()) : 0;
  outstanding_.store(1 + missing_feeds_, std::memory_order_relaxed);

  const std::vector<int32_t>& pending = plan_.frames[0].initial_pending;
  std::copy(pending.begin(), pending.end(), root_.pending.get());
  if (flow_ != nullptr) {
    std::fill_n(root_.dead.get(), pending.size(), 0);
    flow_->Reset(&root_);
  }

  context_ = args.context;
  cancel_.emplace();
  context_.cancel = &*cancel_;
  if (context_.step_resources == nullptr) {
    if (!step_resources_) step_resources_ = std::make_shared<ResourceManager>("step");
    context_.step_resources = step_resources_;
  }
  if (context_.rendezvous == nullptr) {
    if (!rendezvous_) rendezvous_ = MakeIntrusive<LocalRendezvous>();
    context_.rendezvous = rendezvous_;
  }
  for (CancelToken* token : args.cancelled_by) {
    const CancelToken::Id id = token->Register([this, token] { CancelWithParent(token->reason()); });
    if (id == 0) {
      Cancel(token->reason());
    } else {
      registrations_.push_back({token, id});
    }
  }
}

void Step::Start(FunctionRef<Tensor(int32_t)> feed, bool keeps_expensive, bool may_block) {
  ThreadState worker(keeps_expensive, may_block);
  const auto num_feeds = plan_.late_feeds ? 0 : static_cast<int32_t>(plan_.feeds.size());
  if (flow_ != nullptr) {
    flow_->Start(worker.progress);
    for (int32_t k = 0; k < num_feeds; ++k) flow_->SeedFeed(k, feed(k), worker.progress);
    StoreFetches(worker.progress);
  } else {
    // Constants and feeds do not count as pending, so they are only stored.
    auto seed = [&](const PlanEdges& edges, Tensor tensor) {
      EdgeValue value{std::move(tensor), nullptr};
      for (int32_t e = edges.begin; e < edges.end; ++e) {
        const PlanEdge& edge = plan_.edges[e];
        if (edge.node == kFetchEdge) {
          StoreFetch(edge.entry, value, false);  // NOLINT(bugprone-use-after-move): nothing follows the last edge
        } else if (edge.last) {
          root_.entries[edge.entry] = std::move(value);
        } else {
          root_.entries[edge.entry].tensor = value.tensor;
        }
      }
    };
    for (int32_t n : plan_.constants) seed(plan_.nodes[n].edges, *plan_.nodes[n].constant);
    for (int32_t k = 0; k < num_feeds; ++k) seed(plan_.feeds[k].edges, feed(k));
    for (int32_t n : plan_.roots) worker.progress.ready.push_back({&root_, n, false});
  }
  Account(worker, 1);
  std::optional<SendBatch> questions;
  if (plan_.num_root_transfers > 1) questions.emplace();
  Work(worker);
}

void Step::DeliverFeed(int32_t feed, Tensor value) {
  int64_t missing = missing_feeds_.load(std::memory_order_relaxed);
  do {
    if (missing == 0) return;  // the step has failed
  } while (!missing_feeds_.compare_exchange_weak(missing, missing - 1));
  ThreadState worker(/*keeps_expensive=*/false, /*may_block=*/false);
  if (flow_ != nullptr) {
    flow_->SeedFeed(feed, value, worker.progress);
    StoreFetches(worker.progress);
  } else {
    EdgeValue edge_value{std::move(value), nullptr};
    PropagateWithoutFlow(plan_.feeds[feed].edges, &edge_value, worker.progress);
  }
  Account(worker, 1);
  Work(worker);
}

void Step::DropMissingFeeds() {
  ThreadState worker(/*keeps_expensive=*/false, /*may_block=*/false);
  const int64_t missing = missing_feeds_.exchange(0);
  if (missing > 0) Account(worker, missing);
}

void Step::Work(ThreadState& worker) {
  // A borrowed thread, such as one that receives messages, returns after this many nodes: the next message that it
  // would receive may be the one that ends the step.
  constexpr int kBorrowedThreadNodes = 256;
  int left = worker.keeps_expensive || pool_ == nullptr ? std::numeric_limits<int>::max() : kBorrowedThreadNodes;
  const KernelScope between_kernels(nullptr);
  const Completions::Pause pause;
  SendBatch* const batch = TransportThread::Current().batch();
  while (!worker.stack.empty() || worker.blocking.has_value()) {
    if (worker.stack.empty()) {
      worker.stack.push_back(*worker.blocking);
      worker.blocking.reset();
    }
    if (left-- == 0) {
      const auto rest = std::exchange(worker.stack, {});
      return Share(rest);
    }
    const ReadyNode item = worker.stack.back();
    worker.stack.pop_back();
    if (batch != nullptr && plan_.nodes[item.node].kind != NodeKind::kTransfer) batch->Flush();
    Run(worker, item);
    if (worker.ended.empty()) continue;
    const InlineDepth depth;
    for (AsyncCall* call : std::exchange(worker.ended, {}))
      call->step->ContinueAfterCall(call, /*keeps_nothing=*/depth.value() > kMaxInlineDepth, /*keeps_expensive=*/false);
  }
}

// Works for the step. An exception means that there is not enough memory to go on: it ends the step, because the count
// of outstanding nodes may be wrong.
template <class F>
void Step::WorkOrEnd(F work) {
  try {
    work();
  } catch (...) {
    EndAfterException();
  }
}

void Step::WorkShared(bool is_waiter) {
  ThreadState worker(/*keeps_expensive=*/true, /*may_block=*/is_waiter);
  worker.may_take_long = !is_waiter;
  for (;;) {
    {
      std::lock_guard lock(mu_);
      if (shared_.empty()) return;
      worker.stack.push_back(shared_.front());
      shared_.pop_front();
    }
    Work(worker);
  }
}

void Step::Run(ThreadState& worker, const ReadyNode& item) {
  const PlanNode& node = plan_.nodes[item.node];
  EdgeValue* inputs = item.iteration->entries.get() + node.first_entry;
  if (aborted_.load(std::memory_order_relaxed)) {
    for (int32_t i = 0; i < node.num_inputs; ++i) Release(inputs[i]);
    Account(worker, 1);
    return;
  }
  EdgeValue* outputs = worker.OutputsFor(node);
  if (item.dead && node.kind != NodeKind::kTransfer) {
    Complete(worker, item, outputs, 0, OkStatus());
  } else if (node.async) {
    RunAsync(worker, item, node, inputs);
  } else if (node.kernel != nullptr) {
    RunSync(worker, item, node, inputs);
  } else if (node.kind == NodeKind::kConst) {
    outputs[0].tensor = *node.constant;
    Complete(worker, item, outputs, 0, OkStatus());
  } else {  // Enter, Exit, NextIteration, LoopCond: forward the value
    Status status = node.has_refs ? ResolveRefs(node, item.node, inputs) : OkStatus();
    outputs[0] = std::move(inputs[0]);
    if (outputs[0].ref) outputs[0].tensor = Tensor();
    Complete(worker, item, outputs, 0, std::move(status));
  }
}

void Step::SetLoopPosition(const ReadyNode& item, KernelContext& ctx) const {
  ctx.inputs_dead = item.dead;
  if (flow_ != nullptr) ctx.loop_position = FlowState::PositionOf(*item.iteration);
}

bool Step::OfferSlots(int32_t node, EdgeValue* outputs) {
  if (memory_ == nullptr) return OfferRecordingSlots(node, outputs);
  const int32_t first = memory_->first_slot[node];
  if (first < 0) return false;
  const int32_t* slots = memory_->slots.data() + first;
  for (int32_t i = 0; i < plan_.nodes[node].num_outputs; ++i) {
    if (slots[i] >= 0) OfferSlot(slots_[slots[i]], outputs[i]);
  }
  return true;
}

void Step::RunSync(ThreadState& worker, const ReadyNode& item, const PlanNode& node, EdgeValue* inputs) {
  EdgeValue* outputs = worker.OutputsFor(node);
  KernelContext ctx(*node.info, context_, absl::MakeSpan(inputs, node.num_inputs),
                    absl::MakeSpan(outputs, node.num_outputs));
  if (node.kind == NodeKind::kTransfer) SetLoopPosition(item, ctx);
  Status status;
  if (node.has_refs) status = ResolveRefs(node, item.node, inputs);
  if (status.ok()) {
    const bool measure = measure_ && !node.cheap;
    const int64_t started = measure ? clock_->MonotonicNanos() : 0;
    StepTrace::Times times;
    if (traced_) times.scheduled = times.start = StepTrace::Now();
    const bool offered = keeps_memory_ && OfferSlots(item.node, outputs);
    try {
      const KernelScope scope(node.blocking ? nullptr : &worker.ended);
      status = node.kernel->Run(ctx);
    } catch (...) {
      status = StatusFromCurrentException(node.info->op->name);
    }
    if (offered) {
      for (int32_t i = 0; i < node.num_outputs; ++i) WithdrawSlot(outputs[i]);
    }
    if (measure) UpdateCost(plan_.costs[item.node], clock_->MonotonicNanos() - started);
    if (traced_) {
      times.end = StepTrace::Now();
      Record(item.node, times, absl::MakeConstSpan(outputs, node.num_outputs));
    }
  }
  Complete(worker, item, outputs, flow_ != nullptr ? DeadOutputs(ctx) : 0, std::move(status));
}

void Step::RunAsync(ThreadState& worker, const ReadyNode& item, const PlanNode& node, EdgeValue* inputs) {
  if (node.has_refs) {
    if (Status status = ResolveRefs(node, item.node, inputs); !status.ok()) {
      Complete(worker, item, worker.OutputsFor(node), 0, std::move(status));
      return;
    }
  }
  auto* call = new AsyncCall(this, item, node, inputs);
  if (node.kind == NodeKind::kTransfer) SetLoopPosition(item, call->ctx);
  Ref();  // dropped when the call is complete
  if (traced_) call->times.scheduled = call->times.start = StepTrace::Now();
  auto done = [call](Status status) {
    call->status = std::move(status);
    if (call->phase.exchange(AsyncCall::kDone, std::memory_order_acq_rel) != AsyncCall::kLaunched) return;
    Step* step = call->step;
    // A thread that delivers a value from another task continues the step itself. A thread that completes another kind
    // of call may hold locks: it defers the call, or leaves the ready nodes to other threads. If a thread waits for the
    // step, that thread continues it.
    const bool brings_value = step->plan_.nodes[call->item.node].kind == NodeKind::kTransfer;
    std::vector<AsyncCall*>* const later = KernelScope::Current();
    if (!brings_value && later != nullptr && step->pool_ != nullptr && step->has_done_) {
      later->push_back(call);
      return;
    }
    const InlineDepth depth;
    const bool keeps_nothing = !brings_value || depth.value() > kMaxInlineDepth;
    step->ContinueAfterCall(call, keeps_nothing, /*keeps_expensive=*/TransportThread::Current().is_donated());
  };
  try {
    const KernelScope scope(node.blocking ? nullptr : &worker.ended);
    node.kernel->RunAsync(call->ctx, done);
  } catch (...) {
    call->status = StatusFromCurrentException(node.info->op->name);
    call->phase.store(AsyncCall::kDone, std::memory_order_release);
  }
  if (call->phase.exchange(AsyncCall::kLaunched, std::memory_order_acq_rel) == AsyncCall::kDone) {
    FinishAsync(worker, call);
    Unref();  // not the last reference: the caller holds one
  }
}

void Step::ContinueAfterCall(AsyncCall* call, bool keeps_nothing, bool keeps_expensive) {
  WorkOrEnd([&] {
    ThreadState messenger(keeps_expensive, /*may_block=*/false);
    messenger.keeps_nothing = keeps_nothing;
    FinishAsync(messenger, call);
    Work(messenger);
  });
  Unref();
}

void Step::FinishAsync(ThreadState& worker, AsyncCall* call) {
  std::unique_ptr<AsyncCall> owned(call);
  if (traced_) {
    call->times.end = StepTrace::Now();
    Record(call->item.node, call->times, call->outputs);
  }
  const uint64_t dead_outputs = flow_ != nullptr ? DeadOutputs(call->ctx) : 0;
  if (call->ctx.has_access_error()) [[unlikely]]
    call->status = call->ctx.access_error();
  Complete(worker, call->item, call->outputs.data(), dead_outputs, std::move(call->status));
}

void Step::ReleaseInputs(int32_t node, EdgeValue* inputs, const EdgeValue* outputs) {
  if (memory_ == nullptr) return RecordMemoryUse(node, inputs, outputs);
  const PlanNode& of = plan_.nodes[node];
  const int32_t* return_slot = memory_->return_slot.data() + of.first_entry;
  for (int32_t i = 0; i < of.num_inputs; ++i) {
    if (return_slot[i] >= 0) ReturnToSlot(slots_[return_slot[i]], inputs[i].tensor);
    Release(inputs[i]);
  }
}

void Step::Complete(ThreadState& worker, const ReadyNode& item, EdgeValue* outputs, uint64_t dead_outputs,
                    Status status) {
  const PlanNode& node = plan_.nodes[item.node];
  EdgeValue* inputs = item.iteration->entries.get() + node.first_entry;
  if (keeps_memory_) {
    ReleaseInputs(item.node, inputs, outputs);
  } else {
    for (int32_t i = 0; i < node.num_inputs; ++i) Release(inputs[i]);
  }
  if (status.ok() && !item.dead) status = CheckOutputs(node, outputs, dead_outputs);
  if (!status.ok()) {
    Fail(status, &node);
  } else if (flow_ != nullptr) {
    flow_->Propagate(item, outputs, dead_outputs, worker.progress);
    StoreFetches(worker.progress);
  } else {
    PropagateWithoutFlow(node.edges, outputs, worker.progress);
    for (int32_t e = node.control_edges.begin; e < node.control_edges.end; ++e) {
      const int32_t consumer = plan_.control_edges[e];
      if (CountDown(consumer)) worker.progress.ready.push_back({&root_, consumer, false});
    }
  }
  for (int32_t i = 0; i < node.num_outputs; ++i) Release(outputs[i]);
  Account(worker, 1);
}

void Step::PropagateWithoutFlow(const PlanEdges& edges, EdgeValue* outputs, Progress& progress) {
  for (int32_t e = edges.begin; e < edges.end; ++e) {
    const PlanEdge& edge = plan_.edges[e];
    EdgeValue& value = outputs[edge.output];
    if (edge.node == kFetchEdge) {
      StoreFetch(edge.entry, value, false);
      continue;
    }
    EdgeValue& entry = root_.entries[edge.entry];
    if (edge.last) {
      entry = std::move(value);
    } else {
      entry = value;
    }
    if (CountDown(edge.node)) progress.ready.push_back({&root_, edge.node, false});
  }
}

// Without control flow the counter of a node is the node number. A thread that sees 1 holds the last pending edge, so
// it need not decrement the counter.
bool Step::CountDown(int32_t counter) {
  std::atomic_ref<int32_t> pending(root_.pending[counter]);
  if (pending.load(std::memory_order_acquire) == 1) return true;
  return pending.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

void Step::Account(ThreadState& worker, int64_t ended) {
  const int64_t change = static_cast<int64_t>(worker.progress.ready.size()) - ended;
  if (change != 0 && outstanding_.fetch_add(change, std::memory_order_acq_rel) + change == 0) {
    Finish();
    return;
  }
  if (!worker.progress.ready.empty()) {
    Distribute(worker);
    worker.progress.ready.clear();
  }
}

bool Step::IsExpensive(int32_t node) const {
  return pool_ != nullptr && plan_.costs[node].load(std::memory_order_relaxed) > kExpensiveNanos;
}

bool Step::MayTakeLong(const ReadyNode& item) const {
  const PlanNode& node = plan_.nodes[item.node];
  if (node.cheap || node.kernel == nullptr || node.kind == NodeKind::kTransfer || item.dead) return false;
  if (node.async && !node.blocking) return false;
  if (pool_ == nullptr || context_.blocking_pool == nullptr || !context_.blocking_pool->has_threads()) return false;
  const uint32_t cost = plan_.costs[item.node].load(std::memory_order_relaxed);
  if (cost != kUnknownCost) return cost > (node.blocking ? kLongBlockingNanos : kLongNanos);
  if (node.blocking) return true;
  size_t bytes = 0;
  const EdgeValue* inputs = item.iteration->entries.get() + node.first_entry;
  for (int32_t i = 0; i < node.num_inputs; ++i) {
    if (inputs[i].tensor.valid()) bytes += inputs[i].tensor.num_bytes();
  }
  return bytes >= kLongBytes;
}

// Cheap nodes stay on this thread. One expensive node stays if there is nothing else to run. One blocking node stays
// and runs after a few cheap ones, because waking another thread would take longer.
void Step::Distribute(ThreadState& worker) {
  absl::Span<const ReadyNode> ready = worker.progress.ready;
  if (worker.keeps_nothing) {
    for (const ReadyNode& item : ready) {
      if (plan_.nodes[item.node].blocking && !item.dead) ShareBlocking(item);
    }
    absl::InlinedVector<ReadyNode, 16> others;
    for (const ReadyNode& item : ready) {
      if (!plan_.nodes[item.node].blocking || item.dead) others.push_back(item);
    }
    Share(others);
    return;
  }
  const ReadyNode* expensive = nullptr;
  const ReadyNode* blocking = nullptr;
  for (size_t i = ready.size(); i-- > 0;) {
    const ReadyNode& item = ready[i];
    if (!worker.may_take_long && MayTakeLong(item)) {
      ShareBlocking(item);
    } else if (plan_.nodes[item.node].blocking && !item.dead) {
      if (blocking != nullptr) ShareBlocking(*blocking);
      blocking = &item;
    } else if (!item.dead && IsExpensive(item.node)) {
      if (expensive != nullptr) Share({expensive, 1});
      expensive = &item;
    } else {
      worker.stack.push_back(item);
    }
  }
  bool expensive_stays = false;
  if (expensive != nullptr) {
    if (worker.keeps_expensive && worker.stack.empty() && !worker.blocking.has_value()) {
      expensive_stays = true;
      worker.stack.push_back(*expensive);
      TransportThread::Current().BeginLongWork();
    } else {
      Share({expensive, 1});
    }
  }
  if (blocking != nullptr) {
    constexpr size_t kFew = 16;
    if (worker.may_block && !expensive_stays && !worker.blocking.has_value() && worker.stack.size() <= kFew) {
      worker.blocking = *blocking;
    } else {
      ShareBlocking(*blocking);
    }
  }
}

void Step::Share(absl::Span<const ReadyNode> items) {
  if (items.empty()) return;
  bool helped = false;
  {
    std::lock_guard lock(mu_);
    shared_.insert(shared_.end(), items.begin(), items.end());
    helped = std::exchange(helper_waits_, false);
    if (helped) changed_.notify_all();
  }
  if (pool_ == nullptr) return;  // the waiting thread checks shared_ before it sleeps
  // One thread for all cheap nodes, and one for each expensive node.
  auto threads = static_cast<int>(std::count_if(
      items.begin(), items.end(), [&](const ReadyNode& item) { return !item.dead && IsExpensive(item.node); }));
  threads = std::max(threads, 1) - (helped ? 1 : 0);
  for (int i = 0; i < threads; ++i) {
    Ref();
    pool_->Schedule([this] {
      WorkOrEnd([this] { WorkShared(/*is_waiter=*/false); });
      Unref();
    });
  }
}

void Step::ShareBlocking(const ReadyNode& item) {
  Ref();
  context_.blocking_pool->Schedule([this, item] {
    WorkOrEnd([this, item] {
      ThreadState worker(/*keeps_expensive=*/true, /*may_block=*/true);
      worker.may_take_long = true;
      worker.stack.push_back(item);
      Work(worker);
    });
    Unref();
  });
}

Status Step::ResolveRefs(const PlanNode& node, int32_t index, EdgeValue* inputs) {
  for (int32_t i = 0; i < node.num_inputs; ++i) {
    EdgeValue& input = inputs[i];
    const bool wants_ref = IsRef(node.info->input_types[i]);
    if (input.ref) {
      input.tensor = input.ref->Read();
      if (!input.tensor.valid() && !node.allows_uninitialized) {
        return FailedPrecondition("Attempting to use uninitialized value {}", plan_.NameOf(plan_.inputs_of(index)[i]));
      }
      if (!wants_ref) input.ref = nullptr;
    } else if (wants_ref && input.tensor.valid()) {
      return InvalidArgument("Input {} of node {} was passed {} from {} incompatible with expected {}.", i,
                             node.info->name, OpDefTypeName(input.tensor.dtype()),
                             plan_.NameOf(plan_.inputs_of(index)[i]), OpDefTypeName(node.info->input_types[i]));
    }
  }
  return OkStatus();
}

// Checks that the kernel set its outputs with the types of the schema, which consumers rely on.
Status Step::CheckOutputs(const PlanNode& node, const EdgeValue* outputs, uint64_t dead_outputs) const {
  for (int32_t i = 0; i < node.num_outputs; ++i) {
    const EdgeValue& value = outputs[i];
    if (value.tensor.valid() && value.tensor.dtype() != BaseType(node.info->output_types[i])) {
      return Internal("output {} is {}, but should be {}", i, value.tensor.dtype(), node.info->output_types[i]);
    }
    // The allocator does not count the contents of strings.
    if (value.tensor.dtype() == kString && value.tensor.OwnsMemoryAlone())
      WEIR_TRY(ReserveStrings(value.tensor.flat<std::string>()));
  }
  for (int32_t e = node.edges.begin; e < node.edges.end; ++e) {
    const PlanEdge& edge = plan_.edges[e];
    if (!edge.last) continue;
    const EdgeValue& value = outputs[edge.output];
    if (value.tensor.valid() || value.ref) continue;
    if (edge.output < 64 && ((dead_outputs >> edge.output) & 1) != 0) continue;
    return Internal("Missing {}-th output from node '{}'", edge.output, node.info->name);
  }
  return OkStatus();
}

}  // namespace weir
