// Written by `make generate`, not by hand.
// clang-format off
#include "graph/build/string_ops.h"

namespace weir {

Output AsString(Graph& graph, const Input& input, const AsStringAttrs& attrs) {
  NodeBuilder node(graph, "AsString", attrs.name);
  node.In(input);
  node.Attr("precision", attrs.precision);
  node.Attr("scientific", attrs.scientific);
  node.Attr("shortest", attrs.shortest);
  node.Attr("width", attrs.width);
  node.Attr("fill", attrs.fill);
  return node.BuildOutput();
}
Output AsString(const Input& input, const AsStringAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return AsString(*graph, input, attrs);
}

Output DecodeBase64(Graph& graph, const Input& input, const DecodeBase64Attrs& attrs) {
  NodeBuilder node(graph, "DecodeBase64", attrs.name);
  node.In(input);
  return node.BuildOutput();
}
Output DecodeBase64(const Input& input, const DecodeBase64Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return DecodeBase64(*graph, input, attrs);
}

OutputList DecodeCSV(Graph& graph, const Input& records, const InputList& record_defaults, const DecodeCSVAttrs& attrs) {
  NodeBuilder node(graph, "DecodeCSV", attrs.name);
  node.In(records);
  node.In(record_defaults);
  node.Attr("field_delim", attrs.field_delim);
  node.Attr("use_quote_delim", attrs.use_quote_delim);
  node.Attr("na_value", attrs.na_value);
  node.Attr("select_cols", attrs.select_cols);
  return node.BuildOutputs();
}
OutputList DecodeCSV(const Input& records, const InputList& record_defaults, const DecodeCSVAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{records}, record_defaults});
  if (graph == nullptr) return {};
  return DecodeCSV(*graph, records, record_defaults, attrs);
}

Output DecodePaddedRaw(Graph& graph, const Input& input_bytes, const Input& fixed_length, DType out_type, const DecodePaddedRawAttrs& attrs) {
  NodeBuilder node(graph, "DecodePaddedRaw", attrs.name);
  node.In(input_bytes);
  node.In(fixed_length);
  node.Attr("out_type", out_type);
  node.Attr("little_endian", attrs.little_endian);
  return node.BuildOutput();
}
Output DecodePaddedRaw(const Input& input_bytes, const Input& fixed_length, DType out_type, const DecodePaddedRawAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_bytes}, InputList{fixed_length}});
  if (graph == nullptr) return {};
  return DecodePaddedRaw(*graph, input_bytes, fixed_length, out_type, attrs);
}

Output DecodeRaw(Graph& graph, const Input& bytes, DType out_type, const DecodeRawAttrs& attrs) {
  NodeBuilder node(graph, "DecodeRaw", attrs.name);
  node.In(bytes);
  node.Attr("out_type", out_type);
  node.Attr("little_endian", attrs.little_endian);
  return node.BuildOutput();
}
Output DecodeRaw(const Input& bytes, DType out_type, const DecodeRawAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{bytes}});
  if (graph == nullptr) return {};
  return DecodeRaw(*graph, bytes, out_type, attrs);
}

Output EncodeBase64(Graph& graph, const Input& input, const EncodeBase64Attrs& attrs) {
  NodeBuilder node(graph, "EncodeBase64", attrs.name);
  node.In(input);
  node.Attr("pad", attrs.pad);
  return node.BuildOutput();
}
Output EncodeBase64(const Input& input, const EncodeBase64Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return EncodeBase64(*graph, input, attrs);
}

Output MatchingFiles(Graph& graph, const Input& pattern, const MatchingFilesAttrs& attrs) {
  NodeBuilder node(graph, "MatchingFiles", attrs.name);
  node.In(pattern);
  return node.BuildOutput();
}
Output MatchingFiles(const Input& pattern, const MatchingFilesAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{pattern}});
  if (graph == nullptr) return {};
  return MatchingFiles(*graph, pattern, attrs);
}

