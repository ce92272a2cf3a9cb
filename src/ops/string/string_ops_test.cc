// Tests the kernels and shape functions of single string ops.
#include <gmock/gmock.h>

#include <unistd.h>

#include <filesystem>

#include "base/env.h"
#include "op/testing.h"
#include "ops/register.h"
#include "ops/string/hash.h"

namespace weir::ops::string_ops_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Strings = std::vector<std::string>;

Tensor S(std::initializer_list<std::string> values) { return Tensor::Vector<std::string>(values); }
Tensor One(std::string value) { return Tensor::Scalar(std::move(value)); }
Tensor I(int32_t value) { return Tensor::Scalar(value); }
Strings Texts(const Tensor& t) {
  return t.valid() ? Strings(t.flat<std::string>().begin(), t.flat<std::string>().end()) : Strings{"no tensor"};
}
template <class T>
std::vector<T> Values(const Tensor& t) {
  return t.valid() ? std::vector<T>(t.flat<T>().begin(), t.flat<T>().end()) : std::vector<T>();
}

class StringOpsTest : public ::testing::Test {
 protected:
  StringOpsTest() { RegisterStringOps(registry_); }

  std::vector<Tensor> All(std::string_view op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    Result<std::vector<Tensor>> result = tester_.Run(op, std::move(inputs), std::move(attrs));
    EXPECT_TRUE(result.ok()) << op << ": " << result.status();
    return result.ok() ? *std::move(result) : std::vector<Tensor>(4);
  }
  Tensor Run(std::string_view op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    return All(op, std::move(inputs), std::move(attrs))[0];
  }
  Status Error(std::string_view op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    return tester_.Run(op, std::move(inputs), std::move(attrs)).status();
  }
  StatusCode Code(std::string_view op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    return Error(op, std::move(inputs), std::move(attrs)).code();
  }

  OpRegistry registry_;
  KernelTester tester_{registry_};
};

TEST_F(StringOpsTest, SchemasAreWellFormed) { EXPECT_TRUE(registry_.Validate().ok()) << registry_.Validate(); }

