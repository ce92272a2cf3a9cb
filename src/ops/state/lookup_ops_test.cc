// Lookup tables with both kinds of handle: lookup, initialization, updates, text files and errors.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "op/testing.h"
#include "ops/state/lookup_table.h"
#include "ops/state/state_ops_test.h"

namespace weir::ops::lookup_ops_test {
namespace {

using Strings = std::initializer_list<std::string>;
Tensor S(Strings values) { return Tensor::Vector<std::string>(values); }
Tensor I(std::initializer_list<int64_t> values) { return Tensor::Vector<int64_t>(values); }
Tensor One(int64_t value) { return Tensor::Scalar<int64_t>(value); }

// Parameter: the suffix of the ops, "" (reference handles) or "V2" (resource handles).
class Lookup : public ::testing::TestWithParam<const char*> {
 protected:
  KernelTester tester_{StateOps()};

  EdgeValue Table(const std::string& op, const std::string& name, DType key = kString, DType value = kInt64,
                  AttrMap more = {}, std::vector<EdgeValue> inputs = {}) {
    more.emplace("shared_name", name);
    more.emplace("key_dtype", key);
    more.emplace("value_dtype", value);
    auto out = tester_.RunEdges(op + GetParam(), std::move(inputs), more);
    status_ = out.status();
    return out.ok() ? (*out)[0] : EdgeValue{};
  }
  Status Run(const std::string& op, EdgeValue table, std::vector<Tensor> inputs = {}, AttrMap attrs = {}) {
    outputs_.clear();
    std::vector<EdgeValue> edges = {std::move(table)};
    for (Tensor& t : inputs) edges.push_back(KernelTester::Value(t));
    auto out = tester_.RunEdges(op + GetParam(), std::move(edges), std::move(attrs));
    if (out.ok()) {
      for (EdgeValue& e : *out) outputs_.push_back(e.tensor);
    }
    return out.status();
  }
  std::string Find(EdgeValue table, Tensor keys, Tensor default_value) {
    Status status = Run("LookupTableFind", std::move(table), {keys, default_value});
    return status.ok() ? outputs_[0].ToString() : std::string(absl::StatusCodeToString(status.code()));
  }
  int64_t Size(EdgeValue table) {
    return Run("LookupTableSize", std::move(table)).ok() ? *outputs_[0].data<int64_t>() : -1;
  }
  std::map<std::string, int64_t> Entries(EdgeValue table) {
    std::map<std::string, int64_t> entries;
    Status status = Run("LookupTableExport", std::move(table), {}, {{"Tkeys", kString}, {"Tvalues", kInt64}});
    EXPECT_TRUE(status.ok()) << status;
    if (!status.ok()) return entries;
    for (int64_t i = 0; i < outputs_[0].num_elements(); ++i) {
      entries[outputs_[0].data<std::string>()[i]] = outputs_[1].data<int64_t>()[i];
    }
    return entries;
  }
  static bool v2() { return std::string(GetParam()) == "V2"; }

