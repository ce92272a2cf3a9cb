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

constexpr int64_t kMilli = 1'000'000;
constexpr int64_t kAnswerMs = 2'000;   // what a master gets beyond a step's own timeout, as RemoteSession gives it
constexpr int64_t kNoticeMs = 25'000;  // how long a dead peer may go unnoticed
constexpr int64_t kSessionTimeoutMs = 10'000;
constexpr int kFailuresInARow = 60;

constexpr char kPs[] = "/job:ps/task:0";
constexpr char kWorker0[] = "/job:worker/task:0";
constexpr char kWorker1[] = "/job:worker/task:1";

}  // namespace

struct SimClient::Step {
  std::string what;
  RunStepCall call;
  CancelToken cancel;
  int64_t started = 0;
  int64_t timeout_ms = 0;
  bool gave_up = false;  // the client cancelled it
  bool closing = false;  // the client closes the session meanwhile
  bool adds = false;
  bool initializes = false;
  int waits_for = 1;  // its own end, and that of closing
  std::function<void(const std::vector<NamedTensor>&)> check;
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

void SimClient::After(int64_t nanos, std::function<void()> then) { world_.After(nanos, std::move(then)); }

void SimClient::Wrong(const std::string& what) {
  history_.wrong.push_back(fmt::format("{}: {}", name_, what));
  world_.Note("WRONG: " + history_.wrong.back());
}

void SimClient::BuildGraph() {
  Graph graph(registry_);
  graph.set_constant_evaluator(MakeLocalConstantEvaluator());
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
                                {.name = fmt::format("count_{}_{}", options_.number, counter_.life)});
      init_ = Assign(count, Constant(graph, Tensor::Scalar(int64_t{0}))).node->name();
      added = AssignAdd(count, amount);
    }
    DeviceScope scope(graph, kWorker0);
    add_ = Identity(added).name();
    bit_ = bit.name();
  }
  {
    Output x = Placeholder(graph, kInt32, {.name = "x"});
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
    product_ = Mul(three, sum).name();
    sums_ = sum.name();
    x_ = x.name();
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
                             return Next();
                           }
                           const StatusCode code = response.status().code();
                           const bool right = (code == StatusCode::kUnavailable && history_.lost) ||
                                              (code == StatusCode::kDeadlineExceeded && history_.stalled);
                           if (!right) Wrong(fmt::format("creating a session: {}", response.status().ToString()));
                           if (++failures_ > kFailuresInARow) {
                             Wrong("gets no session");
                             done_ = true;
                             return;
                           }
                           After(world_.Between(50, 500) * kMilli, [this] { Next(); });
                         });
}

void SimClient::CloseSession(std::function<void()> then) {
  tensorflow::CloseSessionRequest request;
  request.set_session_handle(std::exchange(handle_, ""));
  if (request.session_handle().empty()) return then();
  master_->CloseSession(std::move(request), CallOptions{.timeout_ms = kSessionTimeoutMs},
                        [this, then = std::move(then)](const Result<tensorflow::CloseSessionResponse>& response) {
                          const StatusCode code = response.status().code();
                          const bool right = response.ok() || (code == StatusCode::kUnavailable && history_.lost) ||
                                             (code == StatusCode::kAborted && history_.crashed) ||
                                             (code == StatusCode::kDeadlineExceeded && history_.stalled);
                          if (!right) Wrong(fmt::format("closing a session: {}", response.status().ToString()));
                          then();
                        });
}

void SimClient::NewLife() {
  const int life = counter_.life + 1;
  counter_ = Counter();
  counter_.life = life;
  BuildGraph();
}

// ---- steps ----

void SimClient::Next() {
  if (done_) return;
  if (steps_ >= options_.steps) {
    CloseSession([this] { done_ = true; });
    return;
  }
  if (handle_.empty()) return CreateSession();
  if (!counter_.initialized) return Send(NewInit());
  const int kind = options_.in_turn ? steps_ % 3 : static_cast<int>(world_.rng().Below(4));
  ++steps_;
  switch (kind) {
    case 0:
      return Send(NewSums());
    case 1:
      return Send(NewLoop());
    default:
      return Send(NewAdd());
  }
}

std::shared_ptr<SimClient::Step> SimClient::NewInit() {
  auto step = std::make_shared<Step>();
  step->what = fmt::format("init of life {}", counter_.life);
  step->initializes = true;
  step->call.message.add_target(init_);
  counter_.ps_crashes = static_cast<int>(CrashesOfPs());
  step->check = [this](const std::vector<NamedTensor>&) { counter_.initialized = true; };
  return step;
}

