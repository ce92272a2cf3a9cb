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

// A value that may come from either of two, depending on a placeholder.
class OrderUpdatesMergeTest : public OrderUpdatesTest {
 protected:
  Output Either(Output a, Output b) {
    Output p = Placeholder("p", {}, kBool);
    return Merge({Output(Op("Switch", {a, p}).node, 1), Output(Op("Switch", {b, p}).node, 0)});
  }
};

TEST_F(OrderUpdatesMergeTest, AUseWaitsForAnUpdateThatAMergeMayNotWaitFor) {
  Output v = Variable("v");
  Node* update = Op("AssignAdd", {v, Const(1)}, "update").node;
  Output late = Op("Add", {Const(1), Const(2)}, "late", {update});
  Output used = Op("Add", {v, Either(late, Const(3))}, "used");
  EXPECT_EQ(WaitsOf({used}, {}), (Waits{{"late", {"update"}}, {"used", {"used/_order"}}, {"used/_order", {"update"}}}));
  Output always = Op("Add", {v, Either(late, late)}, "always");
  EXPECT_EQ(WaitsOf({always}, {}), (Waits{{"late", {"update"}}}));
}

TEST_F(OrderUpdatesMergeTest, AnUpdateWaitsForAUseThatAMergeMayNotWaitFor) {
  Output v = Variable("v");
  Output used = Op("Add", {v, Const(1)}, "used");
  Node* update = Op("AssignAdd", {v, Either(used, Const(3))}, "update").node;
  EXPECT_EQ(WaitsOf({}, {update}), (Waits{{"update", {"update/_order"}}, {"update/_order", {"used"}}}));
  Node* always = Op("AssignAdd", {v, Either(used, used)}, "always").node;
  EXPECT_EQ(WaitsOf({}, {always}), Waits{});
}

TEST_F(OrderUpdatesMergeTest, AnAliasBehindAMergeIsFetchedAfterTheUpdate) {
  Output v = Variable("v");
  Node* update = Op("AssignAdd", {v, Const(1)}, "update").node;
  Output late = Op("Identity", {v}, "late", {update});
  EXPECT_EQ(WaitsOf({Either(late, Const(3))}, {}),
            (Waits{{"late", {"update"}}, {"Merge/_read", {"Merge/_read/_order"}}, {"Merge/_read/_order", {"update"}}}));
  EXPECT_EQ(report_.copied, 0);
}

TEST_F(OrderUpdatesMergeTest, NothingWaitsForALaterFeedOfTheOtherInput) {
  Output v = Variable("v");
  Output x = Placeholder("x");
  Node* update = Op("AssignAdd", {v, x}, "update").node;
  Output late = Op("Add", {Const(1), Const(2)}, "late", {update});
  Output used = Op("Add", {v, Either(late, Const(3))}, "used");
  EXPECT_EQ(WaitsOf({used}, {}, {x}, /*late_feeds=*/true), (Waits{{"late", {"update"}}}));
  Output early = Op("Mul", {x, v}, "early");
  Node* after = Op("AssignAdd", {v, Either(early, Const(3))}, "after").node;
  EXPECT_EQ(WaitsOf({}, {after}, {x}, /*late_feeds=*/true), Waits{});
}

// Ops with traits that the others do not have.
class OrderUpdatesTraitsTest : public OrderUpdatesTest {
 protected:
  OrderUpdatesTraitsTest() {
    registry_.Add({.name = "Shared",
                   .signature = "-> ref: Ref(float)",
                   .attrs = {"container: string", "shared_name: string"},
                   .traits = {.state = StateRole::kVariable, .may_block = false},
                   .stateful = true});
    registry_.Add({.name = "Handle",
                   .signature = "-> resource: resource",
                   .traits = {.state = StateRole::kVariableHandle, .may_block = false},
                   .stateful = true});
    registry_.Add({.name = "ReadHandle",
                   .signature = "resource: resource -> value: float",
                   .traits = kVariableRead,
                   .stateful = true});
    registry_.Add({.name = "AddToHandle",
                   .signature = "resource: resource, value: float ->",
                   .traits = kVariableUpdate,
                   .stateful = true});
    registry_.Add({.name = "Peek", .signature = "ref: Ref(float) -> y: float", .traits = kVariableRead});
    registry_.Add({.name = "Second",
                   .signature = "x: float, y: float -> z: float",
                   .traits = {.memory = OutputMemory::kForwardsRest}});
    registry_.Add(
        {.name = "Bits", .signature = "x: float -> y: int32", .traits = {.memory = OutputMemory::kMayShareAnyType}});
    registry_.Add({.name = "OfBits", .signature = "x: int32 -> y: float"});
    registry_.Add({.name = "Twice",
                   .signature = "x: float -> y: float, z: float",
                   .shape = [](ShapeContext& c) -> Status {
                     c.set_output(0, PartialShape::Scalar());
                     return OkStatus();
                   },
                   .traits = kForwardsInput});
  }
  Output SharedVariable(std::string name, std::string container, std::string shared_name) {
    NodeBuilder builder(*graph_, "Shared", std::move(name));
    return Make(builder.Attr("container", std::move(container)).Attr("shared_name", std::move(shared_name)));
  }
};