Output ReadFile(Graph& graph, const Input& filename, const ReadFileAttrs& attrs) {
  NodeBuilder node(graph, "ReadFile", attrs.name);
  node.In(filename);
  return node.BuildOutput();
}
Output ReadFile(const Input& filename, const ReadFileAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{filename}});
  if (graph == nullptr) return {};
  return ReadFile(*graph, filename, attrs);
}

Output ReduceJoin(Graph& graph, const Input& inputs, const Input& reduction_indices, const ReduceJoinAttrs& attrs) {
  NodeBuilder node(graph, "ReduceJoin", attrs.name);
  node.In(inputs);
  node.In(reduction_indices);
  node.Attr("keep_dims", attrs.keep_dims);
  node.Attr("separator", attrs.separator);
  return node.BuildOutput();
}
Output ReduceJoin(const Input& inputs, const Input& reduction_indices, const ReduceJoinAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{inputs}, InputList{reduction_indices}});
  if (graph == nullptr) return {};
  return ReduceJoin(*graph, inputs, reduction_indices, attrs);
}

Output RegexFullMatch(Graph& graph, const Input& input, const Input& pattern, const RegexFullMatchAttrs& attrs) {
  NodeBuilder node(graph, "RegexFullMatch", attrs.name);
  node.In(input);
  node.In(pattern);
  return node.BuildOutput();
}
Output RegexFullMatch(const Input& input, const Input& pattern, const RegexFullMatchAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{pattern}});
  if (graph == nullptr) return {};
  return RegexFullMatch(*graph, input, pattern, attrs);
}

Output RegexReplace(Graph& graph, const Input& input, const Input& pattern, const Input& rewrite, const RegexReplaceAttrs& attrs) {
  NodeBuilder node(graph, "RegexReplace", attrs.name);
  node.In(input);
  node.In(pattern);
  node.In(rewrite);
  node.Attr("replace_global", attrs.replace_global);
  return node.BuildOutput();
}
Output RegexReplace(const Input& input, const Input& pattern, const Input& rewrite, const RegexReplaceAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{pattern}, InputList{rewrite}});
  if (graph == nullptr) return {};
  return RegexReplace(*graph, input, pattern, rewrite, attrs);
}

Output StaticRegexFullMatch(Graph& graph, const Input& input, const std::string& pattern, const StaticRegexFullMatchAttrs& attrs) {
  NodeBuilder node(graph, "StaticRegexFullMatch", attrs.name);
  node.In(input);
  node.Attr("pattern", pattern);
  return node.BuildOutput();
}
Output StaticRegexFullMatch(const Input& input, const std::string& pattern, const StaticRegexFullMatchAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return StaticRegexFullMatch(*graph, input, pattern, attrs);
}

Output StaticRegexReplace(Graph& graph, const Input& input, const std::string& pattern, const std::string& rewrite, const StaticRegexReplaceAttrs& attrs) {
  NodeBuilder node(graph, "StaticRegexReplace", attrs.name);
  node.In(input);
  node.Attr("pattern", pattern);
  node.Attr("rewrite", rewrite);
  node.Attr("replace_global", attrs.replace_global);
  return node.BuildOutput();
}
Output StaticRegexReplace(const Input& input, const std::string& pattern, const std::string& rewrite, const StaticRegexReplaceAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return StaticRegexReplace(*graph, input, pattern, rewrite, attrs);
}

Output StringJoin(Graph& graph, const InputList& inputs, const StringJoinAttrs& attrs) {
  NodeBuilder node(graph, "StringJoin", attrs.name);
  node.In(inputs);
  node.Attr("separator", attrs.separator);
  return node.BuildOutput();
}
Output StringJoin(const InputList& inputs, const StringJoinAttrs& attrs) {
  Graph* graph = GraphOfAll({inputs});
  if (graph == nullptr) return {};
  return StringJoin(*graph, inputs, attrs);
}

