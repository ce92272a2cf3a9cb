#include "runtime/chrome_trace.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace weir {
namespace {

void AddNode(tensorflow::DeviceStepStats* device, const char* label, int64_t start, int64_t duration,
             int64_t bytes = 0) {
  tensorflow::NodeExecStats* node = device->add_node_stats();
  node->set_node_name(std::string(label).substr(0, std::string(label).find(' ')));
  node->set_timeline_label(label);
  node->set_all_start_micros(start);
  node->set_all_end_rel_micros(duration);
  if (bytes == 0) return;
  auto* memory = node->add_output()->mutable_tensor_description()->mutable_allocation_description();
  memory->set_requested_bytes(bytes);
  memory->set_allocator_name("cpu");
}

nlohmann::json Events(const tensorflow::StepStats& stats, const ChromeTraceOptions& options, const std::string& kind) {
  nlohmann::json found = nlohmann::json::array();
  const nlohmann::json trace = nlohmann::json::parse(ChromeTrace(stats, options));
  for (const auto& event : trace["traceEvents"])
    if (event["ph"] == kind) found.push_back(event);
  return found;
}

tensorflow::StepStats TwoBranches() {
  tensorflow::StepStats stats;
  auto* device = stats.add_dev_stats();
  device->set_device("/job:localhost/replica:0/task:0/device:CPU:0");
  AddNode(device, "a = Const()", 100, 5, 4);
  AddNode(device, "b = Neg(a)", 105, 20, 8);
  AddNode(device, "c = Exp(a, ^b)", 110, 0);
  return stats;
}

TEST(ChromeTrace, OverlappingOpsGetSeparateLanes) {
  const auto ops = Events(TwoBranches(), {}, "X");
  ASSERT_EQ(ops.size(), 3u);
  EXPECT_EQ(ops[0]["name"], "Const");
  EXPECT_EQ(ops[1]["tid"], 0);
  EXPECT_EQ(ops[1]["args"]["input0"], "a");
  EXPECT_EQ(ops[1]["dur"], 20);
  EXPECT_EQ(ops[2]["tid"], 1);
  EXPECT_EQ(ops[2]["dur"], 1);  // at least 1, so that it is visible
  EXPECT_EQ(ops[2]["args"]["input1"], "b");
  EXPECT_EQ(Events(TwoBranches(), {}, "M")[0]["args"]["name"], "/job:localhost/replica:0/task:0/device:CPU:0 Compute");
}

TEST(ChromeTrace, ArrowsGoBetweenLanes) {
  EXPECT_EQ(Events(TwoBranches(), {}, "s").size(), 2u);  // from a and b, in lane 0, to c
  EXPECT_EQ(Events(TwoBranches(), {.show_dataflow = false}, "s").size(), 0u);
}

TEST(ChromeTrace, MemoryRisesAndFalls) {
  const auto counters = Events(TwoBranches(), {.show_memory = true}, "C");
  ASSERT_EQ(counters.size(), 4u);
  EXPECT_EQ(counters[1]["args"]["cpu"], 12);
  EXPECT_EQ(counters[3]["args"]["cpu"], 0);
}

TEST(ChromeTrace, OddLabels) {
  tensorflow::StepStats stats;
  auto* device = stats.add_dev_stats();
  AddNode(device, "", 1, 1);
  AddNode(device, "x = ", 1, 1);
  AddNode(device, "x = Op(", 1, 1);
  AddNode(device, "(x = )", 1, 1);
  AddNode(device, "\xff = Op(\"\n\")", 1, 1);
  EXPECT_EQ(Events(stats, {.show_memory = true}, "X").size(), 5u);
  EXPECT_EQ(nlohmann::json::parse(ChromeTrace({}))["traceEvents"].size(), 0u);
}

}  // namespace
}  // namespace weir