TEST_F(OrderUpdatesTraitsTest, VariablesWithOneContainerAndSharedNameAreOne) {
  Output used = Op("Add", {SharedVariable("a", "", "s"), Const(1)}, "used");
  Node* same = Op("AssignAdd", {SharedVariable("b", "", "s"), Const(1)}, "same").node;
  Node* other = Op("AssignAdd", {SharedVariable("c", "elsewhere", "s"), Const(1)}, "other").node;
  EXPECT_EQ(WaitsOf({}, {used.node, same, other}), (Waits{{"same", {"used"}}}));
}

TEST_F(OrderUpdatesTraitsTest, AReadOfAResourceIsNeverCopied) {
  Output handle = Op("Handle", {}, "handle");
  Output x = Placeholder("x");
  Output late = Op("Add", {x, Const(1)}, "late");
  Output read = Op("ReadHandle", {handle}, "read", {late.node});
  Node* update = Op("AddToHandle", {handle, Const(1)}, "update").node;
  EXPECT_EQ(WaitsOf({}, {read.node, update}, {x}), (Waits{{"read", {"late"}}, {"update", {"read"}}}));
  EXPECT_EQ(WaitsOf({}, {read.node, update}, {x}, /*late_feeds=*/true), (Waits{{"read", {"late"}}}));
  EXPECT_EQ(report_.copied, 0);
}

TEST_F(OrderUpdatesTraitsTest, AFedHandleIsAVariable) {
  Output handle = Placeholder("handle", {}, kResource);
  Output read = Op("ReadHandle", {handle}, "read");
  Node* update = Op("AddToHandle", {handle, Const(1)}, "update").node;
  EXPECT_EQ(WaitsOf({}, {read.node, update}, {handle}), (Waits{{"update", {"read"}}}));
}

TEST_F(OrderUpdatesTraitsTest, AnOpThatReadsAReferenceIsAUse) {
  Output v = Variable("v");
  Output peek = Op("Peek", {v}, "peek");
  Node* update = Op("AssignAdd", {v, Const(1)}, "update").node;
  EXPECT_EQ(WaitsOf({}, {peek.node, update}), (Waits{{"update", {"peek"}}}));
}

TEST_F(OrderUpdatesTraitsTest, UsesFollowTheMemoryOfTheVariable) {
  Output v = Variable("v");
  Output second = Op("Second", {v, Const(1)}, "second");  // its result is never its first input
  Output of_second = Op("Add", {second, Const(2)}, "of_second");
  Output bits = Op("Bits", {v}, "bits");
  Output of_bits = Op("OfBits", {bits}, "of_bits");
  Node* update = Op("AssignAdd", {v, Const(1)}, "update").node;
  EXPECT_EQ(WaitsOf({}, {of_second.node, update}), (Waits{{"update", {"second"}}}));
  EXPECT_EQ(WaitsOf({}, {of_bits.node, update}), (Waits{{"update", {"of_bits"}}}));
}

TEST_F(OrderUpdatesTraitsTest, ACopyHasTheShapeOfItsOwnOutput) {
  Output v = Variable("v");
  Output twice = Op("Twice", {v}, "twice");
  Node* update = Op("AssignAdd", {v, Const(1)}, "update").node;
  EXPECT_EQ(WaitsOf({Output(twice.node, 1)}, {update}), (Waits{{"update", {"twice/_read"}}}));
  EXPECT_EQ(plan_.nodes.back().name(), "twice/_read");
  EXPECT_FALSE(plan_.nodes.back().shape.known_rank());
}

class OrderUpdatesLoopTest : public OrderUpdatesTest {
 protected:
  // The variable inside of a loop.
  Output RefEnter(Output v, const std::string& frame, std::string name) {
    NodeBuilder builder(*graph_, "RefEnter", std::move(name));
    return Make(builder.In(v).Attr("frame_name", frame).Attr("is_constant", true));
  }
  // A loop whose body builds nodes with `body`, which gets the loop variable.
  Output Loop(const std::string& frame, const std::function<Output(Output)>& body) {
    return While(Const(0), Const(3), frame, body);
  }
};

// Only the loop's use of the variable waits for what comes before its update.
TEST_F(OrderUpdatesLoopTest, ALoopIsOneNodeToOthers) {
  Output v = Variable("v");
  Output inside = RefEnter(v, "loop", "enter");
  Output end = Loop("loop", [&](Output x) { return Op("Add", {Op("AssignAdd", {inside, x}, "update"), x}); });
  Output used = Op("Add", {v, Const(1)}, "used");
  EXPECT_EQ(WaitsOf({}, {end.node, used.node}), (Waits{{"enter", {"enter/_order"}}, {"enter/_order", {"used"}}}));
}