Output StringLength(Graph& graph, const Input& input, const StringLengthAttrs& attrs) {
  NodeBuilder node(graph, "StringLength", attrs.name);
  node.In(input);
  node.Attr("unit", attrs.unit);
  return node.BuildOutput();
}
Output StringLength(const Input& input, const StringLengthAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return StringLength(*graph, input, attrs);
}

Output StringLower(Graph& graph, const Input& input, const StringLowerAttrs& attrs) {
  NodeBuilder node(graph, "StringLower", attrs.name);
  node.In(input);
  node.Attr("encoding", attrs.encoding);
  return node.BuildOutput();
}
Output StringLower(const Input& input, const StringLowerAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return StringLower(*graph, input, attrs);
}

StringNGramsResult StringNGrams(Graph& graph, const Input& data, const Input& data_splits, const std::string& separator, const std::vector<int64_t>& ngram_widths, const std::string& left_pad, const std::string& right_pad, int64_t pad_width, bool preserve_short_sequences, const StringNGramsAttrs& attrs) {
  NodeBuilder node(graph, "StringNGrams", attrs.name);
  node.In(data);
  node.In(data_splits);
  node.Attr("separator", separator);
  node.Attr("ngram_widths", ngram_widths);
  node.Attr("left_pad", left_pad);
  node.Attr("right_pad", right_pad);
  node.Attr("pad_width", pad_width);
  node.Attr("preserve_short_sequences", preserve_short_sequences);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
StringNGramsResult StringNGrams(const Input& data, const Input& data_splits, const std::string& separator, const std::vector<int64_t>& ngram_widths, const std::string& left_pad, const std::string& right_pad, int64_t pad_width, bool preserve_short_sequences, const StringNGramsAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{data}, InputList{data_splits}});
  if (graph == nullptr) return {};
  return StringNGrams(*graph, data, data_splits, separator, ngram_widths, left_pad, right_pad, pad_width, preserve_short_sequences, attrs);
}

StringSplitResult StringSplit(Graph& graph, const Input& input, const Input& delimiter, const StringSplitAttrs& attrs) {
  NodeBuilder node(graph, "StringSplit", attrs.name);
  node.In(input);
  node.In(delimiter);
  node.Attr("skip_empty", attrs.skip_empty);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
StringSplitResult StringSplit(const Input& input, const Input& delimiter, const StringSplitAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{delimiter}});
  if (graph == nullptr) return {};
  return StringSplit(*graph, input, delimiter, attrs);
}

StringSplitV2Result StringSplitV2(Graph& graph, const Input& input, const Input& sep, const StringSplitV2Attrs& attrs) {
  NodeBuilder node(graph, "StringSplitV2", attrs.name);
  node.In(input);
  node.In(sep);
  node.Attr("maxsplit", attrs.maxsplit);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
StringSplitV2Result StringSplitV2(const Input& input, const Input& sep, const StringSplitV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{sep}});
  if (graph == nullptr) return {};
  return StringSplitV2(*graph, input, sep, attrs);
}

Output StringStrip(Graph& graph, const Input& input, const StringStripAttrs& attrs) {
  NodeBuilder node(graph, "StringStrip", attrs.name);
  node.In(input);
  return node.BuildOutput();
}
Output StringStrip(const Input& input, const StringStripAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return StringStrip(*graph, input, attrs);
}

Output StringToHashBucket(Graph& graph, const Input& string_tensor, int64_t num_buckets, const StringToHashBucketAttrs& attrs) {
  NodeBuilder node(graph, "StringToHashBucket", attrs.name);
  node.In(string_tensor);
  node.Attr("num_buckets", num_buckets);
  return node.BuildOutput();
}
Output StringToHashBucket(const Input& string_tensor, int64_t num_buckets, const StringToHashBucketAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{string_tensor}});
  if (graph == nullptr) return {};
  return StringToHashBucket(*graph, string_tensor, num_buckets, attrs);
}

