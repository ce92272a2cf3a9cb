// Graph-building functions for the ops of ops/string, one per op: written by `make generate`, not by hand.
// Inputs first, then attributes without a default; the rest are in the trailing struct.
// clang-format off
#ifndef WEIR_GRAPH_BUILD_STRING_OPS_H_
#define WEIR_GRAPH_BUILD_STRING_OPS_H_

#include <limits>

#include "graph/node_builder.h"

namespace weir {

struct AsStringAttrs {
  int64_t precision = -1;
  bool scientific = false;
  bool shortest = false;
  int64_t width = -1;
  std::string fill = "";
  std::string name = "";
};
Output AsString(Graph& graph, const Input& input, const AsStringAttrs& attrs = {});
Output AsString(const Input& input, const AsStringAttrs& attrs = {});

struct DecodeBase64Attrs {
  std::string name = "";
};
Output DecodeBase64(Graph& graph, const Input& input, const DecodeBase64Attrs& attrs = {});
Output DecodeBase64(const Input& input, const DecodeBase64Attrs& attrs = {});

struct DecodeCSVAttrs {
  std::string field_delim = ",";
  bool use_quote_delim = true;
  std::string na_value = "";
  std::vector<int64_t> select_cols = {};
  std::string name = "";
};
OutputList DecodeCSV(Graph& graph, const Input& records, const InputList& record_defaults, const DecodeCSVAttrs& attrs = {});
OutputList DecodeCSV(const Input& records, const InputList& record_defaults, const DecodeCSVAttrs& attrs = {});

struct DecodePaddedRawAttrs {
  bool little_endian = true;
  std::string name = "";
};
Output DecodePaddedRaw(Graph& graph, const Input& input_bytes, const Input& fixed_length, DType out_type, const DecodePaddedRawAttrs& attrs = {});
Output DecodePaddedRaw(const Input& input_bytes, const Input& fixed_length, DType out_type, const DecodePaddedRawAttrs& attrs = {});

struct DecodeRawAttrs {
  bool little_endian = true;
  std::string name = "";
};
Output DecodeRaw(Graph& graph, const Input& bytes, DType out_type, const DecodeRawAttrs& attrs = {});
Output DecodeRaw(const Input& bytes, DType out_type, const DecodeRawAttrs& attrs = {});

struct EncodeBase64Attrs {
  bool pad = false;
  std::string name = "";
};
Output EncodeBase64(Graph& graph, const Input& input, const EncodeBase64Attrs& attrs = {});
Output EncodeBase64(const Input& input, const EncodeBase64Attrs& attrs = {});

struct MatchingFilesAttrs {
  std::string name = "";
};
Output MatchingFiles(Graph& graph, const Input& pattern, const MatchingFilesAttrs& attrs = {});
Output MatchingFiles(const Input& pattern, const MatchingFilesAttrs& attrs = {});

struct ReadFileAttrs {
  std::string name = "";
};
Output ReadFile(Graph& graph, const Input& filename, const ReadFileAttrs& attrs = {});
Output ReadFile(const Input& filename, const ReadFileAttrs& attrs = {});

struct ReduceJoinAttrs {
  bool keep_dims = false;
  std::string separator = "";
  std::string name = "";
};
Output ReduceJoin(Graph& graph, const Input& inputs, const Input& reduction_indices, const ReduceJoinAttrs& attrs = {});
Output ReduceJoin(const Input& inputs, const Input& reduction_indices, const ReduceJoinAttrs& attrs = {});

struct RegexFullMatchAttrs {
  std::string name = "";
};
Output RegexFullMatch(Graph& graph, const Input& input, const Input& pattern, const RegexFullMatchAttrs& attrs = {});
Output RegexFullMatch(const Input& input, const Input& pattern, const RegexFullMatchAttrs& attrs = {});

struct RegexReplaceAttrs {
  bool replace_global = true;
  std::string name = "";
};
Output RegexReplace(Graph& graph, const Input& input, const Input& pattern, const Input& rewrite, const RegexReplaceAttrs& attrs = {});
Output RegexReplace(const Input& input, const Input& pattern, const Input& rewrite, const RegexReplaceAttrs& attrs = {});

struct StaticRegexFullMatchAttrs {
  std::string name = "";
};
Output StaticRegexFullMatch(Graph& graph, const Input& input, const std::string& pattern, const StaticRegexFullMatchAttrs& attrs = {});
Output StaticRegexFullMatch(const Input& input, const std::string& pattern, const StaticRegexFullMatchAttrs& attrs = {});

struct StaticRegexReplaceAttrs {
  bool replace_global = true;
  std::string name = "";
};
Output StaticRegexReplace(Graph& graph, const Input& input, const std::string& pattern, const std::string& rewrite, const StaticRegexReplaceAttrs& attrs = {});
Output StaticRegexReplace(const Input& input, const std::string& pattern, const std::string& rewrite, const StaticRegexReplaceAttrs& attrs = {});

struct StringJoinAttrs {
  std::string separator = "";
  std::string name = "";
};
Output StringJoin(Graph& graph, const InputList& inputs, const StringJoinAttrs& attrs = {});
Output StringJoin(const InputList& inputs, const StringJoinAttrs& attrs = {});

struct StringLengthAttrs {
  std::string unit = "BYTE";
  std::string name = "";
};
Output StringLength(Graph& graph, const Input& input, const StringLengthAttrs& attrs = {});
Output StringLength(const Input& input, const StringLengthAttrs& attrs = {});

struct StringLowerAttrs {
  std::string encoding = "";
  std::string name = "";
};
Output StringLower(Graph& graph, const Input& input, const StringLowerAttrs& attrs = {});
Output StringLower(const Input& input, const StringLowerAttrs& attrs = {});

struct StringNGramsAttrs {
  std::string name = "";
};
struct StringNGramsResult {
  Output ngrams;
  Output ngrams_splits;
};
StringNGramsResult StringNGrams(Graph& graph, const Input& data, const Input& data_splits, const std::string& separator, const std::vector<int64_t>& ngram_widths, const std::string& left_pad, const std::string& right_pad, int64_t pad_width, bool preserve_short_sequences, const StringNGramsAttrs& attrs = {});
StringNGramsResult StringNGrams(const Input& data, const Input& data_splits, const std::string& separator, const std::vector<int64_t>& ngram_widths, const std::string& left_pad, const std::string& right_pad, int64_t pad_width, bool preserve_short_sequences, const StringNGramsAttrs& attrs = {});

struct StringSplitAttrs {
  bool skip_empty = true;
  std::string name = "";
};
struct StringSplitResult {
  Output indices;
  Output values;
  Output shape;
};
StringSplitResult StringSplit(Graph& graph, const Input& input, const Input& delimiter, const StringSplitAttrs& attrs = {});
StringSplitResult StringSplit(const Input& input, const Input& delimiter, const StringSplitAttrs& attrs = {});

struct StringSplitV2Attrs {
  int64_t maxsplit = -1;
  std::string name = "";
};
struct StringSplitV2Result {
  Output indices;
  Output values;
  Output shape;
};
StringSplitV2Result StringSplitV2(Graph& graph, const Input& input, const Input& sep, const StringSplitV2Attrs& attrs = {});
StringSplitV2Result StringSplitV2(const Input& input, const Input& sep, const StringSplitV2Attrs& attrs = {});

struct StringStripAttrs {
  std::string name = "";
};
Output StringStrip(Graph& graph, const Input& input, const StringStripAttrs& attrs = {});
Output StringStrip(const Input& input, const StringStripAttrs& attrs = {});

struct StringToHashBucketAttrs {
  std::string name = "";
};
Output StringToHashBucket(Graph& graph, const Input& string_tensor, int64_t num_buckets, const StringToHashBucketAttrs& attrs = {});
Output StringToHashBucket(const Input& string_tensor, int64_t num_buckets, const StringToHashBucketAttrs& attrs = {});

struct StringToHashBucketFastAttrs {
  std::string name = "";
};
Output StringToHashBucketFast(Graph& graph, const Input& input, int64_t num_buckets, const StringToHashBucketFastAttrs& attrs = {});
Output StringToHashBucketFast(const Input& input, int64_t num_buckets, const StringToHashBucketFastAttrs& attrs = {});

struct StringToHashBucketStrongAttrs {
  std::string name = "";
};
Output StringToHashBucketStrong(Graph& graph, const Input& input, int64_t num_buckets, const std::vector<int64_t>& key, const StringToHashBucketStrongAttrs& attrs = {});
Output StringToHashBucketStrong(const Input& input, int64_t num_buckets, const std::vector<int64_t>& key, const StringToHashBucketStrongAttrs& attrs = {});

struct StringToNumberAttrs {
  DType out_type = kFloat;
  std::string name = "";
};
Output StringToNumber(Graph& graph, const Input& string_tensor, const StringToNumberAttrs& attrs = {});
Output StringToNumber(const Input& string_tensor, const StringToNumberAttrs& attrs = {});

struct StringUpperAttrs {
  std::string encoding = "";
  std::string name = "";
};
Output StringUpper(Graph& graph, const Input& input, const StringUpperAttrs& attrs = {});
Output StringUpper(const Input& input, const StringUpperAttrs& attrs = {});

struct SubstrAttrs {
  std::string unit = "BYTE";
  std::string name = "";
};
Output Substr(Graph& graph, const Input& input, const Input& pos, const Input& len, const SubstrAttrs& attrs = {});
Output Substr(const Input& input, const Input& pos, const Input& len, const SubstrAttrs& attrs = {});

struct UnicodeScriptAttrs {
  std::string name = "";
};
Output UnicodeScript(Graph& graph, const Input& input, const UnicodeScriptAttrs& attrs = {});
Output UnicodeScript(const Input& input, const UnicodeScriptAttrs& attrs = {});

struct UnsortedSegmentJoinAttrs {
  std::string separator = "";
  std::string name = "";
};
Output UnsortedSegmentJoin(Graph& graph, const Input& inputs, const Input& segment_ids, const Input& num_segments, const UnsortedSegmentJoinAttrs& attrs = {});
Output UnsortedSegmentJoin(const Input& inputs, const Input& segment_ids, const Input& num_segments, const UnsortedSegmentJoinAttrs& attrs = {});

struct WriteFileAttrs {
  std::string name = "";
};
Node* WriteFile(Graph& graph, const Input& filename, const Input& contents, const WriteFileAttrs& attrs = {});
Node* WriteFile(const Input& filename, const Input& contents, const WriteFileAttrs& attrs = {});

}  // namespace weir

#endif  // WEIR_GRAPH_BUILD_STRING_OPS_H_
