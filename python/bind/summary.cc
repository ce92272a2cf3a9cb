// tf.summary.scalar and related functions, which build summary nodes.
#include "bind/summary.h"

#include <pybind11/stl.h>

#include "bind/arguments.h"
#include "bind/messages.h"
#include "graph/compose/summary.h"

namespace weir::python {
namespace {

using Collections = std::optional<std::vector<std::string>>;  // None: the default collections

// The name of a summary, which has no default.
struct SummaryName {
  std::string text;
};

}  // namespace
}  // namespace weir::python

namespace pybind11::detail {

template <>
struct type_caster<weir::python::SummaryName> {
  PYBIND11_TYPE_CASTER(weir::python::SummaryName, const_name("str"));
  bool load(handle source, bool) {
    if (source.is_none())
      weir::python::RaiseValue("At least one of name (None) and default_name (None) must be provided.");
    if (!PyUnicode_Check(source.ptr())) return false;
    value.text = source.cast<std::string>();
    return true;
  }
};

}  // namespace pybind11::detail

namespace weir::python {
namespace {

SummaryOptions Options(const Collections& collections, const Name& family = {}) {
  SummaryOptions options;
  if (collections.has_value()) options.collections = *collections;
  options.family = family.text;
  return options;
}

TaggedSummaryOptions Tagged(const Collections& collections, const Name& name) {
  TaggedSummaryOptions options;
  if (collections.has_value()) options.collections = *collections;
  options.name = name.text;
  return options;
}

void BindNamed(py::module_& m) {
  const auto collections = py::arg("collections") = py::none();
  const auto family = py::arg("family") = py::none();
  Def(
      m, "summary_scalar",
      +[](Graph& g, SummaryName name, Input tensor, Collections c, Name f) {
        return SummarizeScalar(g, name.text, tensor, Options(c, f));
      },
      py::arg("name"), py::arg("tensor"), collections, family);
  Def(
      m, "summary_histogram",
      +[](Graph& g, SummaryName name, Input values, Collections c, Name f) {
        return SummarizeHistogram(g, name.text, values, Options(c, f));
      },
      py::arg("name"), py::arg("values"), collections, family);
  Def(
      m, "summary_image",
      +[](Graph& g, SummaryName name, Input tensor, int64_t max_outputs, Collections c, Name f) {
        return SummarizeImage(g, name.text, tensor, max_outputs, Options(c, f));
      },
      py::arg("name"), py::arg("tensor"), py::arg("max_outputs") = 3, collections, family);
  Def(
      m, "summary_audio",
      +[](Graph& g, SummaryName name, Input tensor, Input sample_rate, int64_t max_outputs, Collections c, Name f) {
        return SummarizeAudio(g, name.text, tensor, sample_rate, max_outputs, Options(c, f));
      },
      py::arg("name"), py::arg("tensor"), py::arg("sample_rate"), py::arg("max_outputs") = 3, collections, family);
  Def(
      m, "summary_text",
      +[](Graph& g, SummaryName name, Input tensor, Collections c) {
        return SummarizeText(g, name.text, tensor, Options(c));
      },
      py::arg("name"), py::arg("tensor"), collections);
  Def(
      m, "summary_tensor",
      +[](Graph& g, SummaryName name, Input tensor, Name description, Collections c, py::object metadata, Name f,
          Name display_name) {
        auto message = MessageFrom<tensorflow::SummaryMetadata>(metadata);
        if (description.given()) message.set_summary_description(description.text);
        if (display_name.given()) message.set_display_name(display_name.text);
        return SummarizeTensor(g, name.text, tensor, message, Options(c, f));
      },
      py::arg("name"), py::arg("tensor"), py::arg("summary_description") = py::none(), collections,
      py::arg("summary_metadata") = py::none(), family, py::arg("display_name") = py::none());
}

void BindTagged(py::module_& m) {
  const auto collections = py::arg("collections") = py::none();
  const auto name = py::arg("name") = py::none();
  Def(
      m, "tagged_scalar_summary",
      +[](Graph& g, Input tags, Input values, Collections c, Name n) {
        return TaggedScalarSummary(g, tags, values, Tagged(c, n));
      },
      py::arg("tags"), py::arg("values"), collections, name);
  Def(
      m, "tagged_histogram_summary",
      +[](Graph& g, Input tag, Input values, Collections c, Name n) {
        return TaggedHistogramSummary(g, tag, values, Tagged(c, n));
      },
      py::arg("tag"), py::arg("values"), collections, name);
  Def(
      m, "tagged_image_summary",
      +[](Graph& g, Input tag, Input tensor, int64_t max_images, Collections c, Name n) {
        return TaggedImageSummary(g, tag, tensor, max_images, Tagged(c, n));
      },
      py::arg("tag"), py::arg("tensor"), py::arg("max_images") = 3, collections, name);
  Def(
      m, "tagged_audio_summary",
      +[](Graph& g, Input tag, Input tensor, Input sample_rate, int64_t max_outputs, Collections c, Name n) {
        return TaggedAudioSummary(g, tag, tensor, sample_rate, max_outputs, Tagged(c, n));
      },
      py::arg("tag"), py::arg("tensor"), py::arg("sample_rate"), py::arg("max_outputs") = 3, collections, name);
  Def(
      m, "tagged_merge_summary",
      +[](Graph& g, InputList inputs, Collections c, Name n) {
        TaggedSummaryOptions options = Tagged(c, n);
        if (!c.has_value()) options.collections.clear();
        return TaggedMergeSummary(g, inputs, options);
      },
      py::arg("inputs"), collections, name);
}

}  // namespace

void BindSummaries(py::module_& m) {
  BindNamed(m);
  BindTagged(m);
  Def(
      m, "summary_merge",
      +[](Graph& g, InputList inputs, Collections c, Name n) {
        return MergeSummaries(g, inputs, c.value_or(std::vector<std::string>()), n.text);
      },
      py::arg("inputs"), py::arg("collections") = py::none(), py::arg("name") = py::none());
}

}  // namespace weir::python