  Status status_;
  std::vector<Tensor> outputs_;
};

INSTANTIATE_TEST_SUITE_P(Faces, Lookup, ::testing::Values("", "V2"));

TEST_P(Lookup, AHashTableIsFilledOnce) {
  EdgeValue t = Table("HashTable", "t");
  EXPECT_EQ(Find(t, S({"a"}), One(-1)), "FAILED_PRECONDITION");
  EXPECT_EQ(Size(t), 0);
  EXPECT_EQ(Run("LookupTableExport", t, {}, {{"Tkeys", kString}, {"Tvalues", kInt64}}).code(), StatusCode::kAborted);
  EXPECT_EQ(Run("InitializeTable", t, {S({"a", "a"}), I({1, 2})}).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(Find(t, S({"a"}), One(-1)), "FAILED_PRECONDITION");
  ASSERT_TRUE(Run("InitializeTable", t, {S({"a", "b", "a"}), I({1, 2, 1})}).ok());
  EXPECT_EQ(Find(t, S({"b", "x"}), One(-1)), I({2, -1}).ToString());
  EXPECT_EQ(Find(t, S({"b", "x"}), I({7, 8})), I({2, 8}).ToString());
  EXPECT_EQ(Entries(t), (std::map<std::string, int64_t>{{"a", 1}, {"b", 2}}));
  EXPECT_TRUE(Run("InitializeTable", t, {S({"a", "b"}), I({1, 2})}).ok());
  EXPECT_EQ(Run("InitializeTable", t, {S({"a"}), I({1})}).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(Run("LookupTableInsert", t, {S({"c"}), I({3})}).code(), StatusCode::kUnimplemented);
}

TEST_P(Lookup, BadArguments) {
  EdgeValue t = Table("HashTable", "t");
  EXPECT_EQ(Run("InitializeTable", t, {I({1}), I({1})}).code(), StatusCode::kInvalidArgument);
  EXPECT_NE(Run("InitializeTable", t, {S({"a"}), I({1, 2})}).code(), StatusCode::kOk);
  ASSERT_TRUE(Run("InitializeTable", t, {S({"a"}), I({1})}).ok());
  EXPECT_EQ(Find(t, I({1}), One(-1)), "INVALID_ARGUMENT");
  EXPECT_EQ(Find(t, S({"a"}), I({1, 2})), "INVALID_ARGUMENT");
  EXPECT_EQ(Find(t, S({"a"}), Tensor::Scalar(1.f)), "INVALID_ARGUMENT");
  Table("HashTable", "t", kInt64, kInt64);
  EXPECT_EQ(status_.code(), StatusCode::kInvalidArgument);
  Table("MutableHashTable", "t");
  EXPECT_EQ(status_.code(), StatusCode::kInvalidArgument);
  Table("HashTable", "u", kFloat, kInt64);
  EXPECT_FALSE(status_.ok());
  Table("HashTable", "u", kString, kResource);
  EXPECT_FALSE(status_.ok());
  EXPECT_EQ(Size(KernelTester::Value(v2() ? Tensor::Scalar(ResourceHandle{}) : S({"localhost", "none"}))), -1);
}

TEST_P(Lookup, EveryPairOfTypes) {
  for (DType key : {kString, kInt32, kInt64}) {
    const Tensor keys = key == kString ? S({"3", "4"}) : key == kInt32 ? Tensor::Vector<int32_t>({3, 4}) : I({3, 4});
    const std::pair<Tensor, Tensor> values[] = {
        {S({"x", "y"}), Tensor::Scalar("-")},
        {I({5, 6}), One(0)},
        {Tensor::Vector<int32_t>({5, 6}), Tensor::Scalar<int32_t>(0)},
        {Tensor::Vector<float>({5, 6}), Tensor::Scalar<float>(0)},
        {Tensor::Vector<double>({5, 6}), Tensor::Scalar<double>(0)},
        {Tensor::Vector<bool>({true, true}), Tensor::Scalar<bool>(false)},
    };
    for (const auto& [value, none] : values) {
      EdgeValue t = Table("HashTable", DTypeName(key) + DTypeName(value.dtype()), key, value.dtype());
      ASSERT_TRUE(Run("InitializeTable", t, {keys, value}).ok());
      EXPECT_EQ(Find(t, keys, none), value.ToString());
      ASSERT_TRUE(Run("LookupTableExport", t, {}, {{"Tkeys", key}, {"Tvalues", value.dtype()}}).ok());
      EXPECT_EQ(outputs_[0].dtype(), key);
      EXPECT_EQ(outputs_[1].num_elements(), 2);
    }
  }
}

TEST_P(Lookup, MutableTableInsertRemoveImport) {
  EdgeValue t = Table("MutableHashTable", "m");
  ASSERT_TRUE(Run("LookupTableInsert", t, {S({"a", "b", "a"}), I({1, 2, 3})}).ok());
  EXPECT_EQ(Find(t, S({"a", "z"}), One(-1)), I({3, -1}).ToString());
  EXPECT_EQ(Find(t, Tensor::Scalar("a"), One(-1)), One(3).ToString());
  EXPECT_EQ(Run("LookupTableInsert", t, {S({"a"}), I({1, 2})}).code(), StatusCode::kInvalidArgument);
  if (v2()) {
    ASSERT_TRUE(Run("LookupTableRemove", t, {S({"a", "q"})}).ok());
    EXPECT_EQ(Entries(t), (std::map<std::string, int64_t>{{"b", 2}}));
    ASSERT_TRUE(Run("LookupTableInsert", t, {S({"c", "d"}), I({7, 8})}).ok());
    EXPECT_EQ(Entries(t), (std::map<std::string, int64_t>{{"b", 2}, {"c", 7}, {"d", 8}}));
  }
  ASSERT_TRUE(Run("LookupTableImport", t, {S({"x"}), I({9})}).ok());
  EXPECT_EQ(Entries(t), (std::map<std::string, int64_t>{{"x", 9}}));
  EXPECT_EQ(Run("InitializeTable", t, {S({"a"}), I({1})}).code(), StatusCode::kInvalidArgument);
}

TEST_P(Lookup, ValuesMayBeVectors) {
  EdgeValue t = Table("MutableHashTableOfTensors", "v", kString, kInt64, {{"value_shape", PartialShape{2}}});
  ASSERT_TRUE(status_.ok()) << status_;
  ASSERT_TRUE(Run("LookupTableInsert", t, {S({"a", "b"}), Tensor::Of<int64_t>({2, 2}, {1, 2, 3, 4})}).ok());
  EXPECT_EQ(Find(t, Tensor::Of<std::string>({1, 2}, {"b", "z"}), I({-1, -2})),
            Tensor::Of<int64_t>({1, 2, 2}, {3, 4, -1, -2}).ToString());
  EXPECT_EQ(Find(t, S({"b"}), One(-1)), "INVALID_ARGUMENT");
  EXPECT_EQ(Run("LookupTableInsert", t, {S({"a", "b"}), I({1, 2})}).code(), StatusCode::kInvalidArgument);
  Table("MutableHashTableOfTensors", "w", kString, kInt64, {{"value_shape", PartialShape{2, 2}}});
  EXPECT_EQ(status_.code(), StatusCode::kInvalidArgument);
}

TEST_P(Lookup, DenseTablesReserveTwoKeys) {
  auto reserved = [&](Tensor empty, Tensor deleted) {
    std::vector<EdgeValue> inputs = {KernelTester::Value(empty)};
    if (v2()) inputs.push_back(KernelTester::Value(deleted));
    return inputs;
  };
  EdgeValue t = Table("MutableDenseHashTable", "d", kInt64, kInt64, {}, reserved(One(0), One(-1)));
  ASSERT_TRUE(status_.ok()) << status_;
  ASSERT_TRUE(Run("LookupTableInsert", t, {I({1, 2, 1}), I({10, 20, 30})}).ok());
  EXPECT_EQ(Find(t, I({1, 5}), One(-7)), I({30, -7}).ToString());
  EXPECT_EQ(Find(t, I({0}), One(-7)), "INVALID_ARGUMENT");
  EXPECT_EQ(Run("LookupTableInsert", t, {I({3, 0}), I({1, 1})}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Size(t), 2);
  ASSERT_TRUE(Run("LookupTableImport", t, {I({4, 0}), I({1, 1})}).ok());
  EXPECT_EQ(Size(t), 1);
  EdgeValue pairs = Table("MutableDenseHashTable", "p", kInt64, kInt64, {}, reserved(I({0, 0}), I({-1, -1})));
  ASSERT_TRUE(Run("LookupTableInsert", pairs, {Tensor::Of<int64_t>({2, 2}, {1, 2, 3, 4}), I({10, 20})}).ok());
  EXPECT_EQ(Find(pairs, Tensor::Of<int64_t>({2, 2}, {3, 4, 1, 1}), One(-7)), I({20, -7}).ToString());
  ASSERT_TRUE(Run("LookupTableExport", pairs, {}, {{"Tkeys", kInt64}, {"Tvalues", kInt64}}).ok());
  EXPECT_EQ(outputs_[0].shape(), (Shape{2, 2}));
  Table("MutableDenseHashTable", "q", kInt64, kInt64, {{"initial_num_buckets", 5}}, reserved(One(0), One(-1)));
  EXPECT_EQ(status_.code(), StatusCode::kInvalidArgument);
  if (v2()) {
    Table("MutableDenseHashTable", "r", kInt64, kInt64, {}, reserved(One(0), One(0)));
    EXPECT_EQ(status_.code(), StatusCode::kInvalidArgument);
  }
}

// --- text files

class TextFile {
 public:
  explicit TextFile(const std::string& text) {
    path_ =
        std::filesystem::temp_directory_path() / ("weir_lookup_" + std::to_string(reinterpret_cast<uintptr_t>(this)));
    std::ofstream(path_) << text;
  }
  ~TextFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST_P(Lookup, FilledFromTheLinesOfAFile) {
  TextFile file("a 1 x\nb 2 y\r\nc 3 z");
  auto fill = [&](const std::string& name, DType key, DType value, int key_index, int value_index, int vocab = -1) {
    EdgeValue t = Table("HashTable", name, key, value);
    Status status =
        Run("InitializeTableFromTextFile", t, {Tensor::Scalar(file.path())},
            {{"key_index", key_index}, {"value_index", value_index}, {"vocab_size", vocab}, {"delimiter", " "}});
    return std::pair(status, t);
  };
  auto [columns, t1] = fill("1", kString, kInt64, 0, 1);
  ASSERT_TRUE(columns.ok()) << columns;
  EXPECT_EQ(Entries(t1), (std::map<std::string, int64_t>{{"a", 1}, {"b", 2}, {"c", 3}}));
  auto [lines, t2] = fill("2", kString, kInt64, -2, -1);
  ASSERT_TRUE(lines.ok()) << lines;
  EXPECT_EQ(Entries(t2), (std::map<std::string, int64_t>{{"a 1 x", 0}, {"b 2 y", 1}, {"c 3 z", 2}}));
  auto [some, t3] = fill("3", kString, kInt64, 2, -1, 2);
  ASSERT_TRUE(some.ok()) << some;
  EXPECT_EQ(Entries(t3), (std::map<std::string, int64_t>{{"x", 0}, {"y", 1}}));
  auto [reverse, t4] = fill("4", kInt64, kString, -1, 2);
  ASSERT_TRUE(reverse.ok()) << reverse;
  EXPECT_EQ(Find(t4, I({1, 9}), Tensor::Scalar("?")), S({"y", "?"}).ToString());
  auto [floats, t5] = fill("5", kInt32, kFloat, 1, 1);
  ASSERT_TRUE(floats.ok()) << floats;
  EXPECT_EQ(Find(t5, Tensor::Vector<int32_t>({2}), Tensor::Scalar(0.f)), Tensor::Vector<float>({2}).ToString());

  EXPECT_EQ(fill("6", kString, kInt64, 0, 3).first.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(fill("7", kString, kInt64, 0, 2).first.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(fill("8", kString, kInt64, 0, 1, 4).first.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(fill("9", kString, kInt32, 0, -1).first.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(fill("10", kString, kBool, 0, 1).first.code(), StatusCode::kInvalidArgument);
}

TEST_P(Lookup, BadFiles) {
  EdgeValue t = Table("HashTable", "t");
  AttrMap attrs = {{"key_index", -2}, {"value_index", -1}};
  EXPECT_EQ(Run("InitializeTableFromTextFile", t, {Tensor::Scalar("/nonexistent/file")}, attrs).code(),
            StatusCode::kNotFound);
  EXPECT_EQ(Run("InitializeTableFromTextFile", t, {Tensor::Scalar("")}, attrs).code(), StatusCode::kInvalidArgument);
  TextFile gap("a\n\nb\n");
  EXPECT_EQ(Run("InitializeTableFromTextFile", t, {Tensor::Scalar(gap.path())}, attrs).code(),
            StatusCode::kInvalidArgument);
  TextFile empty("");
  EXPECT_EQ(Run("InitializeTableFromTextFile", t, {Tensor::Scalar(empty.path())}, attrs).code(),
            StatusCode::kOutOfRange);
  TextFile good("a\nb\n");
  attrs["delimiter"] = "ab";
  EXPECT_EQ(Run("InitializeTableFromTextFile", t, {Tensor::Scalar(good.path())}, attrs).code(),
            StatusCode::kInvalidArgument);
  attrs["delimiter"] = "\t";
  EXPECT_TRUE(Run("InitializeTableFromTextFile", t, {Tensor::Scalar(good.path())}, attrs).ok());
  EXPECT_EQ(Size(t), 2);
}

TEST(LookupShapes, HandlesAndOutputs) {
  EXPECT_EQ(ShapeTest(StateOps(), "HashTable", "", {{"key_dtype", kString}, {"value_dtype", kInt64}}), "[2]");
  EXPECT_EQ(ShapeTest(StateOps(), "HashTableV2", "", {{"key_dtype", kString}, {"value_dtype", kInt64}}), "[]");
  EXPECT_EQ(ShapeTest(StateOps(), "LookupTableSize", "[2]"), "[]");
  EXPECT_EQ(ShapeTest(StateOps(), "LookupTableSize", "[3]").find("error"), 0u);
  EXPECT_EQ(ShapeTest(StateOps(), "LookupTableSizeV2", "[1]").find("error"), 0u);
  EXPECT_EQ(ShapeTest(StateOps(), "InitializeTableV2", "[];[2];[3]").find("error"), 0u);
}

}  // namespace
}  // namespace weir::ops::lookup_ops_test
