// Tests the control edges that the pass adds. tests/python/update_order_test.py tests the results of steps.
#include "runtime/passes/order_updates.h"

#include "runtime/small_ops_test.h"

namespace weir {
namespace {

class OrderUpdatesTest : public SmallGraph {
 protected:
  // The plan for the fetches and targets: by node, its control inputs.
  std::map<std::string, std::vector<std::string>> WaitsOf(const OutputList& fetches, const std::vector<Node*>& targets,
                                                          const OutputList& feeds = {}, bool late_feeds = false) {
    Result<PlanGraph> pruned = PruneGraph(*graph_, feeds, fetches, targets);
    EXPECT_TRUE(pruned.ok()) << pruned.status();
    plan_ = *std::move(pruned);
    const Status status = OrderUpdates(plan_, registry_, late_feeds, report_);
    EXPECT_TRUE(status.ok()) << status;
    std::map<std::string, std::vector<std::string>> waits;
    for (const PlanGraph::Node& node : plan_.nodes) {
      for (int32_t control : node.control_inputs) waits[node.name()].push_back(plan_.nodes[control].name());
    }
    return waits;
  }
  using Waits = std::map<std::string, std::vector<std::string>>;
  PlanGraph plan_;
  PassReport report_;
};

TEST_F(OrderUpdatesTest, AnUpdateWaitsForUsesThatItDoesNotComeAfter) {
  Output v = Variable("v");
  Output read = Op("Identity", {v}, "read");
  Output used = Op("Add", {read, Const(1)}, "used");
  Output before = Op("Mul", {read, Const(2)}, "before");
  Node* update = Op("AssignAdd", {v, before}, "update").node;
  EXPECT_EQ(WaitsOf({}, {used.node, update}), (Waits{{"update", {"used"}}}));
  Output after = Op("Add", {read, Const(3)}, "after", {update});
  EXPECT_EQ(WaitsOf({}, {after.node, update}), (Waits{{"after", {"update"}}}));
  EXPECT_EQ(WaitsOf({used}, {}), Waits{});
}

TEST_F(OrderUpdatesTest, UpdatesAreNotOrderedAmongEachOther) {
  Output v = Variable("v");
  Node* one = Op("AssignAdd", {v, Const(1)}, "one").node;
  Node* two = Op("AssignAdd", {v, Const(2)}, "two").node;
  EXPECT_EQ(WaitsOf({}, {one, two}), Waits{});
}

TEST_F(OrderUpdatesTest, AFetchedVariableIsReadLast) {
  Output v = Variable("v");
  Node* update = Op("AssignAdd", {v, Const(1)}, "update").node;
  Output read = Op("Identity", {v}, "read");
  EXPECT_EQ(WaitsOf({v}, {update}), (Waits{{"v/_last", {"update"}}}));
  EXPECT_EQ(WaitsOf({read}, {update}), (Waits{{"v/_last", {"update"}}}));
  EXPECT_EQ(plan_.fetches[0].value.node, static_cast<int32_t>(plan_.nodes.size()) - 1);
  EXPECT_EQ(WaitsOf({v}, {}), Waits{});
}

TEST_F(OrderUpdatesTest, ACycleIsBrokenByACopy) {
  Output a = Variable("a");
  Output b = Variable("b");
  Node* first = Op("Assign", {a, Op("Identity", {b}, "of_b")}, "first").node;
  Node* second = Op("Assign", {b, Op("Identity", {a}, "of_a")}, "second").node;
  EXPECT_EQ(WaitsOf({}, {first, second}), (Waits{{"first", {"of_a/_read"}}, {"second", {"first"}}}));
  EXPECT_EQ(report_.copied, 1);
}

TEST_F(OrderUpdatesTest, NoUpdateWaitsForALaterFeed) {
  Output v = Variable("v");
  Output x = Placeholder("x");
  Output used = Op("Mul", {x, v}, "used");
  Node* update = Op("AssignAdd", {v, Const(1)}, "update").node;
  EXPECT_EQ(WaitsOf({}, {used.node, update}, {x}), (Waits{{"update", {"used"}}}));
  EXPECT_EQ(WaitsOf({}, {used.node, update}, {x}, /*late_feeds=*/true), (Waits{{"update", {"v/_read"}}}));
}

}  // namespace
}  // namespace weir
