// tf.summary.FileWriter and its cache. Calls that may wait for the writer thread release the GIL. Open writers are
// closed at exit, which writes their pending events.
#include <pybind11/stl.h>

#include "bind/files.h"
#include "bind/gc.h"
#include "bind/gil.h"
#include "bind/messages.h"
#include "bind/objects.h"
#include "bind/process.h"
#include "bind/summary.h"
#include "graph/graph_def.h"

namespace weir::python {
namespace {

using Step = SummaryWriter::Step;

// The writers to close at exit, and the cache.
struct Writers {
  std::mutex mu;
  std::vector<std::weak_ptr<FileWriter>> open;
  FileWriterCache cache{Process::Get().env()};

  std::shared_ptr<FileWriter> Keep(std::shared_ptr<FileWriter> writer) {
    std::lock_guard<std::mutex> lock(mu);
    std::erase_if(open, [](const std::weak_ptr<FileWriter>& w) { return w.expired(); });
    open.push_back(writer);
    return writer;
  }
};
Writers& GetWriters() {
  static Writers* writers = new Writers;  // leaked: objects destroyed late in shutdown may still write
  return *writers;
}

void CloseAtExit() {
  py::gil_scoped_release release;
  std::vector<std::weak_ptr<FileWriter>> open;
  {
    std::lock_guard<std::mutex> lock(GetWriters().mu);
    open = GetWriters().open;
  }
  for (const std::weak_ptr<FileWriter>& weak : open)
    if (const std::shared_ptr<FileWriter> writer = weak.lock()) writer->Close().IgnoreError();
  GetWriters().cache.Clear().IgnoreError();
}

// Runs `call` without the GIL, because it may wait for the writer thread.
template <class F>
void Unlocked(F&& call) {
  Status status;
  {
    ReleaseGil waiting;
    status = call();
  }
  CheckFile(status);
}

Step StepFrom(py::handle step) {
  if (step.is_none()) return {};
  return py::cast<int64_t>(py::int_(py::reinterpret_borrow<py::object>(step)));
}

tensorflow::Summary SummaryFrom(py::handle summary) {
  if (!PyBytes_Check(summary.ptr()) && !IsMessage(summary, "Summary"))
    RaiseType(fmt::format("expected a Summary message or its serialized bytes, got {}", Repr(summary)));
  return MessageFrom<tensorflow::Summary>(summary);
}

void AddGraph(FileWriter& writer, py::object graph, py::object global_step, py::object graph_def) {
  if (!graph.is_none() && !graph_def.is_none())
    RaiseValue("Please pass only graph, or graph_def (deprecated), but not both.");
  const py::object given = graph.is_none() ? graph_def : graph;
  tensorflow::GraphDef def;
  if (IsGraph(given)) {
    def = Take(ExportGraphDef(*GraphObjectOf(given).graph, {.add_shapes = true}));
  } else if (IsMessage(given, "GraphDef")) {
    def = MessageFrom<tensorflow::GraphDef>(given);
  } else {
    RaiseType("The passed graph must be an instance of `Graph` or the deprecated `GraphDef`");
  }
  const Step step = StepFrom(global_step);
  Unlocked([&] { return writer.AddGraph(def, step); });
}

void BeginWithGraph(FileWriter& writer, const Graph& graph) {
  const CollectionCodec codec = PythonCollectionCodec();
  CheckFile(AddGraphEvents(writer, graph, codec));
}

// `session` is ignored: TensorFlow writes through it, here the process writes an identical file itself.
std::shared_ptr<FileWriter> MakeWriter(py::handle logdir, py::object graph, int max_queue, double flush_secs,
                                       py::object graph_def, py::object filename_suffix, py::object /*session*/) {
  FileWriterOptions options;
  options.max_queue = max_queue;
  options.flush_secs = flush_secs;
  options.env = &Process::Get().env();
  if (!filename_suffix.is_none()) options.filename_suffix = PathFrom(filename_suffix);
  std::shared_ptr<FileWriter> writer =
      GetWriters().Keep(TakeFile(FileWriter::Make(PathFrom(logdir), std::move(options))));
  if (IsGraph(graph) && graph_def.is_none()) {
    BeginWithGraph(*writer, *GraphObjectOf(graph).graph);
  } else if (!graph.is_none() || !graph_def.is_none()) {
    AddGraph(*writer, graph, py::none(), graph_def);
  }
  return writer;
}

// A writer implemented in Python.
class PythonWriter final : public SummaryWriter {
 public:
  explicit PythonWriter(py::object writer) : writer_(std::move(writer)) {}
  Status AddSummary(tensorflow::Summary summary, Step step) override {
    return Call("add_summary", [&] { return py::make_tuple(MessageToPython("Summary", summary), StepObject(step)); });
  }
  Status AddSessionLog(tensorflow::SessionLog log, Step step) override {
    return Call("add_session_log",
                [&] { return py::make_tuple(MessageToPython("SessionLog", log), StepObject(step)); });
  }
  Status AddGraph(const tensorflow::GraphDef& graph, Step step) override {
    return Call("add_graph", [&] { return py::make_tuple(MessageToPython("GraphDef", graph), StepObject(step)); });
  }
  Status AddMetaGraph(const tensorflow::MetaGraphDef& meta_graph, Step step) override {
    return Call("add_meta_graph",
                [&] { return py::make_tuple(MessageToPython("MetaGraphDef", meta_graph), StepObject(step)); });
  }
  Status AddRunMetadata(const tensorflow::RunMetadata& metadata, const std::string& tag, Step step) override {
    return Call("add_run_metadata",
                [&] { return py::make_tuple(MessageToPython("RunMetadata", metadata), tag, StepObject(step)); });
  }
  Status Flush() override {
    return Call("flush", [] { return py::tuple(); });
  }
  Status Close() override {
    return Call("close", [] { return py::tuple(); });
  }
  Status Reopen() override {
    return Call("reopen", [] { return py::tuple(); });
  }

