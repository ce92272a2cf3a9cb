#include "io/record_file.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/crc32c.h"
#include "base/env_fake.h"
#include "io/coding.h"

namespace weir::io {
namespace {

Status WriteRecords(Env& env, const std::string& path, const std::vector<std::string>& records, Compression kind) {
  WEIR_ASSIGN(const std::unique_ptr<RecordWriter> writer, RecordWriter::Open(env, path, kind));
  for (const std::string& record : records) WEIR_TRY(writer->Write(record));
  return writer->Close();
}

Result<std::vector<std::string>> ReadRecords(Env& env, const std::string& path, Compression kind) {
  WEIR_ASSIGN(const std::unique_ptr<RecordReader> reader, RecordReader::Open(env, path, kind));
  std::vector<std::string> records;
  for (;;) {
    WEIR_ASSIGN(std::optional<std::string> record, reader->Next());
    if (!record.has_value()) return records;
    records.push_back(*std::move(record));
  }
}

class RecordFileTest : public testing::TestWithParam<Compression> {};

TEST_P(RecordFileTest, ReadsWhatItWrote) {
  FakeEnv env;
  std::vector<std::string> records = {"one", "", std::string(300'000, 'x'), std::string("\0\xff", 2)};
  for (int i = 0; i < 2000; ++i) records.push_back(std::string(static_cast<size_t>(i), static_cast<char>(i)));
  ASSERT_TRUE(WriteRecords(env, "/r", records, GetParam()).ok());
  const Result<std::vector<std::string>> read = ReadRecords(env, "/r", GetParam());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, records);
  ASSERT_TRUE(WriteRecords(env, "/empty", {}, GetParam()).ok());
  EXPECT_TRUE(ReadRecords(env, "/empty", GetParam()).value().empty());
}

TEST_P(RecordFileTest, TruncatedFileIsDataLoss) {
  FakeEnv env;
  ASSERT_TRUE(WriteRecords(env, "/r", {"first", std::string(1000, 'y')}, GetParam()).ok());
  const std::string bytes = env.ReadFile("/r").value();
  // A compressed file ends with a checksum of the stream. If only that is missing, all records can still be read.
  const size_t shortest = GetParam() == Compression::kNone ? bytes.size() - 1 : bytes.size() - 12;
  for (size_t size : {shortest, size_t{25}}) {
    ASSERT_TRUE(env.WriteFile("/cut", bytes.substr(0, size)).ok());
    const Status status = ReadRecords(env, "/cut", GetParam()).status();
    EXPECT_EQ(status.code(), StatusCode::kDataLoss) << size;
    EXPECT_NE(status.message().find("/cut"), absl::string_view::npos) << status;
    EXPECT_NE(status.message().find("offset"), absl::string_view::npos) << status;
  }
}

TEST_P(RecordFileTest, FlushedRecordsCanBeRead) {
  FakeEnv env;
  auto writer = RecordWriter::Open(env, "/r", GetParam()).value();
  ASSERT_TRUE(writer->Write("first").ok());
  ASSERT_TRUE(writer->Flush().ok());
  EXPECT_EQ(ReadRecords(env, "/r", GetParam()).value(), (std::vector<std::string>{"first"}));
  ASSERT_TRUE(writer->Write("second").ok());
  ASSERT_TRUE(writer->Close().ok());
  EXPECT_EQ(ReadRecords(env, "/r", GetParam()).value(), (std::vector<std::string>{"first", "second"}));
}

TEST(RecordFileTest, CallerChoosesCompressionLevel) {
  FakeEnv env;
  std::vector<size_t> sizes;
  for (const int level : {0, 1, 9}) {
    auto writer = RecordWriter::Open(env, "/r", Compression::kZlib, level).value();
    for (int i = 0; i < 2000; ++i) ASSERT_TRUE(writer->Write(fmt::format("record {} of many", i * i)).ok());
    ASSERT_TRUE(writer->Close().ok());
    EXPECT_EQ(ReadRecords(env, "/r", Compression::kZlib).value().size(), 2000u);
    sizes.push_back(env.ReadFile("/r").value().size());
  }
  EXPECT_GT(sizes[0], 3 * sizes[1]);
  EXPECT_GT(sizes[1], sizes[2]);
  EXPECT_FALSE(RecordWriter::Open(env, "/r", Compression::kZlib, 77).ok());
}

INSTANTIATE_TEST_SUITE_P(All, RecordFileTest,
                         testing::Values(Compression::kNone, Compression::kZlib, Compression::kGzip));

TEST(RecordFileTest, EveryDamagedByteIsFoundWithFileAndOffset) {
  FakeEnv env;
  ASSERT_TRUE(WriteRecords(env, "/r", {"first", "second"}, Compression::kNone).ok());
  const std::string bytes = env.ReadFile("/r").value();
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x40);
    ASSERT_TRUE(env.WriteFile("/bad", damaged).ok());
    const Status status = ReadRecords(env, "/bad", Compression::kNone).status();
    EXPECT_EQ(status.code(), StatusCode::kDataLoss) << i;
    const std::string where = fmt::format("/bad: corrupted record {} at offset {}", i < 21 ? 0 : 1, i < 21 ? 0 : 21);
    EXPECT_NE(std::string(status.message()).find(where), std::string::npos) << i << ": " << status;
  }
}

TEST(RecordFileTest, ErrorSuggestsAnotherFileType) {
  FakeEnv env;
  ASSERT_TRUE(WriteRecords(env, "/packed", {"first", "second"}, Compression::kGzip).ok());
  ASSERT_TRUE(env.WriteFile("/text", "no records are in here").ok());
  for (const std::string path : {"/packed", "/text"}) {
    EXPECT_EQ(
        ReadRecords(env, path, Compression::kNone).status(),
        DataLoss("{}: corrupted record 0 at offset 0: wrong checksum of its length (is it a TFRecord file, and is "
                 "the compression type right?)",
                 path));
  }
}

TEST(RecordFileTest, ImpossibleLengthIsDataLoss) {
  FakeEnv env;
  for (const uint64_t length : {uint64_t{INT64_MAX} / 2 + 1, UINT64_MAX - 3, UINT64_MAX}) {
    std::string bytes;
    PutFixed64(bytes, length);
    PutFixed32(bytes, crc32c::Mask(crc32c::Value(bytes)));
    ASSERT_TRUE(env.WriteFile("/long", bytes + "data").ok());
    EXPECT_EQ(ReadRecords(env, "/long", Compression::kNone).status(),
              DataLoss("/long: corrupted record 0 at offset 0"));
  }
}

TEST(RecordFileTest, ReadsConcatenatedCompressedFiles) {
  FakeEnv env;
  ASSERT_TRUE(WriteRecords(env, "/a", {"first", "second"}, Compression::kGzip).ok());
  ASSERT_TRUE(WriteRecords(env, "/b", {"third"}, Compression::kGzip).ok());
  ASSERT_TRUE(env.WriteFile("/ab", env.ReadFile("/a").value() + env.ReadFile("/b").value()).ok());
  EXPECT_EQ(ReadRecords(env, "/ab", Compression::kGzip).value(),
            (std::vector<std::string>{"first", "second", "third"}));
}

TEST(RecordFileTest, ReadsAFileThatIsStillBeingWritten) {
  FakeEnv env;
  auto writer = RecordWriter::Open(env, "/r").value();
  ASSERT_TRUE(writer->Write("first").ok());
  auto reader = RecordReader::Open(env, "/r").value();
  EXPECT_EQ(reader->Next().value(), "first");
  EXPECT_EQ(reader->Next().value(), std::nullopt);
  ASSERT_TRUE(writer->Write("second").ok());
  EXPECT_EQ(reader->offset(), 21u);
  EXPECT_EQ(reader->Next().value(), "second");
}

TEST(RecordFileTest, TheBytesAreTFRecords) {
  FakeEnv env;
  ASSERT_TRUE(WriteRecords(env, "/r", {"abc"}, Compression::kNone).ok());
  // Length 3, its masked checksum, the data, its masked checksum.
  const std::string expected(
      "\x03\0\0\0\0\0\0\0"
      "\xb0\x99\x49\x0e"
      "abc"
      "\x6e\x57\xf1\x21",
      19);
  EXPECT_EQ(env.ReadFile("/r").value(), expected);
}

}  // namespace
}  // namespace weir::io
