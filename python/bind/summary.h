// Binds summaries and event files.
#pragma once

#include <pybind11/pybind11.h>

#include "train/file_writer.h"

namespace weir::python {

namespace py = pybind11;

// Converts a summary writer: a FileWriter directly; other objects through their methods add_summary, add_session_log,
// add_graph, add_meta_graph, add_run_metadata, flush, close and reopen. The result may be used without the GIL. Null
// for None.
SummaryWriterPtr SummaryWriterFrom(py::object writer);
// The shared writer of a directory. When it is created, it gets the default graph.
std::shared_ptr<FileWriter> CachedWriter(const std::string& logdir);

void BindSummaries(py::module_& m);
void BindFileWriter(py::module_& m);

}  // namespace weir::python
