#include "runtime/call_starter.h"

#include <algorithm>
#include <utility>

namespace weir {
namespace {

constexpr int kMaxNested = 8;
// A thread may be only lent, as one that receives messages: it returns after so many calls, and the pool goes on.
constexpr int kMaxCallsPerTurn = 256;

struct Starter {
  int nested = 0;
  std::vector<FunctionCall> waiting;
  size_t waiting_before = 0;  // when the current call was started
};

Starter*& Current() {
  thread_local Starter* current = nullptr;
  return current;
}

void Start(FunctionCall& call) { call.executor->Start(call.args, std::move(call.feeds), std::move(call.done)); }

// Calls were put aside from the inside out. The innermost one goes first.
void DeepestLast(Starter& starter) {
  std::reverse(starter.waiting.begin() + static_cast<ptrdiff_t>(starter.waiting_before), starter.waiting.end());
}

const CancelToken* CancelledBy(const FunctionCall& call) {
  for (const CancelToken* token : call.args.cancelled_by) {
    if (token->cancelled()) return token;
  }
  return nullptr;
}

void StartAll(std::vector<FunctionCall> calls);

// Calls of several sessions may meet on one thread: each goes to its own pool.
void HandOver(std::vector<FunctionCall> calls) {
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
      call.done(cancelled->reason());  // its step has failed meanwhile
    } else {
      Start(call);
    }
    DeepestLast(starter);
  }
  Current() = outer;
  HandOver(std::move(starter.waiting));
}

}  // namespace

void StartCall(FunctionCall call) {
  Starter* const starter = Current();
  if (starter == nullptr) {
    Starter outermost{.nested = 1};
    Current() = &outermost;
    Start(call);
    Current() = nullptr;
    DeepestLast(outermost);
    if (!outermost.waiting.empty()) StartAll(std::move(outermost.waiting));
  } else if (starter->nested >= kMaxNested || starter->waiting.size() > starter->waiting_before) {
    // Once a call waits, so do those that come after it: else each of them would add as many as it has calls inside.
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
