// The contents of event files, when they become visible to readers, and error reporting.
#include "train/file_writer.h"

#include <gmock/gmock.h>

#include <atomic>

#include "base/env_fake.h"
#include "base/manual_clock.h"

namespace weir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<int64_t> StepsIn(Env& env, const std::string& path) {
  std::vector<int64_t> steps;
  const auto reader = io::RecordReader::Open(env, path).value();
  for (auto record = reader->Next().value(); record.has_value(); record = reader->Next().value()) {
    tensorflow::Event event;
    EXPECT_TRUE(event.ParseFromString(*record));
    if (event.file_version().empty()) steps.push_back(event.step());
  }
  return steps;
}

TEST(FileWriterTest, FlushedEventsCanBeRead) {
  FakeEnv env;
  const auto writer = FileWriter::Make("/logs/a", {.max_queue = 1, .flush_secs = 1e9, .env = &env}).value();
  EXPECT_THAT(StepsIn(env, writer->path()), ElementsAre());
  for (int64_t step = 0; step < 5; ++step) ASSERT_TRUE(writer->AddSummary({}, step).ok());
  ASSERT_TRUE(writer->Flush().ok());
  EXPECT_THAT(StepsIn(env, writer->path()), ElementsAre(0, 1, 2, 3, 4));
}

TEST(FileWriterTest, EventsAreFlushedAfterATime) {
  FakeEnv env;
  ManualClock clock;
  std::atomic<int> flushes = 0;
  std::atomic<int64_t> last_flush = 0;
  env.fault = [&](std::string_view operation, const std::string&) {
    if (operation == "flush") {
      last_flush = clock.nanos.load();
      ++flushes;
    }
    return OkStatus();
  };
  const auto writer = FileWriter::Make("/logs", {.flush_secs = 120, .env = &env, .clock = &clock}).value();
  ASSERT_TRUE(writer->AddSessionLog({}, 1).ok());
  while (flushes < 2) std::this_thread::yield();  // the first flush writes the version event
  EXPECT_GE(last_flush, 120'000'000'000);
  EXPECT_THAT(StepsIn(env, writer->path()), ElementsAre(1));
}

TEST(FileWriterTest, ClosedWriterDropsEventsUntilReopened) {
  FakeEnv env;
  const auto writer = FileWriter::Make("/logs", {.env = &env}).value();
  ASSERT_TRUE(writer->AddSummary({}, 1).ok());
  ASSERT_TRUE(writer->Close().ok());
  EXPECT_TRUE(writer->closed());
  ASSERT_TRUE(writer->Close().ok());
  ASSERT_TRUE(writer->AddSummary({}, 2).ok());
  ASSERT_TRUE(writer->Flush().ok());
  const std::string first = writer->path();
  EXPECT_THAT(StepsIn(env, first), ElementsAre(1));
  ASSERT_TRUE(writer->Reopen().ok());
  ASSERT_TRUE(writer->Reopen().ok());
  ASSERT_TRUE(writer->AddSummary({}, 3).ok());
  ASSERT_TRUE(writer->Close().ok());
  EXPECT_EQ(StepsIn(env, writer->path()).back(), 3);
}

TEST(FileWriterTest, MetadataOfATagIsWrittenOnce) {
  FakeEnv env;
  const auto writer = FileWriter::Make("/logs", {.env = &env}).value();
  tensorflow::Summary summary;
  summary.add_value()->set_tag("a");
  summary.mutable_value(0)->mutable_metadata()->set_display_name("A");
  ASSERT_TRUE(writer->AddSummary(summary).ok());
  ASSERT_TRUE(writer->AddSummary(summary).ok());
  ASSERT_TRUE(writer->Flush().ok());
  const auto reader = io::RecordReader::Open(env, writer->path()).value();
  std::vector<bool> metadata;
  for (auto record = reader->Next().value(); record.has_value(); record = reader->Next().value()) {
    tensorflow::Event event;
    ASSERT_TRUE(event.ParseFromString(*record));
    if (event.has_summary()) metadata.push_back(event.summary().value(0).has_metadata());
  }
  EXPECT_THAT(metadata, ElementsAre(true, false));
  EXPECT_TRUE(writer->AddRunMetadata({}, "tag").ok());
  EXPECT_EQ(writer->AddRunMetadata({}, "tag").code(), StatusCode::kInvalidArgument);
}

TEST(FileWriterTest, ReportsErrorsOfItsThread) {
  FakeEnv env;
  const auto writer = FileWriter::Make("/logs", {.env = &env}).value();
  ASSERT_TRUE(writer->Flush().ok());
  env.fault = [](std::string_view operation, const std::string& path) -> Status {
    return operation == "find" ? OkStatus() : ResourceExhausted("{}: no space for {}", path, operation);
  };
  EXPECT_TRUE(writer->AddSummary({}, 1).ok());
  const Status status = writer->Flush();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("no space"));
  EXPECT_EQ(FileWriter::Make("/other", {.env = &env}).status().code(), StatusCode::kResourceExhausted);
}

TEST(FileWriterTest, OneWriterPerDirectory) {
  const std::string root = testing::TempDir() + "file_writer_cache";
  FileWriterCache cache;
  const FileWriterCache::Found a = cache.Get(root + "/a").value();
  EXPECT_TRUE(a.made);
  EXPECT_EQ(cache.Get(root + "/a").value().writer, a.writer);
  EXPECT_FALSE(cache.Get(root + "/a").value().made);
  EXPECT_NE(cache.Get(root + "/b").value().writer, a.writer);
  EXPECT_TRUE(cache.Clear().ok());
  EXPECT_TRUE(a.writer->closed());
  EXPECT_NE(cache.Get(root + "/a").value().writer, a.writer);
}

}  // namespace
}  // namespace weir
