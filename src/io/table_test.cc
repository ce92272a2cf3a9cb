#include "io/table.h"

#include <gtest/gtest.h>

#include <map>

#include "base/env_fake.h"

namespace weir::io {
namespace {

using Entries = std::map<std::string, std::string>;

Status WriteTable(Env& env, const std::string& path, const Entries& entries, TableOptions options) {
  WEIR_ASSIGN(const std::unique_ptr<WritableFile> file, env.OpenWrite(path));
  TableWriter writer(*file, options);
  for (const auto& [key, value] : entries) WEIR_TRY(writer.Add(key, value));
  WEIR_TRY(writer.Finish());
  return file->Close();
}

Result<Entries> ReadTable(Env& env, const std::string& path) {
  WEIR_ASSIGN(const std::unique_ptr<Table> table, Table::Open(env, path));
  Entries entries;
  WEIR_TRY(table->Scan("", [&](std::string_view key, std::string_view value) -> Result<bool> {
    entries.emplace(key, value);
    return true;
  }));
  return entries;
}

Entries SomeEntries() {
  Entries entries = {{"", "header"}, {"a", ""}, {"a/b", "1"}, {std::string("\0z", 2), "zero"}};
  for (int i = 0; i < 500; ++i)
    entries[fmt::format("layer{:03}/weights", i)] = std::string(static_cast<size_t>(i), 'w');
  return entries;
}

TEST(TableTest, ReadsWhatItWrote) {
  FakeEnv env;
  for (const bool snappy : {false, true}) {
    for (const size_t block_size : {size_t{1}, size_t{1000}, size_t{1} << 20}) {
      const Entries entries = SomeEntries();
      ASSERT_TRUE(WriteTable(env, "/t", entries, {.block_size = block_size, .snappy = snappy}).ok());
      const Result<Entries> read = ReadTable(env, "/t");
      ASSERT_TRUE(read.ok()) << read.status();
      EXPECT_EQ(*read, entries) << block_size;
      auto table = Table::Open(env, "/t").value();
      for (const auto& [key, value] : entries) EXPECT_EQ(table->Find(key).value(), value) << key;
      for (const char* key : {"a/", "b", "layer", "zz"}) EXPECT_EQ(table->Find(key).value(), std::nullopt) << key;
    }
  }
  ASSERT_TRUE(WriteTable(env, "/none", {}, {}).ok());
  EXPECT_TRUE(ReadTable(env, "/none").value().empty());
}

TEST(TableTest, KeysMustBeInOrder) {
  FakeEnv env;
  const auto file = env.OpenWrite("/t").value();
  TableWriter writer(*file);
  ASSERT_TRUE(writer.Add("b", "").ok());
  EXPECT_EQ(writer.Add("a", "").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(writer.Add("b", "").code(), StatusCode::kInvalidArgument);
}

TEST(TableTest, DamageErrorsNameTheFile) {
  FakeEnv env;
  Entries entries = {{"", "header"}, {"a", "value"}, {"ab", std::string(100, 'x')}};
  for (const bool snappy : {false, true}) {
    ASSERT_TRUE(WriteTable(env, "/t", entries, {.block_size = 20, .snappy = snappy}).ok());
    const std::string bytes = env.ReadFile("/t").value();
    int unnoticed = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      for (const int flip : {0x01, 0x80, 0xff}) {
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ flip);
        ASSERT_TRUE(env.WriteFile("/bad", damaged).ok());
        const Result<Entries> read = ReadTable(env, "/bad");
        if (read.ok()) {  // the flip was in the padding of the footer or in the empty meta index
          EXPECT_EQ(*read, entries);
          ++unnoticed;
          continue;
        }
        EXPECT_EQ(read.status().code(), StatusCode::kDataLoss) << i;
        EXPECT_NE(read.status().message().find("/bad"), absl::string_view::npos) << read.status();
      }
    }
    EXPECT_LT(unnoticed, 3 * (40 + 13));
    for (size_t size = 0; size < bytes.size(); ++size) {
      ASSERT_TRUE(env.WriteFile("/bad", bytes.substr(0, size)).ok());
      EXPECT_EQ(ReadTable(env, "/bad").status().code(), StatusCode::kDataLoss) << size;
    }
  }
  EXPECT_EQ(ReadTable(env, "/missing").status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace weir::io