TEST_F(StringOpsTest, Shapes) {
  for (const char* op : {"AsString", "StringStrip", "StringLower", "StringUpper", "StringLength", "EncodeBase64",
                         "DecodeBase64", "StringToNumber", "UnicodeScript"}) {
    EXPECT_EQ(ShapeTest(registry_, op, "[2,?]"), "[2,?]") << op;
  }
  EXPECT_EQ(ShapeTest(registry_, "StringToHashBucketFast", "[?,3]", {{"num_buckets", int64_t{3}}}), "[?,3]");
  EXPECT_EQ(ShapeTest(registry_, "StringJoin", "[2,?];[];[?,3]"), "[2,3]");
  EXPECT_EQ(ShapeTest(registry_, "StringJoin", "[];[]"), "[]");
  EXPECT_EQ(ShapeTest(registry_, "StringJoin", "[];?"), "?");
  EXPECT_THAT(ShapeTest(registry_, "StringJoin", "[2];[3]"), HasSubstr("error"));
  EXPECT_EQ(ShapeTest(registry_, "Substr", "[2,1];[3];[3]"), "[2,3]");
  EXPECT_EQ(ShapeTest(registry_, "Substr", "[2];[];[]"), "[2]");
  EXPECT_THAT(ShapeTest(registry_, "Substr", "[2];[2];[3]"), HasSubstr("error"));
  EXPECT_THAT(ShapeTest(registry_, "Substr", "[2];[3];[3]"), HasSubstr("error"));
  EXPECT_EQ(ShapeTest(registry_, "RegexReplace", "[2];[];[]"), "[2]");
  EXPECT_THAT(ShapeTest(registry_, "RegexReplace", "[2];[1];[]"), HasSubstr("error"));
  EXPECT_EQ(ShapeTest(registry_, "RegexFullMatch", "?;?"), "?");
  EXPECT_EQ(ShapeTest(registry_, "StringSplit", "[4];[]"), "[?,2];[?];[2]");
  EXPECT_THAT(ShapeTest(registry_, "StringSplitV2", "[4,1];[]"), HasSubstr("error"));
  EXPECT_EQ(ShapeTest(registry_, "ReduceJoin", "[2,?,4];[2]", {}, {{1, Tensor::Vector<int32_t>({0, -1})}}), "[?]");
  EXPECT_EQ(
      ShapeTest(registry_, "ReduceJoin", "[2,?,4];[1]", {{"keep_dims", true}}, {{1, Tensor::Vector<int32_t>({1})}}),
      "[2,1,4]");
  EXPECT_EQ(ShapeTest(registry_, "ReduceJoin", "[2,3];?"), "?");
  EXPECT_THAT(ShapeTest(registry_, "ReduceJoin", "[2];[1]", {}, {{1, Tensor::Vector<int32_t>({1})}}),
              HasSubstr("error"));
  EXPECT_EQ(ShapeTest(registry_, "UnsortedSegmentJoin", "[4,5];[4];[]", {{"Tindices", kInt32}}, {{2, I(3)}}), "[3,5]");
  EXPECT_THAT(ShapeTest(registry_, "UnsortedSegmentJoin", "[4];[3];[]", {{"Tindices", kInt32}}), HasSubstr("error"));
  EXPECT_EQ(ShapeTest(registry_, "DecodeRaw", "[3]"), "[3,?]");
  EXPECT_EQ(ShapeTest(registry_, "DecodeRaw", "?"), "?");
  EXPECT_EQ(ShapeTest(registry_, "DecodeCSV", "[3];[1];[0];[]"), "[3];[3];[3]");
  EXPECT_THAT(ShapeTest(registry_, "DecodeCSV", "[3];[2]"), HasSubstr("error"));
  EXPECT_EQ(ShapeTest(registry_, "ReadFile", "[]"), "[]");
  EXPECT_THAT(ShapeTest(registry_, "WriteFile", "[];[1]"), HasSubstr("error"));
  EXPECT_EQ(ShapeTest(registry_, "MatchingFiles", "[2]"), "[?]");
  EXPECT_THAT(ShapeTest(registry_, "MatchingFiles", "[2,1]"), HasSubstr("error"));
}

