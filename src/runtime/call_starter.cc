#include "runtime/call_starter.h"

#include <algorithm>
#include <utility>

namespace weir {
namespace {

constexpr int kMaxNested = 8;
// The thread may be borrowed, e.g. from the transport: it returns after this many calls, and the pool runs the others.
constexpr int kMaxCallsPerTurn = 256;

struct Starter {
  int nested = 0;
  std::vector<FunctionCall> waiting;
  size_t waiting_before = 0;  // waiting.size() when the current call was started
};

Starter*& Current() {
  thread_local Starter* current = nullptr;
  return current;
}

void Start(FunctionCall& call) { call.executor->Start(call.args, std::move(call.feeds), std::move(call.done)); }

// Calls were queued from the inside out. Reverses them, so that the innermost one is started first.
void ReverseNewCalls(Starter& starter) {
  std::reverse(starter.waiting.begin() + static_cast<ptrdiff_t>(starter.waiting_before), starter.waiting.end());
}

const CancelToken* CancelledBy(const FunctionCall& call) {
  for (const CancelToken* token : call.args.cancelled_by) {
    if (token->cancelled()) return token;
  }
  return nullptr;
}

void StartAll(std::vector<FunctionCall> calls);

// Hands the calls to their pools. A thread may have calls of several sessions, with different pools.
void ScheduleOnPools(std::vector<FunctionCall> calls) {
  while (!calls.empty()) {
    ThreadPool* const pool = calls.back().args.pool;
    const auto is_other = [pool](const FunctionCall& call) { return call.args.pool != pool; };
    auto same = std::make_shared<std::vector<FunctionCall>>();
    if (std::none_of(calls.begin(), calls.end(), is_other)) {
      same->swap(calls);
    } else {
      const auto first = std::stable_partition(calls.begin(), calls.end(), is_other);
      same->assign(std::make_move_iterator(first), std::make_move_iterator(calls.end()));
      calls.erase(first, calls.end());
    }
    pool->Schedule([same] { StartAll(std::move(*same)); });
  }
}

void StartAll(std::vector<FunctionCall> calls) {
  Starter starter{.nested = 1, .waiting = std::move(calls)};
  Starter* const outer = std::exchange(Current(), &starter);
  for (int turn = 0; turn < kMaxCallsPerTurn && !starter.waiting.empty(); ++turn) {
    FunctionCall call = std::move(starter.waiting.back());
    starter.waiting.pop_back();
    starter.waiting_before = starter.waiting.size();
    if (const CancelToken* const cancelled = CancelledBy(call)) {
      call.done(cancelled->reason());  // the calling step has failed in the meantime
    } else {
      Start(call);
    }
    ReverseNewCalls(starter);
  }
  Current() = outer;
  ScheduleOnPools(std::move(starter.waiting));
}

}  // namespace

void StartCall(FunctionCall call) {
  Starter* const starter = Current();
  if (starter == nullptr) {
    Starter outermost{.nested = 1};
    Current() = &outermost;
    Start(call);
    Current() = nullptr;
    ReverseNewCalls(outermost);
    if (!outermost.waiting.empty()) StartAll(std::move(outermost.waiting));
  } else if (starter->nested >= kMaxNested || starter->waiting.size() > starter->waiting_before) {
    // Once a call is queued, later calls are queued too. Otherwise each of them would add its own inner calls to the
    // list.
    starter->waiting.push_back(std::move(call));
  } else {
    ++starter->nested;
    Start(call);
    --starter->nested;
  }
}

CallStarterPause::CallStarterPause() : outer_(std::exchange(Current(), nullptr)) {}
CallStarterPause::~CallStarterPause() { Current() = static_cast<Starter*>(outer_); }

}  // namespace weir
