// The hot path of Run: a lock to enter, a lock to find the plan, the checks of the feeds, the step, a lock to leave.
#include "runtime/local_session.h"

#include <algorithm>
#include <chrono>
#include <future>

#include "base/alarms.h"
#include "base/clock.h"
#include "base/rng.h"
#include "runtime/check_feed.h"
#include "runtime/constant_evaluator.h"
#include "runtime/local_devices.h"
#include "runtime/partial_step.h"
#include "runtime/plan_with_resources.h"
#include "runtime/step_trace.h"

namespace weir {
namespace {

int InterOpThreads(const tensorflow::ConfigProto& config) {
  if (config.session_inter_op_thread_pool_size() > 0 && config.session_inter_op_thread_pool(0).num_threads() > 0)
    return config.session_inter_op_thread_pool(0).num_threads();
  return config.inter_op_parallelism_threads();
}

PlacerOptions PlacerOptionsOf(const tensorflow::ConfigProto& config) {
  return {.allow_soft_placement = config.allow_soft_placement(), .log_placement = config.log_device_placement()};
}

// Functions run on the CPU unless they ask for a GPU: their arguments are in host memory.
PlacerOptions PlacerOptionsOfFunctions(const tensorflow::ConfigProto& config) {
  PlacerOptions options = PlacerOptionsOf(config);
  options.prefer_gpus = false;
  return options;
}

template <class FeedRange>
void AppendSignature(const FeedRange& feeds, const std::vector<Output>& fetches, const std::vector<Node*>& targets,
                     absl::InlinedVector<uintptr_t, 16>* key) {
  key->reserve(2 + 2 * (feeds.size() + fetches.size()) + targets.size());
  key->push_back(feeds.size());
  key->push_back(fetches.size());
  auto add = [&](const Output& output) {
    key->push_back(reinterpret_cast<uintptr_t>(output.node));
    key->push_back(static_cast<uintptr_t>(output.index));
  };
  for (const auto& feed : feeds) {
    if constexpr (std::is_same_v<std::decay_t<decltype(feed)>, Output>) {
      add(feed);
    } else {
      add(feed.output);
    }
  }
  for (const Output& fetch : fetches) add(fetch);
  for (Node* target : targets) key->push_back(reinterpret_cast<uintptr_t>(target));
}

// The end of the key of a signature with PlanSignature::shows_nodes. No node has this address.
constexpr uintptr_t kShowsNodes = 1;

Status Closed() { return Cancelled("Session has been closed."); }

}  // namespace

// Counts an active run, so that Close can wait for it.
class LocalSession::ActiveRun {
 public:
  explicit ActiveRun(LocalSession& session) : session_(session), entered_(session.Enter()) {}
  ~ActiveRun() {
    if (entered_) session_.Leave();
  }
  ActiveRun(const ActiveRun&) = delete;
  ActiveRun& operator=(const ActiveRun&) = delete;
  bool entered() const { return entered_; }

