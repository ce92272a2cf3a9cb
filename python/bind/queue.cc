// Binds queues. weir/lib/queues.py defines the Python class of each kind.
#include "bind/queue.h"

#include "bind/arguments.h"
#include "bind/gc.h"
#include "bind/input_caster.h"

namespace weir::python {
namespace {

// Keeps the graph of its queue alive.
struct QueueObject {
  Queue queue;
  py::object graph;
};

// The queue for use in the current graph: its handle is captured while a function is traced.
Queue CapturedQueue(const QueueObject& self) {
  return functions_being_traced == 0 ? self.queue : self.queue.WithHandle(Captured(self.queue.queue_ref()));
}

// Builds nodes for the queue with `build`, and raises errors.
template <class F>
auto Using(const QueueObject& self, F build) {
  const Queue queue = CapturedQueue(self);
  return FinishBuild(queue.graph(), build(queue));
}

std::vector<DType> TypesFrom(py::handle object) {
  std::vector<DType> types;
  if (!py::isinstance<py::list>(object) && !py::isinstance<py::tuple>(object)) return {AsDType(object)};
  for (py::handle item : object) types.push_back(AsDType(item));
  return types;
}

std::vector<std::string> NamesFrom(py::handle object, size_t components) {
  if (object.is_none()) return {};
  std::vector<std::string> names;
  if (!py::isinstance<py::list>(object) && !py::isinstance<py::tuple>(object)) {
    names.push_back(object.cast<std::string>());
  } else {
    for (py::handle item : object) names.push_back(item.cast<std::string>());
  }
  if (names.size() != components) {
    RaiseValue(
        fmt::format("List of names must have the same length as the list of dtypes, received {} names, {} dtypes",
                    names.size(), components));
  }
  return names;
}

QueueOptions OptionsFrom(py::handle shapes, py::handle names, size_t components, const Name& shared_name,
                         const Name& name) {
  return {.shapes = ShapesFrom(shapes),
          .names = NamesFrom(names, components),
          .shared_name = shared_name.text,
          .name = name.text};
}

QueueObject Made(Graph& graph, Queue queue) { return {FinishBuild(graph, std::move(queue)), GraphOf(graph)}; }

// Converts an element to its components: a dict if they have names, else a list or a single value.
InputList ComponentsFrom(const Queue& queue, py::handle values) {
  InputList inputs;
  if (py::isinstance<py::dict>(values)) {
    if (queue.names().empty()) RaiseValue("Queue must have names to enqueue a dictionary");
    const auto dict = py::reinterpret_borrow<py::dict>(values);
    bool same = dict.size() == queue.names().size();
    for (const std::string& name : queue.names()) same = same && dict.contains(name);
    if (!same) {
      py::list keys = py::module_::import("builtins").attr("sorted")(dict);
      RaiseValue(fmt::format("Keys in dictionary to enqueue do not match names of Queue.  Dictionary: {}, Queue: {}",
                             py::repr(keys).cast<std::string>(),
                             py::repr(py::cast(queue.names())).cast<std::string>()));
    }
    for (const std::string& name : queue.names()) inputs.push_back(InputFrom(dict[name.c_str()]));
    return inputs;
  }
  if (!queue.names().empty()) RaiseValue("You must enqueue a dictionary in a Queue with names");
  if (!py::isinstance<py::list>(values) && !py::isinstance<py::tuple>(values)) return {InputFrom(values)};
  for (py::handle value : values) inputs.push_back(InputFrom(value));
  return inputs;
}

// Converts components to an element.
py::object ElementOf(const Queue& queue, const OutputList& outputs) {
  if (!queue.names().empty()) {
    py::dict dict;
    for (size_t c = 0; c < outputs.size(); ++c) dict[queue.names()[c].c_str()] = Wrap(outputs[c]);
    return dict;
  }
  if (outputs.size() == 1) return Wrap(outputs[0]);
  py::list list;
  for (const Output& output : outputs) list.append(Wrap(output));
  return list;
}

py::object FromList(Input index, py::handle queues) {
  bool all = py::isinstance<py::list>(queues) && py::len(queues) > 0;
  std::vector<Queue> list;
  if (all) {
    for (py::handle item : queues) {
      const Queue* queue = QueueOf(item);
      all = all && queue != nullptr;
      if (queue != nullptr) list.push_back(*queue);
    }
  }
  if (!all) RaiseType("A list of queues expected");
  Graph& graph = list[0].graph();
  return py::cast(Made(graph, Queue::FromList(index, list)));
}

// Constructor arguments that all kinds of queues share. MakeQueue passes the graph, the types and the options to
// `make`. An element has one component per type, and `more`.
struct QueueArgs {
  py::handle dtypes;
  py::handle shapes;
  py::handle names;
  const Name& shared_name;
  const Name& name;
};
template <class Make>
QueueObject MakeQueue(const QueueArgs& args, const Make& make, size_t more = 0) {
  Graph& graph = DefaultGraphRef();
  std::vector<DType> types = TypesFrom(args.dtypes);
  const QueueOptions options = OptionsFrom(args.shapes, args.names, types.size() + more, args.shared_name, args.name);
  return Made(graph, make(graph, std::move(types), options));
}

// None: no limit.
using Capacity = std::optional<IntAttribute>;
int64_t CapacityOf(const Capacity& capacity) { return capacity.value_or(IntAttribute{-1}); }

void BindMakers(py::module_& m) {
  m.def(
      "fifo_queue",
      [](Capacity capacity, py::object dtypes, py::object shapes, py::object names, const Name& shared_name,
         const Name& name) {
        return MakeQueue({dtypes, shapes, names, shared_name, name},
                         [&](Graph& graph, std::vector<DType> types, const QueueOptions& options) {
                           return Queue::Fifo(graph, CapacityOf(capacity), std::move(types), options);
                         });
      },
      py::arg("capacity"), py::arg("dtypes"), py::arg("shapes") = py::none(), py::arg("names") = py::none(),
      py::arg("shared_name") = py::none(), py::arg("name") = py::none());
  m.def(
      "random_shuffle_queue",
      [](Capacity capacity, IntAttribute min_after_dequeue, py::object dtypes, py::object shapes, py::object names,
         std::optional<int64_t> seed, const Name& shared_name, const Name& name) {
        return MakeQueue({dtypes, shapes, names, shared_name, name}, [&](Graph& graph, std::vector<DType> types,
                                                                         const QueueOptions& options) {
          return Queue::RandomShuffle(graph, CapacityOf(capacity), min_after_dequeue, std::move(types), options, seed);
        });
      },
      py::arg("capacity"), py::arg("min_after_dequeue"), py::arg("dtypes"), py::arg("shapes") = py::none(),
      py::arg("names") = py::none(), py::arg("seed") = py::none(), py::arg("shared_name") = py::none(),
      py::arg("name") = py::none());
  m.def(
      "padding_fifo_queue",
      [](Capacity capacity, py::object dtypes, py::object shapes, py::object names, const Name& shared_name,
         const Name& name) {
        return MakeQueue({dtypes, shapes, names, shared_name, name},
                         [&](Graph& graph, std::vector<DType> types, const QueueOptions& options) {
                           return Queue::PaddingFifo(graph, CapacityOf(capacity), std::move(types), options);
                         });
      },
      py::arg("capacity"), py::arg("dtypes"), py::arg("shapes"), py::arg("names") = py::none(),
      py::arg("shared_name") = py::none(), py::arg("name") = py::none());
  m.def(
      "priority_queue",
      [](Capacity capacity, py::object types, py::object shapes, py::object names, const Name& shared_name,
         const Name& name) {
        if (shapes.is_none()) RaiseType("a PriorityQueue needs the shapes of its components");
        return MakeQueue(
            {types, shapes, names, shared_name, name},
            [&](Graph& graph, std::vector<DType> types, const QueueOptions& options) {
              return Queue::Priority(graph, CapacityOf(capacity), std::move(types), options);
            },
            /*more=*/1);
      },
      py::arg("capacity"), py::arg("types"), py::arg("shapes") = py::none(), py::arg("names") = py::none(),
      py::arg("shared_name") = py::none(), py::arg("name") = py::none());
}

}  // namespace

std::vector<PartialShape> ShapesFrom(py::handle object) {
  if (object.is_none()) return {};
  if (const PartialShape* shape = ShapeOfObject(object)) return {*shape};
  if (!py::isinstance<py::list>(object) && !py::isinstance<py::tuple>(object)) {
    RaiseType(fmt::format("Shapes must be a TensorShape or a list or tuple of TensorShapes, got {} instead.",
                          py::str(object.get_type()).cast<std::string>()));
  }
  bool sizes = true;
  for (py::handle item : object) sizes = sizes && (item.is_none() || py::isinstance<py::int_>(item));
  if (sizes) return {ShapeFrom(object)};
  std::vector<PartialShape> shapes;
  for (py::handle item : object) shapes.push_back(ShapeFrom(item));
  return shapes;
}

py::object WrapQueue(const Queue& queue) { return py::cast(QueueObject{queue, GraphOf(queue.graph())}); }
const Queue* QueueOf(py::handle object) {
  return py::isinstance<QueueObject>(object) ? &object.cast<const QueueObject&>().queue : nullptr;
}

void BindQueues(py::module_& m) {
  using Q = QueueObject;
  py::class_<Q>(m, "QueueBase", py::dynamic_attr(), GarbageCollected<Q, VisitGraph<Q>>())
      .def(py::init([](py::object dtypes, py::object shapes, py::object names, Output queue_ref) {
             if (!queue_ref.valid()) RaiseType("queue_ref must not be None");
             std::vector<DType> types = TypesFrom(dtypes);
             const QueueOptions options = OptionsFrom(shapes, names, types.size(), {}, {});
             return std::make_unique<Q>(Made(queue_ref.graph(), Queue::Wrap(queue_ref, std::move(types), options)));
           }),
           py::arg("dtypes"), py::arg("shapes"), py::arg("names"), py::arg("queue_ref"))
      .def_static("from_list", &FromList, py::arg("index"), py::arg("queues"))
      .def_property_readonly("queue_ref", [](const Q& q) { return q.queue.queue_ref(); })
      .def_property_readonly("name", [](const Q& q) { return q.queue.name(); })
      .def_property_readonly("dtypes", [](const Q& q) { return q.queue.dtypes(); })
      .def_property_readonly("shapes", [](const Q& q) { return q.queue.shapes(); })
      .def_property_readonly("names",
                             [](const Q& q) -> py::object {
                               if (q.queue.names().empty()) return py::none();
                               return py::cast(q.queue.names());
                             })
      .def_property_readonly("graph", [](const Q& q) { return q.graph; })
      .def(
          "enqueue",
          [](const Q& q, py::object vals, const Name& n) {
            return Using(q, [&](const Queue& here) { return here.Enqueue(ComponentsFrom(here, vals), n.text); });
          },
          py::arg("vals"), py::arg("name") = py::none())
      .def(
          "enqueue_many",
          [](const Q& q, py::object vals, const Name& n) {
            return Using(q, [&](const Queue& here) { return here.EnqueueMany(ComponentsFrom(here, vals), n.text); });
          },
          py::arg("vals"), py::arg("name") = py::none())
      .def(
          "dequeue",
          [](const Q& q, const Name& n) {
            return ElementOf(q.queue, Using(q, [&](const Queue& here) { return here.Dequeue(n.text); }));
          },
          py::arg("name") = py::none())
      .def(
          "dequeue_many",
          [](const Q& q, Input count, const Name& n) {
            return ElementOf(q.queue, Using(q, [&](const Queue& here) { return here.DequeueMany(count, n.text); }));
          },
          py::arg("n"), py::arg("name") = py::none())
      .def(
          "dequeue_up_to",
          [](const Q& q, Input count, const Name& n) {
            return ElementOf(q.queue, Using(q, [&](const Queue& here) { return here.DequeueUpTo(count, n.text); }));
          },
          py::arg("n"), py::arg("name") = py::none())
      .def(
          "close",
          [](const Q& q, bool cancel_pending, const Name& n) {
            return Using(q, [&](const Queue& here) { return here.Close(cancel_pending, n.text); });
          },
          py::arg("cancel_pending_enqueues") = false, py::arg("name") = py::none())
      .def(
          "is_closed",
          [](const Q& q, const Name& n) { return Using(q, [&](const Queue& here) { return here.IsClosed(n.text); }); },
          py::arg("name") = py::none())
      .def(
          "size",
          [](const Q& q, const Name& n) { return Using(q, [&](const Queue& here) { return here.Size(n.text); }); },
          py::arg("name") = py::none());
  BindMakers(m);
}

}  // namespace weir::python
