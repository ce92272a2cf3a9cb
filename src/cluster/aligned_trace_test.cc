#include "cluster/aligned_trace.h"

#include <gtest/gtest.h>

#include <limits>

namespace weir {
namespace {

tensorflow::StepStats Trace(std::initializer_list<std::pair<int64_t, int64_t>> nodes) {
  tensorflow::StepStats stats;
  tensorflow::DeviceStepStats* device = stats.add_dev_stats();
  for (const auto& [start, length] : nodes) {
    tensorflow::NodeExecStats* node = device->add_node_stats();
    node->set_all_start_micros(start);
    node->set_all_start_nanos(start * 1000);
    node->set_scheduled_micros(start);
    node->set_scheduled_nanos(start * 1000);
    node->set_all_end_rel_micros(length);
  }
  return stats;
}

TEST(AlignedTraceTest, ATraceInsideOfItsCallIsUnchanged) {
  tensorflow::StepStats stats = Trace({{1010, 5}, {1020, 30}});
  const std::string before = stats.SerializeAsString();
  AlignTrace(1000, 1050, &stats);
  EXPECT_EQ(stats.SerializeAsString(), before);
}

TEST(AlignedTraceTest, TraceOfAnotherClockIsCentered) {
  for (const int64_t offset : {-5000, 7000, 20}) {
    tensorflow::StepStats stats = Trace({{1010 + offset, 10}, {1020 + offset, 20}});
    AlignTrace(1000, 1050, &stats);
    const auto& nodes = stats.dev_stats(0).node_stats();
    EXPECT_EQ(nodes[0].all_start_micros(), 1010) << offset;
    EXPECT_EQ(nodes[1].all_start_micros(), 1020) << offset;
    EXPECT_EQ(nodes[1].all_start_nanos(), 1020'000) << offset;
    EXPECT_EQ(nodes[1].scheduled_micros(), 1020) << offset;
    EXPECT_EQ(nodes[1].scheduled_nanos(), 1020'000) << offset;
    EXPECT_EQ(nodes[1].all_end_rel_micros(), 20) << offset;
  }
}

TEST(AlignedTraceTest, AnEmptyTraceIsLeftAlone) {
  tensorflow::StepStats stats;
  AlignTrace(1000, 1050, &stats);
  EXPECT_EQ(stats.dev_stats_size(), 0);
}

TEST(AlignedTraceTest, ImplausibleTimesAreIgnored) {
  tensorflow::StepStats stats;
  auto* device = stats.add_dev_stats();
  for (const int64_t time : {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(), int64_t{500}}) {
    auto* node = device->add_node_stats();
    node->set_all_start_micros(time);
    node->set_all_start_nanos(time);
    node->set_scheduled_micros(time);
    node->set_scheduled_nanos(time);
    node->set_all_end_rel_micros(time == 500 ? 10 : time);
  }
  AlignTrace(1'000, 1'030, &stats);
  EXPECT_EQ(device->node_stats(2).all_start_micros(), 1'010);
}

}  // namespace
}  // namespace weir
