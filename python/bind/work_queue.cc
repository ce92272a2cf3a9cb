// Binds work queues. weir/lib/work_queue.py defines DeepRec's class.
#include "graph/compose/work_queue.h"

#include "bind/arguments.h"
#include "bind/collections.h"
#include "bind/gc.h"
#include "bind/input_caster.h"
#include "bind/queue.h"
#include "graph/graph_keys.h"
#include "train/input_producers.h"

namespace weir::python {
namespace {

// Keeps the graph of its queue alive.
struct WorkQueueObject {
  WorkQueue queue;
  py::object graph;
};

// The queue for use in the current graph: its handle is captured while a function is traced.
WorkQueue CapturedWorkQueue(const WorkQueueObject& self) {
  return functions_being_traced == 0 ? self.queue : self.queue.WithHandle(Captured(self.queue.handle()));
}

SavedWorkQueue SavedOf(const WorkQueueObject& self) {
  for (const SavedWorkQueue& saved :
       self.queue.graph().collections().Of<SavedWorkQueue>(graph_keys::kSaveableObjects)) {
    if (saved.queue.handle() == self.queue.handle()) return saved;
  }
  RaiseValue(fmt::format("the work queue '{}' is not in the collection of saveable objects", self.queue.name()));
}

}  // namespace

void BindWorkQueues(py::module_& m) {
  using Q = WorkQueueObject;
  py::class_<Q>(m, "WorkQueueBase", py::dynamic_attr(), GarbageCollected<Q, VisitGraph<Q>>())
      .def(py::init([](Input works, int64_t num_epochs, bool shuffle, std::optional<int64_t> seed,
                       std::optional<std::string> prefix, std::optional<int64_t> num_slices, const Name& name) {
             WorkQueueOptions options;
             options.num_epochs = num_epochs;
             options.shuffle = shuffle;
             options.seed = seed;
             options.prefix = prefix.value_or("");
             options.num_slices = num_slices;
             options.name = name.text;
             Graph& graph = DefaultGraphRef();
             return std::make_unique<Q>(Q{FinishBuild(graph, WorkQueue::Make(graph, works, options)), GraphOf(graph)});
           }),
           py::arg("works"), py::arg("num_epochs"), py::arg("shuffle"), py::arg("seed"), py::arg("prefix"),
           py::arg("num_slices"), py::arg("name"))
      .def_property_readonly("name", [](const Q& q) { return q.queue.name(); })
      .def_property_readonly("handle", [](const Q& q) { return q.queue.handle(); })
      .def_property_readonly("op", [](const Q& q) { return Wrap(q.queue.handle()); })
      .def_property_readonly("graph", [](const Q& q) { return q.graph; })
      .def("take",
           [](const Q& q) {
             const WorkQueue here = CapturedWorkQueue(q);
             return FinishBuild(here.graph(), here.Take());
           })
      .def(
          "size",
          [](const Q& q, const Name& name) {
            const WorkQueue here = CapturedWorkQueue(q);
            return FinishBuild(here.graph(), here.Size(name.text));
          },
          py::arg("name") = py::none())
      .def("add_summary", [](const Q& q) { FinishBuild(q.queue.graph(), q.queue.AddSummary()); })
      .def("_input_producer",
           [](const Q& q) { return WrapQueue(FinishBuild(q.queue.graph(), WorkProducer(q.queue))); });
  RegisterCollectionType({
      .to_python = [](const std::any& item) -> py::object {
        const auto* saved = std::any_cast<SavedWorkQueue>(&item);
        return saved == nullptr ? py::object() : py::cast(Q{saved->queue, GraphOf(saved->queue.graph())});
      },
      .from_python = [](py::handle object) -> std::any {
        if (!py::isinstance<Q>(object)) return {};
        return SavedOf(py::cast<const Q&>(object));
      },
  });
  m.def("split_work_slice", [](const Output& slice) {
    const WorkSlice parts = FinishBuild(slice.graph(), SplitWorkSlice(slice));
    return py::make_tuple(Wrap(parts.work), Wrap(parts.index), Wrap(parts.count));
  });
}

}  // namespace weir::python
