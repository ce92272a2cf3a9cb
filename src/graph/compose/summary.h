// Summaries of values during training: nodes that give serialized Summary messages, tagged by the name scope they are
// made in and kept in a collection, so that one merged node stands for all of them. Errors stay with the graph's build
// state unless a Result says otherwise.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/graph_keys.h"
#include "graph/input.h"
#include "proto/summary.pb.h"

namespace weir {

struct SummaryOptions {
  std::vector<std::string> collections = {graph_keys::kSummaries};
  std::string family = "";  // the tab that TensorBoard shows it in: the first part of the tag
};

// The tag is the name with the scopes around it; characters that no name may have become '_'.
Output SummarizeScalar(Graph& graph, const std::string& name, const Input& value, const SummaryOptions& options = {});
Output SummarizeHistogram(Graph& graph, const std::string& name, const Input& values,
                          const SummaryOptions& options = {});
// Images [batch, height, width, 1, 3 or 4], the first `max_outputs` of them.
Output SummarizeImage(Graph& graph, const std::string& name, const Input& images, int64_t max_outputs = 3,
                      const SummaryOptions& options = {});
// Clips [batch, frames] or [batch, frames, channels] between -1 and 1; frames per second.
Output SummarizeAudio(Graph& graph, const std::string& name, const Input& clips, const Input& sample_rate,
                      int64_t max_outputs = 3, const SummaryOptions& options = {});
// Any tensor, with what a plugin needs to show it.
Output SummarizeTensor(Graph& graph, const std::string& name, const Input& tensor,
                       const tensorflow::SummaryMetadata& metadata = {}, const SummaryOptions& options = {});
// Strings of any shape, in Markdown. InvalidArgument for other types.
Result<Output> SummarizeText(Graph& graph, const std::string& name, const Input& text,
                             const SummaryOptions& options = {});

// One summary with the values of all. Kept in `collections`: none by default.
Output MergeSummaries(Graph& graph, const InputList& summaries, const std::vector<std::string>& collections = {},
                      const std::string& name = "");
// All of a collection, or those of them whose names begin with `scope`; nothing where there are none.
std::optional<Output> MergeAllSummaries(Graph& graph, const std::string& collection = graph_keys::kSummaries,
                                        const std::string& scope = "", const std::string& name = "");

// As before TensorFlow 1.0: tags are given, and may be several.
struct TaggedSummaryOptions {
  std::vector<std::string> collections = {graph_keys::kSummaries};
  std::string name = "";
};
Output TaggedScalarSummary(Graph& graph, const Input& tags, const Input& values,
                           const TaggedSummaryOptions& options = {});
Output TaggedHistogramSummary(Graph& graph, const Input& tag, const Input& values,
                              const TaggedSummaryOptions& options = {});
Output TaggedImageSummary(Graph& graph, const Input& tag, const Input& images, int64_t max_images = 3,
                          const TaggedSummaryOptions& options = {});
Output TaggedAudioSummary(Graph& graph, const Input& tag, const Input& clips, const Input& sample_rate,
                          int64_t max_outputs = 3, const TaggedSummaryOptions& options = {});
Output TaggedMergeSummary(Graph& graph, const InputList& summaries, const TaggedSummaryOptions& options);

}  // namespace weir