std::shared_ptr<SimClient::Step> SimClient::NewAdd() {
  auto step = std::make_shared<Step>();
  const int64_t bit = int64_t{1} << counter_.next_bit++;
  step->what = fmt::format("add {:#x}", bit);
  step->adds = true;
  step->call.tensors.push_back({bit_, Tensor::Scalar(bit)});
  step->call.message.add_fetch(add_);
  counter_.attempted |= bit;
  step->check = [this, bit](const std::vector<NamedTensor>& values) {
    counter_.applied |= bit;
    const int64_t value = values[0].tensor.scalar<int64_t>();
    if ((value & counter_.applied) != counter_.applied || (value & ~counter_.attempted) != 0) {
      Wrong(fmt::format("the counter is {:#x}, but {:#x} was applied and {:#x} attempted", value, counter_.applied,
                        counter_.attempted));
    }
    counter_.applied |= value & counter_.attempted;  // what was seen once stays
  };
  return step;
}

std::shared_ptr<SimClient::Step> SimClient::NewSums() {
  auto step = std::make_shared<Step>();
  const auto x = static_cast<int32_t>(world_.Between(0, 1000));
  step->what = fmt::format("sums of {}", x);
  step->call.tensors.push_back({x_, Tensor::Scalar(x)});
  for (const std::string& fetch : {sums_, product_, x_}) step->call.message.add_fetch(fetch);
  step->check = [this, x](const std::vector<NamedTensor>& values) {
    const int32_t wanted[] = {4 * x, 12 * x * x, x};
    for (int i = 0; i < 3; ++i) {
      if (const auto value = values[i].tensor.scalar<int32_t>(); value != wanted[i])
        Wrong(fmt::format("{} is {}, not {}", values[i].name, value, wanted[i]));
    }
  };
  return step;
}

std::shared_ptr<SimClient::Step> SimClient::NewLoop() {
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

void SimClient::Send(const std::shared_ptr<Step>& step) {
  step->started = world_.now();
  step->timeout_ms = options_.timeout_ms > 0 ? options_.timeout_ms : world_.Chance(0.5) ? 3'000 : 10'000;
  step->call.message.set_session_handle(handle_);
  step->call.message.mutable_options()->set_timeout_in_ms(static_cast<int32_t>(step->timeout_ms));
  // Half of them rely on the master alone, and on the connection to it.
  const int64_t own_timeout = world_.Chance(0.5) ? step->timeout_ms + kAnswerMs : 0;
  world_.Note(fmt::format("{} begins: {}", name_, step->what));
  if (!options_.in_turn && world_.Chance(0.05)) {
    After(world_.Between(0, 20 * kMilli), [step] {
      step->gave_up = true;
      step->cancel.Cancel(Cancelled("the client changed its mind"));
    });
  } else if (!options_.in_turn && world_.Chance(0.03)) {
    step->waits_for = 2;
    After(world_.Between(0, 20 * kMilli), [this, step] {
      step->closing = true;
      CloseSession([this, step] {
        if (--step->waits_for == 0) Next();
      });
    });
  }
  RunStepCall call = step->call;
  master_->RunStep(std::move(call), CallOptions{.timeout_ms = own_timeout, .cancel = &step->cancel},
                   [this, step](Result<RunStepReply> reply) { Ended(step, std::move(reply)); });
}

void SimClient::Ended(const std::shared_ptr<Step>& step, Result<RunStepReply> reply) {
  world_.Note(fmt::format("{} ends: {}: {}", name_, step->what,
                          reply.ok() ? "right" : std::string(reply.status().message()).substr(0, 200)));
  if (world_.now() - step->started > (step->timeout_ms + kNoticeMs) * kMilli)
    Wrong(fmt::format("{} took {} ms", step->what, (world_.now() - step->started) / kMilli));
  int64_t pause = world_.Between(0, 400) * kMilli;
  if (reply.ok()) {
    failures_ = 0;
    ++history_.steps;
    if (static_cast<int>(reply->tensors.size()) != step->call.message.fetch_size()) {
      Wrong(fmt::format("{}: {} values came", step->what, reply->tensors.size()));
    } else {
      step->check(reply->tensors);
    }
  } else {
    ++history_.errors;
    CheckError(*step, reply.status());
    if (++failures_ > kFailuresInARow) {
      Wrong("does not recover");
      done_ = true;
      return;
    }
    // An initialization that failed may still come to pass, and one whose effect is gone must be done again.
    const bool new_life = step->initializes || reply.status().code() == StatusCode::kFailedPrecondition;
    if (new_life) NewLife();
    // What failed may work again in the same session: the next step tells.
    if (new_life || world_.Chance(0.7)) {
      ++step->waits_for;
      CloseSession([this, step] {
        if (--step->waits_for == 0) Next();
      });
    }
    pause = world_.Between(50, 500) * kMilli;
  }
  After(pause, [this, step] {
    if (--step->waits_for == 0) Next();
  });
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
      right = history_.stalled;
      break;
    case StatusCode::kCancelled:
      right = step.gave_up || step.closing;
      break;
    case StatusCode::kFailedPrecondition:  // the counter was lost with its task
      right = step.adds && CrashesOfPs() > counter_.ps_crashes;
      break;
    default:
      break;
  }
  if (!right) Wrong(fmt::format("{}: {}", step.what, status.ToString()));
}

}  // namespace weir
