#include "graph/compose/summary.h"

#include <any>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "graph/build/io_ops.h"
#include "graph/compose/dims.h"
#include "graph/compose/names.h"

namespace weir {
namespace {

bool InNames(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '-' || c == '/'; }
bool ContinuesCharacter(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }  // UTF-8 continuation byte

std::string CleanName(const std::string& name) {
  std::string clean;
  for (const char c : name)
    if (!ContinuesCharacter(c)) clean.push_back(InNames(c) ? c : '_');
  return clean.substr(std::min(clean.find_first_not_of('/'), clean.size()));
}

Output AddedToCollections(Graph& graph, Output summary, const std::vector<std::string>& collections) {
  if (summary.valid())
    for (const std::string& collection : collections) graph.collections().Add(collection, summary);
  return summary;
}

// Builds the node in its own scope. `make` gets the tag and the node's name.
template <class F>
Output InSummaryScope(Graph& graph, const std::string& name, const SummaryOptions& options, F&& make) {
  const std::string family = CleanName(options.family);
  const std::string base = CleanName(name);
  NameScope scope(graph, family.empty() ? base : family + "/" + base);
  const std::string tag = family.empty() ? scope.name() : family + "/" + scope.name();
  return AddedToCollections(graph, make(tag, ExactScopeName(scope)), options.collections);
}

template <class F>
Output InTaggedScope(Graph& graph, const char* kind, const TaggedSummaryOptions& options, F&& make) {
  NameScope scope(graph, NameOrDefault(options.name, kind));
  return AddedToCollections(graph, make(ExactScopeName(scope)), options.collections);
}

}  // namespace

Output SummarizeScalar(Graph& graph, const std::string& name, const Input& value, const SummaryOptions& options) {
  return InSummaryScope(graph, name, options, [&](const std::string& tag, const std::string& node) {
    return ScalarSummary(graph, tag, value, {.name = node});
  });
}

Output SummarizeHistogram(Graph& graph, const std::string& name, const Input& values, const SummaryOptions& options) {
  return InSummaryScope(graph, name, options, [&](const std::string& tag, const std::string& node) {
    return HistogramSummary(graph, tag, values, {.name = node});
  });
}

Output SummarizeImage(Graph& graph, const std::string& name, const Input& images, int64_t max_outputs,
                      const SummaryOptions& options) {
  return InSummaryScope(graph, name, options, [&](const std::string& tag, const std::string& node) {
    return ImageSummary(graph, tag, images, {.max_images = max_outputs, .name = node});
  });
}

Output SummarizeAudio(Graph& graph, const std::string& name, const Input& clips, const Input& sample_rate,
                      int64_t max_outputs, const SummaryOptions& options) {
  return InSummaryScope(graph, name, options, [&](const std::string& tag, const std::string& node) {
    return AudioSummaryV2(graph, tag, clips, sample_rate, {.max_outputs = max_outputs, .name = node});
  });
}

Output SummarizeTensor(Graph& graph, const std::string& name, const Input& tensor, const SummaryOptions& options) {
  return SummarizeTensor(graph, name, tensor, tensorflow::SummaryMetadata(), options);
}

Output SummarizeTensor(Graph& graph, const std::string& name, const Input& tensor,
                       const tensorflow::SummaryMetadata& metadata, const SummaryOptions& options) {
  return InSummaryScope(graph, name, options, [&](const std::string& tag, const std::string& node) {
    return TensorSummaryV2(graph, tag, tensor, metadata.SerializeAsString(), {.name = node});
  });
}

Result<Output> SummarizeText(Graph& graph, const std::string& name, const Input& text, const SummaryOptions& options) {
  const Output value = ValueOf(graph, text, kInvalidType, "tensor");
  WEIR_TRY(graph.TakeError());
  if (value.base_dtype() != kString)
    return InvalidArgument("Expected tensor {} to have dtype string, got {}", value.name(), value.base_dtype());
  tensorflow::SummaryMetadata metadata;
  metadata.mutable_plugin_data()->set_plugin_name("text");
  return SummarizeTensor(graph, name, value, metadata, options);
}

Output MergeSummaries(Graph& graph, const InputList& summaries, const std::vector<std::string>& collections,
                      const std::string& name) {
  const std::string clean = CleanName(name);
  NameScope scope(graph, NameOrDefault(clean, "Merge"));
  return AddedToCollections(graph, MergeSummary(graph, summaries, {.name = clean}), collections);
}

std::optional<Output> MergeAllSummaries(Graph& graph, const std::string& collection, const std::string& scope,
                                        const std::string& name) {
  InputList found;
  for (const std::any& item : graph.collections().Items(collection)) {
    const Output* summary = std::any_cast<Output>(&item);
    if (summary != nullptr && absl::StartsWith(summary->node->name(), scope)) found.push_back(*summary);
  }
  if (found.empty()) return std::nullopt;
  return MergeSummaries(graph, found, {}, name);
}

Output TaggedScalarSummary(Graph& graph, const Input& tags, const Input& values, const TaggedSummaryOptions& options) {
  return InTaggedScope(graph, "ScalarSummary", options,
                       [&](const std::string& node) { return ScalarSummary(graph, tags, values, {.name = node}); });
}

Output TaggedHistogramSummary(Graph& graph, const Input& tag, const Input& values,
                              const TaggedSummaryOptions& options) {
  return InTaggedScope(graph, "HistogramSummary", options,
                       [&](const std::string& node) { return HistogramSummary(graph, tag, values, {.name = node}); });
}

Output TaggedImageSummary(Graph& graph, const Input& tag, const Input& images, int64_t max_images,
                          const TaggedSummaryOptions& options) {
  return InTaggedScope(graph, "ImageSummary", options, [&](const std::string& node) {
    return ImageSummary(graph, tag, images, {.max_images = max_images, .name = node});
  });
}

Output TaggedAudioSummary(Graph& graph, const Input& tag, const Input& clips, const Input& sample_rate,
                          int64_t max_outputs, const TaggedSummaryOptions& options) {
  return InTaggedScope(graph, "AudioSummary", options, [&](const std::string& node) {
    return AudioSummaryV2(graph, tag, clips, sample_rate, {.max_outputs = max_outputs, .name = node});
  });
}

Output TaggedMergeSummary(Graph& graph, const InputList& summaries, const TaggedSummaryOptions& options) {
  NameScope scope(graph, NameOrDefault(options.name, "MergeSummary"));
  return AddedToCollections(graph, MergeSummary(graph, summaries, {.name = options.name}), options.collections);
}

}  // namespace weir
