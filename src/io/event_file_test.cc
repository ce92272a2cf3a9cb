#include "io/event_file.h"

#include <gtest/gtest.h>

#include "base/env_fake.h"
#include "base/manual_clock.h"

namespace weir::io {
namespace {

TEST(EventFileTest, BeginsWithTheVersion) {
  FakeEnv env;
  ManualClock clock(1'700'000'000'500'000'000);
  EventWriter writer(env, clock, "/events", ".v2");
  tensorflow::Event event;
  event.set_step(3);
  event.set_graph_def("graph");
  ASSERT_TRUE(writer.Write(event).ok());
  ASSERT_TRUE(writer.Flush().ok());
  EXPECT_EQ(writer.path(), "/events.out.tfevents.1700000000." + HostName() + ".v2");
  const auto reader = RecordReader::Open(env, writer.path()).value();
  tensorflow::Event read;
  ASSERT_TRUE(read.ParseFromString(reader->Next().value().value()));
  EXPECT_EQ(read.file_version(), "brain.Event:2");
  EXPECT_EQ(read.wall_time(), 1'700'000'000.5);
  ASSERT_TRUE(read.ParseFromString(reader->Next().value().value()));
  EXPECT_EQ(read.graph_def(), "graph");
  EXPECT_EQ(reader->Next().value(), std::nullopt);
  ASSERT_TRUE(env.DeleteFile(writer.path()).ok());
  ASSERT_TRUE(writer.Flush().ok());
  EXPECT_TRUE(env.Exists(writer.path()));
  EXPECT_TRUE(writer.Close().ok());
}

}  // namespace
}  // namespace weir::io