 private:
  LocalSession& session_;
  const bool entered_;
};

LocalSession::LocalSession(std::shared_ptr<Graph> graph, Dependencies dependencies)
    : graph_(std::move(graph)),
      config_(std::move(dependencies.config)),
      shared_pool_(dependencies.pool),
      blocking_pool_(dependencies.blocking_pool),
      env_(dependencies.env),
      intra_pool_(&shared_pool_),
      inter_pool_(&shared_pool_),
      py_functions_(dependencies.py_functions),
      owns_resources_(dependencies.resources == nullptr),
      resources_(owns_resources_ ? std::make_shared<ResourceManager>() : std::move(dependencies.resources)),
      devices_(std::make_shared<const LocalFunctionRunner::Devices>(
          MakeLocalDevices(config_, dependencies.device_prefix, RealRng(), &env_))),
      evaluator_(MakeLocalConstantEvaluator(env_)),
      placements_(*graph_, config_.allow_soft_placement()) {
  kernel_state_->handle = fmt::format("local-{}", static_cast<const void*>(this));
  if (const int threads = config_.intra_op_parallelism_threads(); threads > 0) {
    kernel_state_->intra_pool = std::make_unique<ThreadPool>("weir_intra", threads);
    intra_pool_ = kernel_state_->intra_pool.get();
  }
  if (const int threads = InterOpThreads(config_); threads < 0 || threads == 1) {
    inter_pool_ = nullptr;
  } else if (threads > 1) {
    kernel_state_->inter_pool = std::make_unique<ThreadPool>("weir_inter", threads);
    inter_pool_ = kernel_state_->inter_pool.get();
  }
  kernel_state_->functions = std::make_unique<LocalFunctionRunner>(
      graph_, devices_, resources_,
      LocalFunctionRunner::Options{.env = env_,
                                   .placer = PlacerOptionsOfFunctions(config_),
                                   .passes = PassOptionsOf(config_, evaluator_.get()),
                                   .kept = evaluator_});
  kernels_ = std::make_unique<KernelCache>(env_, resources_.get(), kernel_state_->functions.get());
}

LocalSession::~LocalSession() {
  Close().IgnoreError();
  std::unique_lock lock(mu_);
  idle_.wait(lock, [&] { return active_ == 0; });
}

bool LocalSession::Enter() {
  std::lock_guard lock(mu_);
  if (closed_) return false;
  ++active_;
  return true;
}

void LocalSession::Leave() {
  std::lock_guard lock(mu_);
  if (--active_ == 0 && closed_) idle_.notify_all();
}

Result<std::vector<Tensor>> LocalSession::Run(const RunRequest& request) {
  ActiveRun active(*this);
  if (!active.entered()) return Closed();
  Key key;
  AppendSignature(request.feeds, request.fetches, request.targets, &key);
  const bool shows_nodes = request.options != nullptr && HasGpu(*devices_) &&
                           (request.options->trace_level() != tensorflow::RunOptions::NO_TRACE ||
                            request.options->output_partition_graphs());
  if (shows_nodes) key.push_back(kShowsNodes);
  std::shared_ptr<Executor> executor = FindExecutor(key);
  if (executor == nullptr) {
    PlanSignature signature{{}, request.fetches, request.targets};
    signature.shows_nodes = shows_nodes;
    for (const Feed& feed : request.feeds) signature.feeds.push_back(feed.output);
    WEIR_ASSIGN(executor, GetExecutor(key, signature));
  }
  absl::InlinedVector<Tensor, 4> feeds;
  feeds.reserve(request.feeds.size());
  for (const Feed& feed : request.feeds) feeds.push_back(feed.value);
  return Execute(*executor, feeds, request.options, request.metadata, request.cancel);
}

std::shared_ptr<Executor> LocalSession::FindExecutor(const Key& key) {
  std::lock_guard lock(mu_);
  auto it = executors_.find(key);
  return it == executors_.end() ? nullptr : it->second;
}

Result<std::shared_ptr<Executor>> LocalSession::GetExecutor(const Key& key, const PlanSignature& signature) {
  std::lock_guard compiling(compile_mu_);
  if (std::shared_ptr<Executor> known = FindExecutor(key)) return known;
  WEIR_ASSIGN(std::shared_ptr<Executor> executor, Compile(signature));
  std::lock_guard lock(mu_);
  executors_.emplace(key, executor);
  return executor;
}

Result<std::shared_ptr<Executor>> LocalSession::Compile(const PlanSignature& signature) {
  WEIR_ASSIGN(std::shared_ptr<const Plan> plan,
              CompilePlan(*graph_, signature,
                          PlanEnvironment{*devices_, *kernels_, PlacerOptionsOf(config_),
                                          PassOptionsOf(config_, evaluator_.get()), &placements_}));
  return std::make_shared<Executor>(PlanWithResources(std::move(plan), resources_));
}

StepArgs LocalSession::ArgsForStep() {
  StepArgs args;
  args.context.step_id = next_step_.fetch_add(1, std::memory_order_relaxed);
  args.context.pool = intra_pool_;
  args.context.blocking_pool = &blocking_pool_;
  args.context.env = &env_;
  args.context.resources = resources_.get();
  args.context.functions = kernel_state_->functions.get();
  args.context.py_functions = py_functions_;
  args.context.may_end_process = true;
  args.context.session_handle = &kernel_state_->handle;
  args.context.keep_alive = kernel_state_;
  args.pool = inter_pool_;
  args.cancelled_by.push_back(&cancel_);
  args.private_fetches = true;
  return args;
}

Status LocalSession::CheckPool(const tensorflow::RunOptions& options) const {
  const int pools = std::max(1, config_.session_inter_op_thread_pool_size());
  if (options.inter_op_thread_pool() < -1 || options.inter_op_thread_pool() >= pools)
    return InvalidArgument("Invalid inter_op_thread_pool: {}", options.inter_op_thread_pool());
  return OkStatus();
}

Result<std::vector<Tensor>> LocalSession::Execute(Executor& executor, absl::Span<const Tensor> feeds,
                                                  const tensorflow::RunOptions* options,
                                                  tensorflow::RunMetadata* metadata, CancelToken* cancel) {
  const Plan& plan = executor.plan();
  for (size_t k = 0; k < feeds.size(); ++k) WEIR_TRY(CheckFeed(plan.feeds[k].what, feeds[k]));
  StepArgs args = ArgsForStep();
  if (cancel != nullptr) args.cancelled_by.push_back(cancel);
  int64_t timeout_ms = config_.operation_timeout_in_ms();
  std::optional<StepTrace> trace;
  if (options != nullptr) {
    WEIR_TRY(CheckPool(*options));
    if (options->inter_op_thread_pool() == -1) args.pool = nullptr;
    if (options->timeout_in_ms() > 0) timeout_ms = options->timeout_in_ms();
    if (metadata != nullptr && options->trace_level() != tensorflow::RunOptions::NO_TRACE)
      args.trace = &trace.emplace();
  }
  constexpr int64_t kMaxMillis = int64_t{1} << 40;
  if (timeout_ms > 0)
    args.deadline_nanos = RealClock().MonotonicNanos() + std::min(timeout_ms, kMaxMillis) * kNanosPerMilli;
  Result<std::vector<Tensor>> result = executor.Run(args, feeds);
  if (trace) trace->WriteTo(metadata->mutable_step_stats());
  if (metadata != nullptr && options != nullptr && options->output_partition_graphs())
    ExportPlan(plan, metadata->add_partition_graphs());
  return result;
}

class LocalSession::LocalCallable final : public Session::Callable {
 public:
  LocalCallable(LocalSession& session, std::shared_ptr<Executor> executor)
      : session_(session), executor_(std::move(executor)) {}
  Result<std::vector<Tensor>> Call(std::vector<Tensor> feeds, const tensorflow::RunOptions* options,
                                   tensorflow::RunMetadata* metadata, CancelToken* cancel) override {
    if (feeds.size() != executor_->plan().feeds.size())
      return InvalidArgument("Expected {} feed values, but got {}", executor_->plan().feeds.size(), feeds.size());
    ActiveRun active(session_);
    if (!active.entered()) return Closed();
    return session_.Execute(*executor_, feeds, options, metadata, cancel);
  }

