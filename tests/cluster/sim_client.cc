#include "cluster/sim_client.h"

#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/state_ops.h"
#include "graph/compose/flow.h"
#include "graph/graph_def.h"
#include "graph/node_builder.h"
#include "runtime/constant_evaluator.h"

namespace weir {
namespace {

// extra time for the master's response after the timeout of a step, as in RemoteSession
constexpr int64_t kAnswerMs = 2'000;
constexpr int64_t kNoticeMs = 25'000;  // how long the loss of a peer may go unnoticed
constexpr int64_t kSessionTimeoutMs = 10'000;
constexpr int kFailuresInARow = 60;
constexpr int32_t kVector = 20;

constexpr char kPs[] = "/job:ps/task:0";
constexpr char kWorker0[] = "/job:worker/task:0";
constexpr char kWorker1[] = "/job:worker/task:1";

}  // namespace

struct SimClient::Step {
  std::string what;
  RunStepCall call;
  bool sets_up = false;  // PartialRunSetup: the call has the feeds and fetches of all pieces
  std::shared_ptr<Counter> counter;
  bool initializes = false;
  CancelToken cancel;
  int64_t started = 0;
  int64_t timeout_ms = 0;
  bool gave_up = false;  // the client cancelled it
  bool closing = false;  // the client closed the session meanwhile
  std::function<void(const std::vector<NamedTensor>&)> check;
  std::function<StepPtr(const std::string& handle)> then;  // makes the next piece
};

SimClient::SimClient(SimWorld& world, SimNetwork& network, SimCluster& cluster, SimHistory& history,
                     const OpRegistry& registry, Options options)
    : world_(world),
      cluster_(cluster),
      history_(history),
      registry_(registry),
      options_(std::move(options)),
      name_(fmt::format("client{}", options_.number)),
      transport_(network.StartHost(name_)) {
  BuildGraph();
}

SimClient::~SimClient() = default;

void SimClient::Wrong(const std::string& what) {
  history_.wrong.push_back(fmt::format("{}: {}", name_, what));
  world_.Log("WRONG: " + history_.wrong.back());
}

void SimClient::BuildGraph() {
  Graph graph(registry_);
  graph.set_constant_evaluator(MakeLocalConstantEvaluator(RealEnv()));
  {
    Output bit = Placeholder(graph, kInt64, {.name = "bit"});
    Output amount;
    {
      DeviceScope scope(graph, kWorker1);
      amount = Sub(Add(bit, bit), bit);
    }
    Output added;
    {
      DeviceScope scope(graph, kPs);
      Output count = VariableV2(graph, PartialShape::Scalar(), kInt64,
                                {.name = fmt::format("count_{}_{}", options_.number, life_)});
      init_ = Assign(count, Constant(graph, Tensor::Scalar(int64_t{0}))).node->name();
      added = AssignAdd(count, amount);
    }
    DeviceScope scope(graph, kWorker0);
    add_ = Identity(added).name();
    bit_ = bit.name();
  }
  {
    Output x = Placeholder(graph, kInt32, {.name = "x"});
    Output y = Placeholder(graph, kInt32, {.name = "y"});
    Output three;
    Output sum;
    {
      DeviceScope scope(graph, kPs);
      three = Mul(x, Constant(graph, Tensor::Scalar(3)));
    }
    {
      DeviceScope scope(graph, kWorker1);
      sum = Add(three, x);
    }
    DeviceScope scope(graph, kWorker0);
    product_ = Mul(Sub(sum, three), Constant(graph, Tensor::Scalar(5))).name();
    scaled_ = Mul(sum, y).name();
    sum_ = sum.name();
    x_ = x.name();
    y_ = y.name();
  }
  Output limit = Placeholder(graph, kInt32, {.name = "limit"});
  Result<OutputList> loop = WhileLoop(
      graph, [&](const OutputList& v) -> Result<Output> { return Less(v[0], limit); },
      [&](const OutputList& v) -> Result<OutputList> {
        Output sum;
        {
          DeviceScope scope(graph, kPs);
          sum = Add(v[1], Mul(v[0], v[0]));
        }
        DeviceScope scope(graph, kWorker1);
        return OutputList{Add(v[0], Constant(graph, Tensor::Scalar(1))), sum};
      },
      {Constant(graph, Tensor::Scalar(0)), Constant(graph, Tensor::Scalar(0))});
  if (!loop.ok()) return Wrong(loop.status().ToString());
  limit_ = limit.name();
  loop_count_ = (*loop)[0].name();
  loop_sum_ = (*loop)[1].name();
  Result<tensorflow::GraphDef> def = ExportGraphDef(graph);
  if (!def.ok()) return Wrong(def.status().ToString());
  graph_ = *std::move(def);
}

// ---- sessions ----

void SimClient::CreateSession() {
  const std::vector<std::string>& tasks = cluster_.tasks();
  const std::string task = options_.master.empty() ? tasks[world_.rng().Below(tasks.size())] : options_.master;
  master_ = MakeRemoteMaster(transport_.Connect(cluster_.AddressOf(task)));
  tensorflow::CreateSessionRequest request;
  *request.mutable_graph_def() = graph_;
  master_->CreateSession(std::move(request), CallOptions{.timeout_ms = kSessionTimeoutMs},
                         [this](Result<tensorflow::CreateSessionResponse> response) {
                           if (response.ok()) {
                             handle_ = response->session_handle();
                             left_pieces_ = false;
                             return Next();
                           }
                           const StatusCode code = response.status().code();
                           const bool right = (code == StatusCode::kUnavailable && history_.lost) ||
                                              (code == StatusCode::kDeadlineExceeded && history_.stalled_ms > 0);
                           if (!right) Wrong(fmt::format("creating a session: {}", response.status().ToString()));
                           if (++failures_ > kFailuresInARow) {
                             Wrong("gets no session");
                             done_ = true;
                             return;
                           }
                           world_.After(world_.Between(50, 500) * kNanosPerMilli, [this] { Next(); });
                         });
}

void SimClient::CloseSession(std::function<void()> then) {
  const std::string handle = std::exchange(handle_, "");
  if (handle.empty()) return then();
  for (const StepPtr& step : active_) step->closing = true;
  ++closing_;
  SendClose(master_, handle, 0, std::move(then));
}

void SimClient::SendClose(std::shared_ptr<MasterService> master, std::string handle, int attempt,
                          std::function<void()> then) {
  tensorflow::CloseSessionRequest request;
  request.set_session_handle(handle);
  MasterService& called = *master;
  called.CloseSession(std::move(request), CallOptions{.timeout_ms = kSessionTimeoutMs},
                      [this, master, handle, attempt, then](const Result<tensorflow::CloseSessionResponse>& response) {
                        const StatusCode code = response.status().code();
                        const bool unheard = (code == StatusCode::kUnavailable && history_.lost) ||
                                             (code == StatusCode::kDeadlineExceeded && history_.stalled_ms > 0);
                        // Aborted: the master has closed the session already, or was restarted.
                        const bool unknown = code == StatusCode::kAborted && (history_.crashed || attempt > 0);
                        if (!response.ok() && !unheard && !unknown)
                          Wrong(fmt::format("closing a session: {}", response.status().ToString()));
                        if (!unheard) {
                          --closing_;
                        } else if (attempt > kFailuresInARow) {
                          Wrong("cannot close a session");
                          --closing_;
                        } else {
                          world_.After(world_.Between(500, 2000) * kNanosPerMilli, [this, master, handle, attempt] {
                            SendClose(master, handle, attempt + 1, [] {});
                          });
                        }
                        then();
                      });
}

void SimClient::NewCounter() {
  ++life_;
  counter_ = std::make_shared<Counter>();
  BuildGraph();
}

// ---- steps ----

void SimClient::Next() {
  if (done_) return;
  if (steps_ >= options_.steps) {
    keeps_session_open_ = options_.keeps_session && !handle_.empty() && !left_pieces_;
    if (keeps_session_open_) return;
    CloseSession([this] { done_ = true; });
    return;
  }
  if (handle_.empty()) return CreateSession();
  if (!counter_->initialized) return Begin(NewInit());
  Hold();
  Begin(NewStep());
  while (!options_.in_turn && world_.Chance(0.25)) {
    Hold();
    world_.After(world_.Between(0, 3 * kNanosPerMilli), [this] {
      if (!handle_.empty()) Begin(NewStep());
      Release();
    });
  }
  Release();
}

SimClient::StepPtr SimClient::NewStep() {
  constexpr int kKinds = 4;
  const int kind = options_.in_turn ? steps_ % kKinds : static_cast<int>(world_.rng().Below(kKinds + 1));
  ++steps_;
  switch (kind) {
    case 0:
      return NewSums();
    case 1:
      return NewLoop();
    case 2:
      return NewPieces();
    default:
      return NewAdd();
  }
}

SimClient::StepPtr SimClient::NewInit() {
  auto step = std::make_shared<Step>();
  step->what = fmt::format("init of life {}", life_);
  step->counter = counter_;
  step->initializes = true;
  step->call.message.add_target(init_);
  counter_->ps_crashes = CrashesOfPs();
  step->check = [counter = counter_](const std::vector<NamedTensor>&) { counter->initialized = true; };
  return step;
}

SimClient::StepPtr SimClient::NewAdd() {
  auto step = std::make_shared<Step>();
  const int64_t bit = int64_t{1} << counter_->next_bit++;
  step->what = fmt::format("add {:#x}", bit);
  step->counter = counter_;
  step->call.tensors.push_back({bit_, Tensor::Scalar(bit)});
  step->call.message.add_fetch(add_);
  counter_->attempted |= bit;
  // Concurrent steps may or may not see each other's effects.
  step->check = [this, bit, counter = counter_, before = counter_->applied](const std::vector<NamedTensor>& values) {
    const auto value = values[0].tensor.scalar<int64_t>();
    const int64_t wanted = before | bit;
    if ((value & wanted) != wanted || (value & ~counter->attempted) != 0)
      Wrong(fmt::format("the counter is {:#x}, but has had {:#x} of {:#x}", value, wanted, counter->attempted));
    counter->applied |= wanted | (value & counter->attempted);
  };
  return step;
}

void SimClient::CheckVector(const NamedTensor& value, int64_t first, int64_t pace) {
  if (value.tensor.num_elements() != kVector) return Wrong(fmt::format("{} has another shape", value.name));
  for (int64_t i = 0; i < kVector; ++i) {
    if (value.tensor.flat<int32_t>()[i] == first + i * pace) continue;
    return Wrong(fmt::format("{}[{}] is {}, not {}", value.name, i, value.tensor.flat<int32_t>()[i], first + i * pace));
  }
}

namespace {

Tensor Range(int32_t first) {
  std::vector<int32_t> values;
  for (int32_t i = 0; i < kVector; ++i) values.push_back(first + i);
  return Tensor::Vector(absl::Span<const int32_t>(values));
}

}  // namespace

SimClient::StepPtr SimClient::NewSums() {
  auto step = std::make_shared<Step>();
  const auto x = static_cast<int32_t>(world_.Between(0, 1000));
  step->what = fmt::format("sums of {}", x);
  step->call.tensors.push_back({x_, Range(x)});
  for (const std::string& fetch : {sum_, product_, x_}) step->call.message.add_fetch(fetch);
  step->check = [this, x](const std::vector<NamedTensor>& values) {
    CheckVector(values[0], 4 * x, 4);
    CheckVector(values[1], 5 * x, 5);
    CheckVector(values[2], x, 1);
  };
  return step;
}

SimClient::StepPtr SimClient::NewPieces() {
  auto setup = std::make_shared<Step>();
  const auto x = static_cast<int32_t>(world_.Between(0, 1000));
  setup->what = fmt::format("pieces of {}", x);
  setup->sets_up = true;
  setup->call.tensors.push_back({x_, Tensor()});
  setup->call.tensors.push_back({y_, Tensor()});
  setup->call.message.add_fetch(sum_);
  setup->call.message.add_fetch(scaled_);
  setup->check = [](const std::vector<NamedTensor>&) {};
  setup->then = [this, x](const std::string& handle) {
    auto first = std::make_shared<Step>();
    first->what = fmt::format("first piece of {}", x);
    first->call.message.set_partial_run_handle(handle);
    first->call.tensors.push_back({x_, Range(x)});
    first->call.message.add_fetch(sum_);
    first->check = [this, x](const std::vector<NamedTensor>& values) { CheckVector(values[0], 4 * x, 4); };
    first->then = [this, x, handle](const std::string&) {
      auto second = std::make_shared<Step>();
      second->what = fmt::format("second piece of {}", x);
      second->call.message.set_partial_run_handle(handle);
      second->call.tensors.push_back({y_, Tensor::Scalar(7)});
      second->call.message.add_fetch(scaled_);
      second->check = [this, x](const std::vector<NamedTensor>& values) { CheckVector(values[0], 28 * x, 28); };
      return second;
    };
    return first;
  };
  return setup;
}

SimClient::StepPtr SimClient::NewLoop() {
  auto step = std::make_shared<Step>();
  const auto n = static_cast<int32_t>(world_.Between(0, 7));
  step->what = fmt::format("loop of {}", n);
  step->call.tensors.push_back({limit_, Tensor::Scalar(n)});
  step->call.message.add_fetch(loop_count_);
  step->call.message.add_fetch(loop_sum_);
  step->check = [this, n](const std::vector<NamedTensor>& values) {
    const int32_t wanted[] = {n, (n - 1) * n * (2 * n - 1) / 6};
    for (int i = 0; i < 2; ++i) {
      if (const auto value = values[i].tensor.scalar<int32_t>(); value != wanted[i])
        Wrong(fmt::format("{} of {} is {}, not {}", values[i].name, n, value, wanted[i]));
    }
  };
  return step;
}

void SimClient::Begin(const StepPtr& step) {
  Hold();
  active_.push_back(step);
  step->started = world_.now();
  step->timeout_ms = options_.timeout_ms > 0 ? options_.timeout_ms : world_.Chance(0.5) ? 3'000 : 30'000;
  world_.Log(fmt::format("{} begins: {}", name_, step->what));
  if (!options_.in_turn && world_.Chance(0.06)) {
    world_.After(world_.Between(0, 20 * kNanosPerMilli), [step] {
      step->gave_up = true;
      step->cancel.Cancel(Cancelled("the client changed its mind"));
    });
  } else if (!options_.in_turn && world_.Chance(0.04)) {
    Hold();
    world_.After(world_.Between(0, 20 * kNanosPerMilli), [this] { CloseSession([this] { Release(); }); });
  }
  if (step->sets_up) {
    tensorflow::PartialRunSetupRequest request;
    request.set_session_handle(handle_);
    for (const NamedTensor& feed : step->call.tensors) request.add_feed(feed.name);
    *request.mutable_fetch() = step->call.message.fetch();
    master_->PartialRunSetup(std::move(request), CallOptions{.timeout_ms = step->timeout_ms, .cancel = &step->cancel},
                             [this, step](Result<tensorflow::PartialRunSetupResponse> response) {
                               if (!response.ok()) return Ended(step, response.status());
                               step->then = [then = step->then, handle = response->partial_run_handle()](
                                                const std::string&) { return then(handle); };
                               step->call.message.clear_fetch();
                               Ended(step, RunStepReply());
                             });
    return;
  }
  RunStepCall call = step->call;
  call.message.set_session_handle(handle_);
  call.message.mutable_options()->set_timeout_in_ms(static_cast<int32_t>(step->timeout_ms));
  // Half of the steps rely on the timeout of the master and on the connection to it.
  const int64_t own_timeout = world_.Chance(0.5) ? step->timeout_ms + kAnswerMs : 0;
  master_->RunStep(std::move(call), CallOptions{.timeout_ms = own_timeout, .cancel = &step->cancel},
                   [this, step](Result<RunStepReply> reply) { Ended(step, std::move(reply)); });
}

void SimClient::Ended(const StepPtr& step, Result<RunStepReply> reply) {
  world_.Log(fmt::format("{} ends: {}: {}", name_, step->what,
                         reply.ok() ? "right" : std::string(reply.status().message()).substr(0, 200)));
  std::erase(active_, step);
  if (world_.now() - step->started > (step->timeout_ms + kNoticeMs) * kNanosPerMilli)
    Wrong(fmt::format("{} took {} ms", step->what, (world_.now() - step->started) / kNanosPerMilli));
  if (!reply.ok()) {
    Failed(step, reply.status());
    world_.After(world_.Between(50, 500) * kNanosPerMilli, [this] { Release(); });
    return;
  }
  failures_ = 0;
  ++history_.steps;
  if (static_cast<int>(reply->tensors.size()) != step->call.message.fetch_size()) {
    Wrong(fmt::format("{}: {} values came", step->what, reply->tensors.size()));
  } else {
    step->check(reply->tensors);
  }
  world_.After(world_.Between(0, 400) * kNanosPerMilli, [this, step] {
    // By then there may be another session, or none; and a client may drop the next piece.
    if (step->then && !step->closing && !handle_.empty() && (options_.in_turn || world_.Chance(0.9))) {
      Begin(step->then(""));
    } else if (step->then) {
      left_pieces_ = true;
    }
    Release();
  });
}

void SimClient::Failed(const StepPtr& step, const Status& status) {
  ++history_.errors;
  CheckError(*step, status);
  // The master may still hold the step.
  if (step->sets_up || !step->call.message.partial_run_handle().empty()) left_pieces_ = true;
  if (++failures_ > kFailuresInARow && !done_) {
    Wrong("does not recover");
    done_ = true;
  }
  // A failed initialization may still take effect later, and one whose effect is lost must be repeated: use a new
  // counter.
  const bool new_life =
      step->counter == counter_ && (step->initializes || status.code() == StatusCode::kFailedPrecondition);
  if (new_life) NewCounter();
  // The same session may work again: the next step will tell.
  if (new_life || world_.Chance(0.7)) {
    Hold();
    CloseSession([this] { Release(); });
  }
}

void SimClient::CheckError(const Step& step, const Status& status) {
  bool right = false;
  switch (status.code()) {
    case StatusCode::kUnavailable:
      right = history_.lost;
      break;
    case StatusCode::kAborted:
      right = history_.crashed || step.closing;
      break;
    case StatusCode::kDeadlineExceeded:
      right = step.timeout_ms <= history_.stalled_ms;
      break;
    case StatusCode::kCancelled:
      right = step.gave_up || step.closing;
      break;
    case StatusCode::kFailedPrecondition:  // the counter was lost with its task
      right = step.counter != nullptr && CrashesOfPs() > step.counter->ps_crashes;
      break;
    default:
      break;
  }
  if (!right) Wrong(fmt::format("{}: {}", step.what, status.ToString()));
}

}  // namespace weir