TEST_F(OrderUpdatesLoopTest, AnUpdateOutsideWaitsForTheEndOfALoop) {
  Output v = Variable("v");
  Output inside = RefEnter(v, "loop", "enter");
  Output end = Loop("loop", [&](Output x) { return Op("Add", {inside, x}); });
  Node* update = Op("AssignAdd", {v, Const(1)}, "update").node;
  EXPECT_EQ(WaitsOf({}, {end.node, update}),
            (Waits{{"update", {"update/_order"}}, {"update/_order", {end.node->name()}}}));
}

TEST_F(OrderUpdatesLoopTest, AnUpdateInALoopWaitsForTheUsesOfItsIteration) {
  Output v = Variable("v");
  Output inside = RefEnter(v, "loop", "enter");
  Output end = Loop("loop", [&](Output x) {
    Output used = Op("Add", {inside, x}, "used");
    Output update = Op("AssignAdd", {inside, x}, "update");
    return Op("Add", {used, Op("Mul", {x, x}, "next", {update.node})});
  });
  Waits waits = WaitsOf({}, {end.node});
  waits.erase("next");
  EXPECT_EQ(waits, (Waits{{"update", {"update/_order"}}, {"update/_order", {"used"}}}));
}

TEST_F(OrderUpdatesLoopTest, AFetchWaitsForTheEndOfTheOutermostLoop) {
  Output v = Variable("v");
  Output outside = RefEnter(v, "outer", "enter");
  Output inside = RefEnter(outside, "inner", "enter_inner");
  Output end = Loop("outer", [&](Output x) {
    return While(x, Op("Add", {x, x}), "inner", [&](Output y) {
      return Op("Add", {Op("AssignAdd", {inside, y}, "update"), y});
    });
  });
  EXPECT_EQ(WaitsOf({v}, {end.node}), (Waits{{"v/_last", {"v/_last/_order"}}, {"v/_last/_order", {end.node->name()}}}));
}

TEST_F(OrderUpdatesLoopTest, AnUpdateOfTwoVariablesWaitsWhereItEntersWithTheUsedOne) {
  registry_.Add({.name = "AddBoth",
                 .signature = "a: Ref(float), b: Ref(float), x: float -> y: Ref(float)",
                 .traits = kVariableUpdate});
  Output a = Variable("a"), b = Variable("b");
  Output a_inside = RefEnter(a, "loop", "enter_a"), b_inside = RefEnter(b, "loop", "enter_b");
  Output end = Loop("loop", [&](Output x) { return Op("Add", {Op("AddBoth", {a_inside, b_inside, x}), x}); });
  Output used = Op("Add", {a, Const(1)}, "used");
  EXPECT_EQ(WaitsOf({}, {end.node, used.node}), (Waits{{"enter_a", {"enter_a/_order"}}, {"enter_a/_order", {"used"}}}));
}

TEST_F(OrderUpdatesLoopTest, AUseBehindALoopWaitsForTheUpdatesThatOnlyItsBodyWaitsFor) {
  Output v = Variable("v");
  Node* update = Op("AssignAdd", {v, Const(1)}, "update").node;
  Output inside = Enter(Op("Add", {Const(1), Const(2)}, "late", {update}), "loop", /*constant=*/true);
  Output end = While(Const(5), Const(3), "loop", [&](Output x) { return Op("Add", {inside, x}); });
  Output used = Op("Add", {v, end}, "used");
  EXPECT_EQ(WaitsOf({used}, {}), (Waits{{"late", {"update"}}, {"used", {"used/_order"}}, {"used/_order", {"update"}}}));
}

TEST_F(OrderUpdatesLoopTest, AnUpdateBehindALoopWaitsForTheUsesOfItsBody) {
  Output v = Variable("v");
  Output used = Op("Add", {v, Const(1)}, "used");
  Output inside = Enter(used, "loop", /*constant=*/true);
  Output end = While(Const(5), Const(3), "loop", [&](Output x) { return Op("Add", {inside, x}); });
  Node* update = Op("AssignAdd", {v, end}, "update").node;
  // The loop may read the memory of `v` through `used`.
  EXPECT_EQ(WaitsOf({}, {update}),
            (Waits{{"update", {"update/_order"}}, {"update/_order", {"used", end.node->name()}}}));
}

TEST_F(OrderUpdatesLoopTest, ALoopThatComesAfterAnUpdateIsEnteredAfterIt) {
  Output v = Variable("v");
  Output read = Op("Identity", {v}, "read");
  Node* update = Op("AssignAdd", {v, Const(1)}, "update").node;
  Output inside = Enter(read, "loop", /*constant=*/true);
  Output start = Op("Add", {Const(0), Const(0)}, "start", {update});
  Output end = While(start, Const(3), "loop", [&](Output x) { return Op("Add", {inside, x}); });
  EXPECT_EQ(WaitsOf({}, {end.node}),
            (Waits{{"start", {"update"}}, {"read/_read", {"read/_read/_order"}}, {"read/_read/_order", {"update"}}}));
  EXPECT_EQ(report_.copied, 0);
}

}  // namespace
}  // namespace weir
