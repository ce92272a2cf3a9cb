// Summaries and event files in Python.
#pragma once

#include <pybind11/pybind11.h>

#include "train/file_writer.h"

namespace weir::python {

namespace py = pybind11;

// A FileWriter as it is; any other object by its methods add_summary, add_session_log, add_graph, add_meta_graph,
// add_run_metadata, flush, close and reopen, which may then be called without the GIL. Null for None.
SummaryWriterPtr SummaryWriterFrom(py::object writer);
// The writer of a directory, one for all who ask; a new one gets the default graph.
std::shared_ptr<FileWriter> CachedWriter(const std::string& logdir);

void BindSummaries(py::module_& m);
void BindFileWriter(py::module_& m);

}  // namespace weir::python
