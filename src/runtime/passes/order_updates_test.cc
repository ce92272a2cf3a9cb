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

TEST_F(OrderUpdatesTest, AnUpdateThatReadsTheVariableIsNotOrderedWithOtherUpdates) {
  Output v = Variable("v");
  Node* one = Op("AssignAdd", {v, Op("Identity", {v}, "read")}, "one").node;
  Node* two = Op("AssignAdd", {v, Const(2)}, "two").node;
  EXPECT_EQ(WaitsOf({}, {one, two}), Waits{});
}

TEST_F(OrderUpdatesTest, EveryUpdateOfManyWaitsForAUse) {
  Output v = Variable("v");
  Output used = Op("Add", {v, Const(1)}, "used");
  std::vector<Node*> targets = {used.node};
  Waits expected;
  for (int i = 0; i < 130; ++i) {
    const std::string name = fmt::format("update{}", i);
    targets.push_back(Op("AssignAdd", {v, Const(1)}, name).node);
    expected[name] = {"used"};
  }
  EXPECT_EQ(WaitsOf({}, targets), expected);
}

// A node that keeps its input gets a copy even if the graph orders it before the update.
TEST_F(OrderUpdatesTest, AKeptValueIsCopiedIfAnUpdateFollows) {
  registry_.Add({.name = "Keep", .signature = "x: float -> y: float", .traits = kNeverBlocks, .stateful = true});
  Output v = Variable("v");
  Output kept = Op("Keep", {Op("Identity", {v}, "read")}, "kept");
  Node* update = Op("AssignAdd", {v, kept}, "update").node;
  EXPECT_EQ(WaitsOf({}, {update}), Waits{});
  EXPECT_EQ(report_.copied, 1);
  WaitsOf({}, {kept.node});
  EXPECT_EQ(report_.copied, 1);  // no update in this plan
}

TEST_F(OrderUpdatesTest, AllUpdatesWaitForACopy) {
  Output v = Variable("v");
  Output x = Placeholder("x");
  Output used = Op("Mul", {x, v}, "used");
  Node* early = Op("AssignAdd", {v, Const(1)}, "early").node;
  Node* late = Op("AssignAdd", {v, x}, "late").node;  // could wait for `used`, but that reads the copy
  EXPECT_EQ(WaitsOf({}, {used.node, early, late}, {x}, /*late_feeds=*/true),
            (Waits{{"early", {"v/_read"}}, {"late", {"v/_read"}}}));
}

TEST_F(OrderUpdatesTest, NoUpdateWaitsForACopyThatWaitsForALaterFeed) {
  Output v = Variable("v");
  Output x = Placeholder("x");
  Output late = Op("Add", {x, Const(1)}, "late");
  Output read = Op("Identity", {v}, "read", {late.node});
  Node* update = Op("AssignAdd", {v, Const(1)}, "update").node;
  EXPECT_EQ(WaitsOf({read}, {update}, {x}, /*late_feeds=*/true), (Waits{{"read", {"late"}}}));
  EXPECT_EQ(report_.copied, 1);
}

TEST_F(OrderUpdatesTest, AFetchInPiecesDoesNotWaitForAnUpdateByALaterFeed) {
  Output v = Variable("v");
  Output x = Placeholder("x");
  Node* update = Op("AssignAdd", {v, x}, "update").node;
  EXPECT_EQ(WaitsOf({v}, {update}, {x}), (Waits{{"v/_last", {"update"}}}));
  EXPECT_EQ(WaitsOf({v}, {update}, {x}, /*late_feeds=*/true), Waits{});
}

TEST_F(OrderUpdatesTest, AddedNodesHaveTheDeviceOfTheVariableAndNewNames) {
  Output v, x;
  {
    DeviceScope on(*graph_, "/device:CPU:1");
    v = Variable("v");
  }
  x = Placeholder("x");
  Output taken = Op("Identity", {x}, "v/_read");
  Output used = Op("Mul", {x, v}, "used");
  Node* update = Op("AssignAdd", {v, Const(1)}, "update").node;
  EXPECT_EQ(WaitsOf({taken}, {used.node, update}, {x}, /*late_feeds=*/true), (Waits{{"update", {"v/_read_1"}}}));
  EXPECT_EQ(plan_.nodes.back().name(), "v/_read_1");
  EXPECT_EQ(plan_.nodes.back().device, "/device:CPU:1");
}

}  // namespace
}  // namespace weir