Output StringToHashBucketFast(Graph& graph, const Input& input, int64_t num_buckets, const StringToHashBucketFastAttrs& attrs) {
  NodeBuilder node(graph, "StringToHashBucketFast", attrs.name);
  node.In(input);
  node.Attr("num_buckets", num_buckets);
  return node.BuildOutput();
}
Output StringToHashBucketFast(const Input& input, int64_t num_buckets, const StringToHashBucketFastAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return StringToHashBucketFast(*graph, input, num_buckets, attrs);
}

Output StringToHashBucketStrong(Graph& graph, const Input& input, int64_t num_buckets, const std::vector<int64_t>& key, const StringToHashBucketStrongAttrs& attrs) {
  NodeBuilder node(graph, "StringToHashBucketStrong", attrs.name);
  node.In(input);
  node.Attr("num_buckets", num_buckets);
  node.Attr("key", key);
  return node.BuildOutput();
}
Output StringToHashBucketStrong(const Input& input, int64_t num_buckets, const std::vector<int64_t>& key, const StringToHashBucketStrongAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return StringToHashBucketStrong(*graph, input, num_buckets, key, attrs);
}

Output StringToNumber(Graph& graph, const Input& string_tensor, const StringToNumberAttrs& attrs) {
  NodeBuilder node(graph, "StringToNumber", attrs.name);
  node.In(string_tensor);
  node.Attr("out_type", attrs.out_type);
  return node.BuildOutput();
}
Output StringToNumber(const Input& string_tensor, const StringToNumberAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{string_tensor}});
  if (graph == nullptr) return {};
  return StringToNumber(*graph, string_tensor, attrs);
}

Output StringUpper(Graph& graph, const Input& input, const StringUpperAttrs& attrs) {
  NodeBuilder node(graph, "StringUpper", attrs.name);
  node.In(input);
  node.Attr("encoding", attrs.encoding);
  return node.BuildOutput();
}
Output StringUpper(const Input& input, const StringUpperAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return StringUpper(*graph, input, attrs);
}

Output Substr(Graph& graph, const Input& input, const Input& pos, const Input& len, const SubstrAttrs& attrs) {
  NodeBuilder node(graph, "Substr", attrs.name);
  node.In(input);
  node.In(pos);
  node.In(len);
  node.Attr("unit", attrs.unit);
  return node.BuildOutput();
}
Output Substr(const Input& input, const Input& pos, const Input& len, const SubstrAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{pos}, InputList{len}});
  if (graph == nullptr) return {};
  return Substr(*graph, input, pos, len, attrs);
}

Output UnicodeScript(Graph& graph, const Input& input, const UnicodeScriptAttrs& attrs) {
  NodeBuilder node(graph, "UnicodeScript", attrs.name);
  node.In(input);
  return node.BuildOutput();
}
Output UnicodeScript(const Input& input, const UnicodeScriptAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return UnicodeScript(*graph, input, attrs);
}

Output UnsortedSegmentJoin(Graph& graph, const Input& inputs, const Input& segment_ids, const Input& num_segments, const UnsortedSegmentJoinAttrs& attrs) {
  NodeBuilder node(graph, "UnsortedSegmentJoin", attrs.name);
  node.In(inputs);
  node.In(segment_ids);
  node.In(num_segments);
  node.Attr("separator", attrs.separator);
  return node.BuildOutput();
}
Output UnsortedSegmentJoin(const Input& inputs, const Input& segment_ids, const Input& num_segments, const UnsortedSegmentJoinAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{inputs}, InputList{segment_ids}, InputList{num_segments}});
  if (graph == nullptr) return {};
  return UnsortedSegmentJoin(*graph, inputs, segment_ids, num_segments, attrs);
}

Node* WriteFile(Graph& graph, const Input& filename, const Input& contents, const WriteFileAttrs& attrs) {
  NodeBuilder node(graph, "WriteFile", attrs.name);
  node.In(filename);
  node.In(contents);
  return node.BuildNode();
}
Node* WriteFile(const Input& filename, const Input& contents, const WriteFileAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{filename}, InputList{contents}});
  if (graph == nullptr) return {};
  return WriteFile(*graph, filename, contents, attrs);
}

}  // namespace weir
