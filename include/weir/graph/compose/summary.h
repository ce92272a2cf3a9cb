// Summary ops: nodes that output serialized Summary messages. The name scope determines the tag; nodes are added to a
// collection, so that they can be merged into one. Errors are recorded in the graph's build state unless the function
// returns a Result.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "weir/graph/graph.h"
#include "weir/graph/graph_keys.h"
#include "weir/graph/input.h"
#include "weir/proto/messages.h"

namespace weir {

struct SummaryOptions {
  std::vector<std::string> collections = {graph_keys::kSummaries};
  std::string family = "";  // first part of the tag: TensorBoard shows the summary in this tab
};

// The tag is the name prefixed with the name scopes. Characters that are invalid in names become '_'.
Output SummarizeScalar(Graph& graph, const std::string& name, const Input& value, const SummaryOptions& options = {});
Output SummarizeHistogram(Graph& graph, const std::string& name, const Input& values,
                          const SummaryOptions& options = {});
// Images [batch, height, width, channels] with 1, 3 or 4 channels; summarizes the first `max_outputs`.
Output SummarizeImage(Graph& graph, const std::string& name, const Input& images, int64_t max_outputs = 3,
                      const SummaryOptions& options = {});
// Audio clips [batch, frames] or [batch, frames, channels] with values from -1 to 1; sample_rate in Hz.
Output SummarizeAudio(Graph& graph, const std::string& name, const Input& clips, const Input& sample_rate,
                      int64_t max_outputs = 3, const SummaryOptions& options = {});
// Any tensor, with metadata for the plugin that displays it.
Output SummarizeTensor(Graph& graph, const std::string& name, const Input& tensor, const SummaryOptions& options = {});
Output SummarizeTensor(Graph& graph, const std::string& name, const Input& tensor,
                       const tensorflow::SummaryMetadata& metadata, const SummaryOptions& options = {});
// Strings of any shape, in Markdown. InvalidArgument for other types.
Result<Output> SummarizeText(Graph& graph, const std::string& name, const Input& text,
                             const SummaryOptions& options = {});

// Merges all values into one summary, and adds it to `collections` (none by default).
Output MergeSummaries(Graph& graph, const InputList& summaries, const std::vector<std::string>& collections = {},
                      const std::string& name = "");
// Merges a collection, or the part whose names start with `scope`. nullopt if there are none.
std::optional<Output> MergeAllSummaries(Graph& graph, const std::string& collection = graph_keys::kSummaries,
                                        const std::string& scope = "", const std::string& name = "");

// Summaries of TensorFlow before 1.0: the caller gives the tags, possibly several.
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
