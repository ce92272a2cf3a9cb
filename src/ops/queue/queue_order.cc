#include "ops/queue/queue_order.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "base/rng.h"
#include "ops/math/random_numbers.h"

namespace weir::ops {
namespace {

class FifoOrder final : public QueueOrder {
 public:
  int64_t size() const override { return static_cast<int64_t>(elements_.size()); }
  void Add(QueueElement element) override { elements_.push_back(std::move(element)); }
  QueueElement Take() override {
    QueueElement first = std::move(elements_.front());
    elements_.pop_front();
    return first;
  }
  void PutBack(std::vector<QueueElement> elements) override {
    elements_.insert(elements_.begin(), std::make_move_iterator(elements.begin()),
                     std::make_move_iterator(elements.end()));
  }

 private:
  std::deque<QueueElement> elements_;
};

class RandomOrder final : public QueueOrder {
 public:
  explicit RandomOrder(const Philox& generator) : samples_(generator) {}
  int64_t size() const override { return static_cast<int64_t>(elements_.size()); }
  void Add(QueueElement element) override { elements_.push_back(std::move(element)); }
  QueueElement Take() override {
    std::swap(elements_[samples_() % elements_.size()], elements_.back());
    QueueElement taken = std::move(elements_.back());
    elements_.pop_back();
    return taken;
  }
  void PutBack(std::vector<QueueElement> elements) override {
    elements_.insert(elements_.end(), std::make_move_iterator(elements.rbegin()),
                     std::make_move_iterator(elements.rend()));
  }

 private:
  SingleSamples samples_;
  std::vector<QueueElement> elements_;
};

class PriorityOrder final : public QueueOrder {
 public:
  int64_t size() const override { return static_cast<int64_t>(heap_.size()); }
  void Add(QueueElement element) override {
    heap_.push_back(std::move(element));
    std::push_heap(heap_.begin(), heap_.end(), ComesLater);
  }
  QueueElement Take() override {
    std::pop_heap(heap_.begin(), heap_.end(), ComesLater);
    QueueElement first = std::move(heap_.back());
    heap_.pop_back();
    return first;
  }
  void PutBack(std::vector<QueueElement> elements) override {
    for (QueueElement& element : elements) Add(std::move(element));
  }

 private:
  static bool ComesLater(const QueueElement& a, const QueueElement& b) {
    const int64_t x = a.components[0].scalar<int64_t>();
    const int64_t y = b.components[0].scalar<int64_t>();
    return std::pair(x, a.arrival) > std::pair(y, b.arrival);
  }
  std::vector<QueueElement> heap_;  // min-heap
};

}  // namespace

std::unique_ptr<QueueOrder> MakeFifoOrder() { return std::make_unique<FifoOrder>(); }

std::unique_ptr<QueueOrder> MakeRandomOrder(int64_t seed, int64_t seed2) {
  if (seed == 0 && seed2 == 0) return std::make_unique<RandomOrder>(Philox(RealRng().Next64(), RealRng().Next64()));
  return std::make_unique<RandomOrder>(Philox(static_cast<uint64_t>(seed), static_cast<uint64_t>(seed2)));
}

std::unique_ptr<QueueOrder> MakePriorityOrder() { return std::make_unique<PriorityOrder>(); }

}  // namespace weir::ops