 private:
  LocalSession& session_;
  const std::shared_ptr<Executor> executor_;
};

Result<std::shared_ptr<Session::Callable>> LocalSession::MakeCallable(const std::vector<Output>& feeds,
                                                                      const std::vector<Output>& fetches,
                                                                      const std::vector<Node*>& targets) {
  ActiveRun active(*this);
  if (!active.entered()) return Closed();
  Key key;
  AppendSignature(feeds, fetches, targets, &key);
  WEIR_ASSIGN(std::shared_ptr<Executor> executor, GetExecutor(key, PlanSignature{feeds, fetches, targets}));
  return std::shared_ptr<Callable>(std::make_shared<LocalCallable>(*this, std::move(executor)));
}

// A partial run between setup and its last piece.
struct LocalSession::Partial {
  Partial(std::shared_ptr<Executor> executor, std::vector<Output> its_feeds, std::vector<Output> its_fetches)
      : step(std::make_shared<PartialStep>(std::move(executor))),
        feeds(std::move(its_feeds)),
        fetches(std::move(its_fetches)),
        progress(feeds.size(), fetches.size()) {}
  // Ends the step, because it uses the session.
  ~Partial() {
    step->Cancel(Cancelled("The partial run was dropped before it completed"));
    ended->get_future().wait();
  }
  Partial(const Partial&) = delete;
  Partial& operator=(const Partial&) = delete;

  void Start(const StepArgs& args) {
    step->Start(args, [ended = ended] { ended->set_value(); });
  }