TEST_F(StringOpsTest, AsString) {
  EXPECT_THAT(Texts(Run("AsString", {Tensor::Vector<float>({1.5f, -2, INFINITY})})),
              ElementsAre("1.500000", "-2.000000", "inf"));
  EXPECT_THAT(Texts(Run("AsString", {Tensor::Vector<double>({1e10, 0.1})}, {{"shortest", true}})),
              ElementsAre("1e+10", "0.1"));
  EXPECT_THAT(Texts(Run("AsString", {Tensor::Scalar(1e300)}, {{"precision", int64_t{0}}}))[0].size(), 301u);
  EXPECT_THAT(Texts(Run("AsString", {Tensor::Scalar(-1.25)},
                        {{"width", int64_t{9}}, {"precision", int64_t{3}}, {"fill", "0"}})),
              ElementsAre("-0001.250"));
  EXPECT_THAT(Texts(Run("AsString", {I(-7)}, {{"width", int64_t{5}}, {"fill", "-"}})), ElementsAre("-7   "));
  EXPECT_THAT(Texts(Run("AsString", {Tensor::Scalar<uint64_t>(~uint64_t{0})})), ElementsAre("18446744073709551615"));
  EXPECT_THAT(Texts(Run("AsString", {Tensor::Scalar(true)})), ElementsAre("true"));
  EXPECT_THAT(Texts(Run("AsString", {Tensor::Scalar(std::complex<float>(1, -2))}, {{"precision", int64_t{1}}})),
              ElementsAre("(1.0,-2.0)"));
  EXPECT_THAT(Texts(Run("AsString", {One("ab")}, {{"width", int64_t{4}}})), ElementsAre("  ab"));
  EXPECT_EQ(Run("AsString", {Tensor::Vector<int32_t>({})}).num_elements(), 0);
  EXPECT_EQ(Code("AsString", {I(1)}, {{"precision", int64_t{2}}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(Code("AsString", {I(1)}, {{"scientific", true}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(Code("AsString", {I(1)}, {{"fill", "x"}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(Code("AsString", {I(1)}, {{"fill", "00"}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(Code("AsString", {I(1)}, {{"width", int64_t{1} << 40}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(Code("AsString", {Tensor::Scalar(1.0)}, {{"scientific", true}, {"shortest", true}}),
            StatusCode::kInvalidArgument);
}

TEST_F(StringOpsTest, StringJoin) {
  EXPECT_THAT(Texts(Run("StringJoin", {S({"a", "b"}), One("+"), S({"c", "d"})}, {{"separator", "."}})),
              ElementsAre("a.+.c", "b.+.d"));
  EXPECT_EQ(Code("StringJoin", {S({"a", "b"}), S({"c"})}), StatusCode::kInvalidArgument);
}

TEST_F(StringOpsTest, StringToNumber) {
  EXPECT_THAT(Values<float>(Run("StringToNumber", {S({" 1.5 ", "1e400", "-inf", "0x10"})})),
              ElementsAre(1.5f, INFINITY, -INFINITY, 16.f));
  EXPECT_THAT(Values<int64_t>(Run("StringToNumber", {S({"-9223372036854775808", "+7"})}, {{"out_type", kInt64}})),
              ElementsAre(INT64_MIN, 7));
  EXPECT_THAT(Values<uint64_t>(Run("StringToNumber", {S({"18446744073709551615"})}, {{"out_type", kUint64}})),
              ElementsAre(UINT64_MAX));
  for (const char* text : {"", " ", "a", "1a", "1 2", "2147483648", "1.5"})
    EXPECT_EQ(Code("StringToNumber", {S({text})}, {{"out_type", kInt32}}), StatusCode::kInvalidArgument) << text;
  EXPECT_THAT(std::string(Error("StringToNumber", {S({"1", "x"})}).message()),
              HasSubstr("could not correctly convert string: x"));
}

TEST_F(StringOpsTest, Substr) {
  const AttrMap characters = {{"unit", "UTF8_CHAR"}};
  EXPECT_THAT(Texts(Run("Substr", {S({"hello", "wörld"}), I(1), I(3)})), ElementsAre("ell", "ör"));
  EXPECT_THAT(Texts(Run("Substr", {S({"hello", "wörld"}), I(1), I(3)}, characters)), ElementsAre("ell", "örl"));
  EXPECT_THAT(Texts(Run("Substr", {S({"hello", "wörld"}), I(-4), I(2)}, characters)), ElementsAre("el", "ör"));
  EXPECT_THAT(Texts(Run("Substr", {One("hello"), I(2), I(-1)})), ElementsAre("llo"));
  EXPECT_THAT(Texts(Run("Substr", {One("hello"), I(5), I(1)})), ElementsAre(""));
  const Tensor text = Tensor::Of<std::string>(Shape{2, 1}, {"abcd", "efgh"});
  const Tensor pos = Tensor::Vector<int64_t>({0, 1, -1});
  const Tensor len = Tensor::Vector<int64_t>({1, 2, 9});
  EXPECT_THAT(Texts(Run("Substr", {text, pos, len})), ElementsAre("a", "bc", "d", "e", "fg", "h"));
  for (const int pos_out : {6, -6}) {
    EXPECT_EQ(Code("Substr", {One("hello"), I(pos_out), I(1)}), StatusCode::kInvalidArgument);
    EXPECT_EQ(Code("Substr", {One("hello"), I(pos_out), I(1)}, characters), StatusCode::kInvalidArgument);
  }
  const Tensor least = Tensor::Scalar(INT64_MIN);
  EXPECT_EQ(Code("Substr", {One("hello"), least, least}), StatusCode::kInvalidArgument);
  EXPECT_EQ(Code("Substr", {One("hello"), least, least}, characters), StatusCode::kInvalidArgument);
  EXPECT_EQ(Run("Substr", {S({}), I(3), I(1)}).num_elements(), 0);
  EXPECT_THAT(Values<int32_t>(Run("StringLength", {S({"wörld", ""})})), ElementsAre(6, 0));
  EXPECT_THAT(Values<int32_t>(Run("StringLength", {S({"wörld", "\x80\x80"})}, characters)), ElementsAre(5, 0));
}

TEST_F(StringOpsTest, Regex) {
  EXPECT_THAT(Texts(Run("RegexReplace", {S({"banana", ""}), One("(a)(n)"), One("\\2\\1")})), ElementsAre("bnanaa", ""));
  EXPECT_THAT(Texts(Run("RegexReplace", {S({"banana"}), One("a"), One("o")}, {{"replace_global", false}})),
              ElementsAre("bonana"));
  EXPECT_THAT(Texts(Run("StaticRegexReplace", {S({"a1b22"})}, {{"pattern", "\\d+"}, {"rewrite", "#"}})),
              ElementsAre("a#b#"));
  EXPECT_THAT(Values<bool>(Run("RegexFullMatch", {S({"aa", "ab", ""}), One("a*")})), ElementsAre(true, false, true));
  EXPECT_THAT(Values<bool>(Run("StaticRegexFullMatch", {S({"ab"})}, {{"pattern", "a."}})), ElementsAre(true));
  EXPECT_THAT(std::string(Error("RegexReplace", {S({}), One("["), One("")}).message()),
              HasSubstr("Invalid pattern: ["));
  EXPECT_EQ(Code("StaticRegexFullMatch", {S({"a"})}, {{"pattern", "("}}), StatusCode::kInvalidArgument);
}

TEST_F(StringOpsTest, StringSplit) {
  std::vector<Tensor> out = All("StringSplit", {S({"hello big world", "", "a  b"}), One(" ")});
  EXPECT_THAT(Values<int64_t>(out[0]), ElementsAre(0, 0, 0, 1, 0, 2, 2, 0, 2, 1));
  EXPECT_THAT(Texts(out[1]), ElementsAre("hello", "big", "world", "a", "b"));
  EXPECT_THAT(Values<int64_t>(out[2]), ElementsAre(3, 3));
  EXPECT_THAT(Texts(All("StringSplit", {S({"a,b c,"}), One(", ")}, {{"skip_empty", false}})[1]),
              ElementsAre("a", "b", "c", ""));
  EXPECT_THAT(Texts(All("StringSplit", {S({"abc"}), One("")})[1]), ElementsAre("a", "b", "c"));
  EXPECT_EQ(Code("StringSplit", {One("a"), One(" ")}), StatusCode::kInvalidArgument);

  EXPECT_THAT(Texts(All("StringSplitV2", {S({" a \tb\n", ""}), One("")})[1]), ElementsAre("a", "b"));
  EXPECT_THAT(Texts(All("StringSplitV2", {S({"1<>2<>3", ""}), One("<>")})[1]), ElementsAre("1", "2", "3", ""));
  EXPECT_THAT(Texts(All("StringSplitV2", {S({"1,2,3"}), One(",")}, {{"maxsplit", int64_t{1}}})[1]),
              ElementsAre("1", "2,3"));
  EXPECT_THAT(Texts(All("StringSplitV2", {S({" a b c"}), One("")}, {{"maxsplit", int64_t{1}}})[1]),
              ElementsAre("a", "b c"));
  out = All("StringSplitV2", {S({}), One(",")});
  EXPECT_EQ(out[0].shape(), (Shape{0, 2}));
  EXPECT_THAT(Values<int64_t>(out[2]), ElementsAre(0, 0));
}

TEST_F(StringOpsTest, LettersAndScripts) {
  const AttrMap utf8 = {{"encoding", "utf-8"}};
  EXPECT_THAT(Texts(Run("StringLower", {S({"AbÉ", ""})})), ElementsAre("abÉ", ""));
  EXPECT_THAT(Texts(Run("StringLower", {S({"AbÉ ΣΣ", ""})}, utf8)), ElementsAre("abé σς", ""));
  EXPECT_THAT(Texts(Run("StringUpper", {S({"straße", "\xff"})}, utf8)), ElementsAre("STRASSE", "\xef\xbf\xbd"));
  EXPECT_EQ(Code("StringUpper", {S({"a"})}, {{"encoding", "latin1"}}), StatusCode::kInvalidArgument);
  EXPECT_THAT(Texts(Run("StringStrip", {S({"\t a b\r\n", " "})})), ElementsAre("a b", ""));
  EXPECT_THAT(Values<int32_t>(Run("UnicodeScript", {Tensor::Vector<int32_t>({'a', '1', 0x4e2d, -1, 0x110000})})),
              ElementsAre(25, 0, 17, -1, -1));
}

// Expected values from TensorFlow 2.21; for SipHash also from its reference implementation (key bytes 0..15, data
// 0..14).
TEST_F(StringOpsTest, Hashes) {
  EXPECT_EQ(SipHash24(0x0706050403020100, 0x0f0e0d0c0b0a0908, std::string("\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16", 15)),
            0xa129ca6149be45e5u);
  EXPECT_EQ(FarmFingerprint64(""), 0x9ae16a3b2f90404fu);
  const AttrMap many = {{"num_buckets", INT64_MAX}};
  const Tensor texts = S({"", "a", "hello", "a string of some more than thirty-two bytes"});
  EXPECT_THAT(Values<int64_t>(Run("StringToHashBucket", {texts}, many)),
              ElementsAre(105434511174508092, 2996632905371535868, 5943547241907780938, 730972205757081181));
  EXPECT_THAT(Values<int64_t>(Run("StringToHashBucketFast", {texts}, many)),
              ElementsAre(1936946117179621456, 3694432073954588132, 3786372426573024489, 6136864024583562773));
  EXPECT_THAT(Values<int64_t>(Run("StringToHashBucketStrong", {texts},
                                  {{"num_buckets", INT64_MAX}, {"key", std::vector<int64_t>{1, -2}}})),
              ElementsAre(1583518726171341606, 3067518542778738979, 2121554780776262445, 4670869093326015671));
  EXPECT_EQ(Code("StringToHashBucketStrong", {texts}, {{"num_buckets", int64_t{5}}, {"key", std::vector<int64_t>{1}}}),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(Code("StringToHashBucketFast", {texts}, {{"num_buckets", int64_t{0}}}), StatusCode::kInvalidArgument);
}

TEST_F(StringOpsTest, ReduceJoin) {
  const Tensor in = Tensor::Of<std::string>(Shape{2, 2}, {"a", "b", "c", "d"});
  const auto over = [](std::initializer_list<int32_t> axes) { return Tensor::Vector<int32_t>(axes); };
  EXPECT_THAT(Texts(Run("ReduceJoin", {in, over({0})})), ElementsAre("ac", "bd"));
  EXPECT_THAT(Texts(Run("ReduceJoin", {in, over({-1})}, {{"separator", "."}})), ElementsAre("a.b", "c.d"));
  EXPECT_THAT(Texts(Run("ReduceJoin", {in, over({0, 1})})), ElementsAre("acbd"));
  EXPECT_THAT(Texts(Run("ReduceJoin", {in, over({1, 0})})), ElementsAre("abcd"));
  EXPECT_THAT(Texts(Run("ReduceJoin", {in, over({})})), ElementsAre("a", "b", "c", "d"));
  EXPECT_EQ(Run("ReduceJoin", {in, over({0})}, {{"keep_dims", true}}).shape(), (Shape{1, 2}));
  EXPECT_THAT(Texts(Run("ReduceJoin", {Tensor::Of<std::string>(Shape{2, 0}, {}), over({1})})), ElementsAre("", ""));
  EXPECT_EQ(Code("ReduceJoin", {in, over({0, -2})}), StatusCode::kInvalidArgument);
  EXPECT_FALSE(Error("ReduceJoin", {in, over({2})}).ok());
  const Tensor ids = Tensor::Vector<int32_t>({1, 1});
  EXPECT_THAT(Texts(Run("UnsortedSegmentJoin", {in, ids, I(3)}, {{"separator", ":"}})),
              ElementsAre("", "", "a:c", "b:d", "", ""));
  EXPECT_EQ(Code("UnsortedSegmentJoin", {in, ids, I(1)}), StatusCode::kInvalidArgument);
  EXPECT_EQ(Code("UnsortedSegmentJoin", {in, Tensor::Vector<int32_t>({-1, 0}), I(1)}), StatusCode::kInvalidArgument);
}

TEST_F(StringOpsTest, DecodeRaw) {
  const Tensor bytes = S({std::string("\1\0\0\2", 4), std::string("\3\0\0\0", 4)});
  EXPECT_THAT(Values<int16_t>(Run("DecodeRaw", {bytes}, {{"out_type", kInt16}})), ElementsAre(1, 512, 3, 0));
  EXPECT_THAT(Values<int16_t>(Run("DecodeRaw", {bytes}, {{"out_type", kInt16}, {"little_endian", false}})),
              ElementsAre(256, 2, 768, 0));
  EXPECT_THAT(Values<bool>(Run("DecodeRaw", {bytes}, {{"out_type", kBool}})),
              ElementsAre(true, false, false, true, true, false, false, false));
  EXPECT_EQ(Run("DecodeRaw", {S({"", ""})}, {{"out_type", kFloat}}).shape(), (Shape{2, 0}));
  EXPECT_EQ(Run("DecodeRaw", {S({})}, {{"out_type", kFloat}}).shape(), (Shape{0, 0}));
  EXPECT_EQ(Code("DecodeRaw", {S({"abc"})}, {{"out_type", kInt16}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(Code("DecodeRaw", {S({"ab", "abcd"})}, {{"out_type", kInt16}}), StatusCode::kInvalidArgument);
}

TEST_F(StringOpsTest, Base64) {
  EXPECT_THAT(Texts(Run("EncodeBase64", {S({"", "a", "ab", "abc", "\xfb\xff"})})),
              ElementsAre("", "YQ", "YWI", "YWJj", "-_8"));
  EXPECT_THAT(Texts(Run("EncodeBase64", {S({"a", "ab", "abc"})}, {{"pad", true}})),
              ElementsAre("YQ==", "YWI=", "YWJj"));
  EXPECT_THAT(Texts(Run("DecodeBase64", {S({"", "YQ", "YQ==", "YWI=", "YWJj", "-_8"})})),
              ElementsAre("", "a", "a", "ab", "abc", "\xfb\xff"));
  for (const char* text : {"Y", "YQ=", "YQ===", "=", "====", "+/+/", "YW J", "YQ==YQ==", "YWJj="})
    EXPECT_EQ(Code("DecodeBase64", {S({text})}), StatusCode::kInvalidArgument) << text;
}

TEST_F(StringOpsTest, DecodeCsv) {
  const Tensor numbers = Tensor::Vector<float>({7});
  const Tensor required = Tensor::Vector<int32_t>({});
  const Tensor texts = One("none");
  const auto decode = [&](std::string line, AttrMap attrs = {}) {
    return All("DecodeCSV", {S({line, line}), numbers, required, texts}, std::move(attrs));
  };
  std::vector<Tensor> out = decode("1.5,2,\"a,\"\"b\"");
  EXPECT_THAT(Values<float>(out[0]), ElementsAre(1.5f, 1.5f));
  EXPECT_THAT(Values<int32_t>(out[1]), ElementsAre(2, 2));
  EXPECT_THAT(Texts(out[2]), ElementsAre("a,\"b", "a,\"b"));
  out = decode("NA,3,", {{"na_value", "NA"}});
  EXPECT_THAT(Values<float>(out[0]), ElementsAre(7, 7));
  EXPECT_THAT(Texts(out[2]), ElementsAre("none", "none"));
  EXPECT_THAT(Texts(decode("1|2|\"x", {{"field_delim", "|"}, {"use_quote_delim", false}})[2]),
              ElementsAre("\"x", "\"x"));
  const std::vector<int64_t> columns = {0, 2, 3};
  EXPECT_THAT(Values<int32_t>(decode("1,x,3,4,5", {{"select_cols", columns}})[1]), ElementsAre(3, 3));
  const auto code = [&](std::string line, AttrMap attrs = {}) {
    return Code("DecodeCSV", {S({line}), numbers, required, texts}, std::move(attrs));
  };
  for (const char* line :
       {"", "1,2", "1,2,x,y", "1,,x", "1,a,x", "1,2,\"x", "1,2,\"x\"y", "1,2,a\"b", "1,2,x\n", "1,2147483648,x"})
    EXPECT_EQ(code(line), StatusCode::kInvalidArgument) << line;
  EXPECT_EQ(code("1,2,x", {{"field_delim", ",,"}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code("1,2,x", {{"select_cols", std::vector<int64_t>{2, 1, 0}}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code("1,2,x", {{"select_cols", std::vector<int64_t>{0}}}), StatusCode::kInvalidArgument);
}

TEST_F(StringOpsTest, NGrams) {
  const auto attrs = [](std::vector<int64_t> widths, int64_t pad, bool keep_short) {
    return AttrMap{{"separator", "|"}, {"ngram_widths", widths}, {"left_pad", "L"},
                   {"right_pad", "R"}, {"pad_width", pad},       {"preserve_short_sequences", keep_short}};
  };
  const Tensor data = S({"a", "b", "c", "d"});
  const Tensor splits = Tensor::Vector<int64_t>({0, 3, 3, 4});
  std::vector<Tensor> out = All("StringNGrams", {data, splits}, attrs({1, 2}, 0, false));
  EXPECT_THAT(Texts(out[0]), ElementsAre("a", "b", "c", "a|b", "b|c", "d"));
  EXPECT_THAT(Values<int64_t>(out[1]), ElementsAre(0, 5, 5, 6));
  EXPECT_THAT(Texts(All("StringNGrams", {data, splits}, attrs({2}, 0, true))[0]), ElementsAre("a|b", "b|c", "d"));
  EXPECT_THAT(Texts(All("StringNGrams", {data, splits}, attrs({2}, -1, false))[0]),
              ElementsAre("L|a", "a|b", "b|c", "c|R", "L|R", "L|d", "d|R"));
  EXPECT_THAT(Texts(All("StringNGrams", {S({}), Tensor::Vector<int32_t>({0})}, attrs({2}, 0, false))[0]), IsEmpty());
  EXPECT_EQ(Code("StringNGrams", {data, splits}, attrs({0}, 0, false)), StatusCode::kInvalidArgument);
  EXPECT_EQ(Code("StringNGrams", {data, splits}, attrs({int64_t{1} << 30}, -1, false)), StatusCode::kResourceExhausted);
  for (const std::vector<int64_t>& wrong : {std::vector<int64_t>{1, 4}, {0, 5}, {0, 3}, {0, 3, 2, 4}, {0, -1, 4}})
    EXPECT_EQ(Code("StringNGrams", {data, Tensor::Vector<int64_t>(wrong)}, attrs({2}, 0, false)),
              StatusCode::kInvalidArgument);
}

TEST_F(StringOpsTest, Files) {
  const std::string directory = ::testing::TempDir() + fmt::format("weir_string_ops_test_{}", getpid());
  std::filesystem::remove_all(directory);
  const std::string file = directory + "/a/b.txt";
  const std::string text("with \0 zero", 11);
  EXPECT_EQ(Error("WriteFile", {One(file), One(text)}), OkStatus());
  EXPECT_EQ(Texts(Run("ReadFile", {One(file)})), Strings{text});
  EXPECT_EQ(Error("WriteFile", {One(directory + "/a/a.txt"), One("")}), OkStatus());
  EXPECT_THAT(Texts(Run("MatchingFiles", {S({directory + "/*/b*", directory + "/a/?.txt"})})),
              ElementsAre(directory + "/a/a.txt", file, file));
  EXPECT_THAT(Texts(Run("MatchingFiles", {One(directory + "/none*")})), IsEmpty());
  EXPECT_EQ(Code("ReadFile", {One(directory + "/none")}), StatusCode::kNotFound);
  EXPECT_EQ(Code("ReadFile", {One(directory)}), StatusCode::kFailedPrecondition);
  EXPECT_EQ(Code("WriteFile", {One(directory), One("x")}), StatusCode::kFailedPrecondition);
  EXPECT_EQ(Code("ReadFile", {S({file})}), StatusCode::kInvalidArgument);
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace weir::ops::string_ops_test