 private:
  static py::object StepObject(Step step) { return step.has_value() ? py::object(py::int_(*step)) : py::none(); }
  template <class F>
  Status Call(const char* method, F&& arguments) {
    const AcquireGil gil;
    return CatchExceptions([&]() -> Status {
      writer_.get().attr(method)(*arguments());
      return OkStatus();
    });
  }

  SharedPyObject writer_;
};

}  // namespace

SummaryWriterPtr SummaryWriterFrom(py::object writer) {
  if (writer.is_none()) return nullptr;
  if (py::isinstance<FileWriter>(writer)) return py::cast<std::shared_ptr<FileWriter>>(writer);
  return std::make_shared<PythonWriter>(std::move(writer));
}

std::shared_ptr<FileWriter> CachedWriter(const std::string& logdir) {
  FileWriterCache::Found found = TakeFile(GetWriters().cache.Get(logdir));
  if (found.made) BeginWithGraph(*found.writer, DefaultGraphRef());
  return found.writer;
}

void BindFileWriter(py::module_& m) {
  using W = FileWriter;
  const auto step = py::arg("global_step") = py::none();
  py::class_<W, std::shared_ptr<W>>(m, "FileWriter", py::dynamic_attr(), WithUntrackedDealloc(),
                                    "Writes summaries and other events to an event file in a directory.")
      .def(py::init(&MakeWriter), py::arg("logdir"), py::arg("graph") = py::none(), py::arg("max_queue") = 10,
           py::arg("flush_secs") = 120, py::arg("graph_def") = py::none(), py::arg("filename_suffix") = py::none(),
           py::arg("session") = py::none())
      .def("get_logdir", &W::logdir)
      .def(
          "add_summary",
          [](W& w, py::handle summary, py::handle s) {
            tensorflow::Summary message = SummaryFrom(summary);
            const Step step = StepFrom(s);
            Unlocked([&] { return w.AddSummary(std::move(message), step); });
          },
          py::arg("summary"), step)
      .def(
          "add_session_log",
          [](W& w, py::handle log, py::handle s) {
            auto message = MessageFrom<tensorflow::SessionLog>(log);
            const Step step = StepFrom(s);
            Unlocked([&] { return w.AddSessionLog(std::move(message), step); });
          },
          py::arg("session_log"), step)
      .def("add_graph", &AddGraph, py::arg("graph") = py::none(), step, py::arg("graph_def") = py::none())
      .def(
          "add_meta_graph",
          [](W& w, py::handle meta_graph, py::handle s) {
            if (!IsMessage(meta_graph, "MetaGraphDef"))
              RaiseType(fmt::format("meta_graph_def must be type MetaGraphDef, saw type: {}", TypeName(meta_graph)));
            const auto message = MessageFrom<tensorflow::MetaGraphDef>(meta_graph);
            const Step step = StepFrom(s);
            Unlocked([&] { return w.AddMetaGraph(message, step); });
          },
          py::arg("meta_graph_def"), step)
      .def(
          "add_run_metadata",
          [](W& w, py::handle metadata, const std::string& tag, py::handle s) {
            const auto message = MessageFrom<tensorflow::RunMetadata>(metadata);
            const Step step = StepFrom(s);
            Status status;
            {
              ReleaseGil waiting;
              status = w.AddRunMetadata(message, tag, step);
            }
            if (status.code() == StatusCode::kInvalidArgument) RaiseValue(std::string(status.message()));
            CheckFile(status);
          },
          py::arg("run_metadata"), py::arg("tag"), step)
      .def(
          "add_event",
          [](W& w, py::handle event) {
            auto message = MessageFrom<tensorflow::Event>(event);
            Unlocked([&] { return w.AddEvent(std::move(message)); });
          },
          py::arg("event"))
      .def("flush", [](W& w) { Unlocked([&] { return w.Flush(); }); })
      .def("close", [](W& w) { Unlocked([&] { return w.Close(); }); })
      .def("reopen", [](W& w) { Unlocked([&] { return w.Reopen(); }); })
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__", [](W& w, const py::args&) { Unlocked([&] { return w.Close(); }); });
  m.def(
      "file_writer_cache_get", [](py::handle logdir) { return CachedWriter(PathFrom(logdir)); }, py::arg("logdir"));
  m.def("file_writer_cache_clear", [] { Unlocked([] { return GetWriters().cache.Clear(); }); });
  py::module_::import("atexit").attr("register")(py::cpp_function(&CloseAtExit));
}

}  // namespace weir::python
