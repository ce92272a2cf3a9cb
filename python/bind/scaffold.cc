// tf.train.Scaffold. Stores the user's values unchanged; finalize() adds the missing ones.
#include "bind/objects.h"
#include "bind/ownership.h"
#include "bind/process.h"
#include "bind/session_manager.h"

namespace weir::python {
namespace {

std::shared_ptr<Scaffold> NewScaffold() {
  auto scaffold = std::make_shared<Scaffold>();
  scaffold->env = &Process::Get().env();
  return scaffold;
}

struct ScaffoldObject {
  std::shared_ptr<Scaffold> scaffold = NewScaffold();
  py::object init_op = py::none();
  py::object init_feed_dict = py::none();
  py::object init_fn = py::none();
  py::object ready_op = py::none();
  py::object ready_for_local_init_op = py::none();
  py::object local_init_op = py::none();
  py::object local_init_feed_dict = py::none();
  py::object summary_op = py::none();
  py::object saver = py::none();
  bool finalized = false;
};

int VisitScaffold(ScaffoldObject& s, visitproc visit, void* arg) {
  for (const py::object* member : {&s.init_op, &s.init_feed_dict, &s.init_fn, &s.ready_op, &s.ready_for_local_init_op,
                                   &s.local_init_op, &s.local_init_feed_dict, &s.summary_op, &s.saver})
    Py_VISIT(member->ptr());
  return 0;
}

void Finalize(ScaffoldObject& s) {
  Scaffold& scaffold = *s.scaffold;
  const py::object graph = DefaultGraph();
  if (!s.finalized) {
    scaffold.init = NodesFrom(graph, s.init_op);
    scaffold.init_feeds = FeedsFrom(graph, s.init_feed_dict);
    scaffold.ready = ReadyOpFrom(graph, s.ready_op);
    scaffold.ready_for_local_init = ReadyOpFrom(graph, s.ready_for_local_init_op);
    scaffold.local_init = NodesFrom(graph, s.local_init_op);
    scaffold.local_init_feeds = FeedsFrom(graph, s.local_init_feed_dict);
    if (!s.summary_op.is_none())
      scaffold.summary = OutputOf(GraphElement(GraphObjectOf(graph), s.summary_op, true, false));
    scaffold.saver = SaverFrom(s.saver);
  }
  const Status status = scaffold.Finalize(DefaultGraphRef());
  RecordOrigins(DefaultGraphRef());
  Check(status);
  s.finalized = true;
  if (s.init_op.is_none()) s.init_op = Wrap(scaffold.init[0]);
  if (s.ready_op.is_none()) s.ready_op = WrapReady(scaffold.ready);
  if (s.ready_for_local_init_op.is_none()) s.ready_for_local_init_op = WrapReady(scaffold.ready_for_local_init);
  if (s.local_init_op.is_none()) s.local_init_op = Wrap(scaffold.local_init[0]);
  if (s.summary_op.is_none() && scaffold.summary) s.summary_op = Wrap(*scaffold.summary);
  if (s.saver.is_none()) s.saver = py::cast(scaffold.saver);
  if (!s.saver.is_none()) HoldGraph(s.saver, *GraphObjectOf(graph).graph);  // Finalize may have just built it
}

std::unique_ptr<ScaffoldObject> MakeScaffold(py::object init_op, py::object init_feed_dict, py::object init_fn,
                                             py::object ready_op, py::object ready_for_local_init_op,
                                             py::object local_init_op, py::object summary_op, py::object saver,
                                             py::object copy_from, py::object local_init_feed_dict) {
  auto made = std::make_unique<ScaffoldObject>();
  const ScaffoldObject* from = nullptr;
  if (!copy_from.is_none()) {
    if (!py::isinstance<ScaffoldObject>(copy_from)) RaiseType("copy_from_scaffold is not a Scaffold instance.");
    from = &copy_from.cast<const ScaffoldObject&>();
  }
  const auto take = [&](py::object given, py::object ScaffoldObject::*member) {
    (*made).*member = given.is_none() && from != nullptr ? from->*member : std::move(given);
  };
  take(std::move(init_op), &ScaffoldObject::init_op);
  take(std::move(init_feed_dict), &ScaffoldObject::init_feed_dict);
  take(std::move(init_fn), &ScaffoldObject::init_fn);
  take(std::move(ready_op), &ScaffoldObject::ready_op);
  take(std::move(ready_for_local_init_op), &ScaffoldObject::ready_for_local_init_op);
  take(std::move(local_init_op), &ScaffoldObject::local_init_op);
  take(std::move(local_init_feed_dict), &ScaffoldObject::local_init_feed_dict);
  take(std::move(summary_op), &ScaffoldObject::summary_op);
  take(std::move(saver), &ScaffoldObject::saver);
  return made;
}

}  // namespace

std::shared_ptr<Scaffold> ScaffoldOf(py::handle object) {
  if (!py::isinstance<ScaffoldObject>(object))
    RaiseType(fmt::format("expected a tf.train.Scaffold, got {}", Repr(object)));
  return object.cast<const ScaffoldObject&>().scaffold;
}

void BindScaffold(py::module_& m) {
  using S = ScaffoldObject;
  const auto none = [](const char* name) { return py::arg(name) = py::none(); };
  py::class_<S> cls(m, "Scaffold", py::dynamic_attr(), GarbageCollected<S, VisitScaffold>(),
                    "The ops and the saver that initialize and save a model. finalize() creates the missing ones.");
  cls.def(py::init(&MakeScaffold), none("init_op"), none("init_feed_dict"), none("init_fn"), none("ready_op"),
          none("ready_for_local_init_op"), none("local_init_op"), none("summary_op"), none("saver"),
          none("copy_from_scaffold"), none("local_init_feed_dict"))
      .def("finalize",
           [](py::object self) {
             Finalize(self.cast<S&>());
             return self;
           })
      .def_property_readonly("init_op", [](const S& s) { return s.init_op; })
      .def_property_readonly("init_feed_dict", [](const S& s) { return s.init_feed_dict; })
      .def_property_readonly("init_fn",
                             [](py::object self) -> py::object {
                               const auto& s = self.cast<const S&>();
                               if (s.init_fn.is_none()) return py::none();
                               return py::module_::import("functools").attr("partial")(s.init_fn, self);
                             })
      .def_property_readonly("ready_op", [](const S& s) { return s.ready_op; })
      .def_property_readonly("ready_for_local_init_op", [](const S& s) { return s.ready_for_local_init_op; })
      .def_property_readonly("local_init_op", [](const S& s) { return s.local_init_op; })
      .def_property_readonly("local_init_feed_dict", [](const S& s) { return s.local_init_feed_dict; })
      .def_property_readonly("summary_op", [](const S& s) { return s.summary_op; })
      .def_property_readonly("saver", [](const S& s) { return s.saver; })
      .def_static("default_local_init_op", [] {
        Graph& graph = DefaultGraphRef();
        Node* node = Take(DefaultLocalInit(graph));
        RecordOrigins(graph);
        return node;
      });
}

}  // namespace weir::python
