// Accumulator: a resource that adds up gradients until enough are there to be taken. Gradients of steps before its
// global step are stale and dropped; taking moves the global step on by one. Who has to wait is served strictly in the
// order of arrival and holds no thread meanwhile.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "op/cancel.h"
#include "op/resource.h"
#include "ops/queue/gradient_sum.h"

namespace weir::ops {

struct AccumulatorSpec {
  bool sparse = false;
  std::string name;  // for messages
  DType dtype = kFloat;
  PartialShape shape;  // what all gradients must fit
  bool mean = true;    // else the sum is given
};

// Thread-safe. Callbacks run without its lock, on the thread that makes the wait end or on the caller's.
class Accumulator final : public Resource {
 public:
  explicit Accumulator(AccumulatorSpec spec) : spec_(std::move(spec)) {}
  const AccumulatorSpec& spec() const { return spec_; }

  using TakeDone = std::function<void(Result<std::vector<Tensor>>)>;

  // Adds a gradient, unless it is stale.
  Status Apply(int64_t local_step, GradientInput gradient);
  // Gives what was added up as soon as it comes of `num_required` gradients or more, and starts anew.
  // `cancel` outlives the call of `done`.
  void Take(int64_t num_required, CancelToken& cancel, TakeDone done);
  void SetGlobalStep(int64_t step);
  int64_t num_accumulated() const;
  std::string DebugString() const override;

 private:
  struct Waiter {
    int64_t num_required = 0;
    CancelToken* cancel = nullptr;
    CancelToken::Id cancel_id = 0;
    TakeDone done;
  };
  using Waiters = std::map<uint64_t, Waiter>;  // by order of arrival
  struct Ended {
    Waiter waiter;
    Status status;
    std::unique_ptr<GradientSum> sum;
    int64_t count = 0;
  };

  void CancelWaiter(uint64_t id);
  // At most one can be served with what there is.
  void ServeLocked(std::vector<Ended>& ended);
  void Report(std::vector<Ended> ended) const;

  const AccumulatorSpec spec_;
  mutable std::mutex mu_;
  std::unique_ptr<GradientSum> sum_;  // null: nothing added yet
  int64_t count_ = 0;
  int64_t global_step_ = 0;
  uint64_t next_waiter_ = 0;
  Waiters waiters_;
};

}  // namespace weir::ops