  const std::shared_ptr<PartialStep> step;
  const std::vector<Output> feeds;
  const std::vector<Output> fetches;
  std::mutex mu;  // serializes the pieces
  PartialRunProgress progress;
  const std::shared_ptr<std::promise<void>> ended = std::make_shared<std::promise<void>>();
};

Result<std::string> LocalSession::PartialRunSetup(const std::vector<Output>& feeds, const std::vector<Output>& fetches,
                                                  const std::vector<Node*>& targets, CancelToken* cancel) {
  ActiveRun active(*this);
  if (!active.entered()) return Closed();
  const auto cancelled = [cancel] { return cancel != nullptr ? cancel->reason() : OkStatus(); };
  std::shared_ptr<Executor> executor;
  {
    std::lock_guard compiling(compile_mu_);
    WEIR_TRY(cancelled());
    WEIR_ASSIGN(executor, Compile(PlanSignature{feeds, fetches, targets, /*late_feeds=*/true}));
  }
  WEIR_TRY(cancelled());
  auto partial = std::make_shared<Partial>(std::move(executor), feeds, fetches);
  StepArgs args = ArgsForStep();
  if (args.pool == nullptr) args.pool = &shared_pool_;  // between the pieces no thread waits that could run nodes
  partial->Start(args);
  WEIR_TRY(cancelled());
  std::lock_guard lock(mu_);
  std::string handle = fmt::format("partial_run/{}", next_partial_++);
  partials_.emplace(handle, std::move(partial));
  return handle;
}

namespace {

PartialRunProgress::Item FindItem(const std::vector<Output>& all, const Output& one) {
  const auto it = std::find(all.begin(), all.end(), one);
  return {it == all.end() ? -1 : static_cast<int>(it - all.begin()), one.valid() ? one.name() : ""};
}

}  // namespace

Result<std::vector<Tensor>> LocalSession::PartialRun(const std::string& handle, const std::vector<Feed>& feeds,
                                                     const std::vector<Output>& fetches, CancelToken* cancel) {
  ActiveRun active(*this);
  if (!active.entered()) return Closed();
  std::shared_ptr<Partial> partial;
  {
    std::lock_guard lock(mu_);
    auto it = partials_.find(handle);
    if (it == partials_.end()) return InvalidArgument("Must run 'setup' before performing partial runs!");
    partial = it->second;
  }
  std::lock_guard serialized(partial->mu);
  const Plan& plan = partial->step->plan();
  std::vector<PartialRunProgress::Item> fed;
  std::vector<PartialStep::PieceFeed> values;
  for (const Feed& feed : feeds) {
    fed.push_back(FindItem(partial->feeds, feed.output));
    const int number = fed.back().number;
    if (number >= 0) WEIR_TRY(CheckFeed(plan.feeds[number].what, feed.value));
    values.push_back({number, feed.value});
  }
  std::vector<PartialRunProgress::Item> fetched;
  std::vector<int> numbers;
  for (const Output& fetch : fetches) {
    PartialRunProgress::Item item = FindItem(partial->fetches, fetch);
    const bool again = item.number >= 0 && std::find(numbers.begin(), numbers.end(), item.number) != numbers.end();
    numbers.push_back(item.number);
    if (!again) fetched.push_back(std::move(item));
  }
  WEIR_TRY(partial->progress.Take(fed, fetched, plan.feeds_of_fetch));
  const bool last = partial->progress.complete();
  const auto answer = std::make_shared<std::promise<Result<std::vector<Tensor>>>>();
  partial->step->RunPiece(std::move(values), std::move(numbers), last, cancel,
                          [answer](Result<std::vector<Tensor>> result) { answer->set_value(std::move(result)); });
  Result<std::vector<Tensor>> result = answer->get_future().get();
  if (!result.ok() || last) {
    std::lock_guard lock(mu_);
    partials_.erase(handle);
  }
  return result;
}

Result<std::vector<DeviceInfo>> LocalSession::ListDevices(CancelToken* /*cancel*/) {
  std::vector<DeviceInfo> result;
  for (const auto& device : *devices_) {
    const tensorflow::DeviceAttributes& attributes = device->attributes();
    result.push_back({device->name(), device->kind(), attributes.memory_limit(), attributes.incarnation()});
  }
  return result;
}

Status LocalSession::Close() {
  {
    std::lock_guard lock(mu_);
    closed_ = true;
  }
  cancel_.Cancel(Closed());
  absl::flat_hash_map<std::string, std::shared_ptr<Partial>> partials;
  absl::flat_hash_map<Key, std::shared_ptr<Executor>> executors;
  {
    // Do not wait longer for a run whose own thread is in a kernel that cannot be interrupted.
    constexpr std::chrono::seconds kPatience(1);
    std::unique_lock lock(mu_);
    idle_.wait_for(lock, kPatience, [&] { return active_ == 0; });
    partials.swap(partials_);
    executors.swap(executors_);
  }
  partials.clear();
  executors.clear();
  kernels_->Clear();
  if (owns_resources_) resources_->ClearAll();
  return OkStatus();
}

}  // namespace weir
