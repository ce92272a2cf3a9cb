// Binds lookup tables. weir/lib/lookup.py defines TensorFlow's classes for them.
#include "graph/compose/lookup.h"

#include "bind/arguments.h"
#include "bind/collections.h"
#include "bind/ownership.h"
#include "bind/sparse.h"

namespace weir::python {
namespace {

// The table for use in the current graph: captured while a function is traced.
LookupTable CapturedTable(LookupTable table) {
  if (functions_being_traced == 0) return table;
  table.handle = Captured(table.handle);
  if (table.default_value.valid()) table.default_value = Captured(table.default_value);
  return table;
}

void VisitGraphs(const LookupTable& table, GraphVisitor visit) { visit(table.handle.graph()); }
void VisitGraphs(const SavedTable& saved, GraphVisitor visit) { visit(saved.table.handle.graph()); }
void VisitGraphs(const TableContents& contents, GraphVisitor visit) {
  if (contents.keys.valid()) visit(contents.keys.graph());
  if (contents.filename.valid()) visit(contents.filename.graph());
}

}  // namespace

void BindLookup(py::module_& m) {
  // The parts of a table that a saver saves, as an item of the saveables collection.
  py::class_<SavedTable> saved_table(m, "SavedTable", GarbageCollected<SavedTable>());
  HoldGraphsOf<SavedTable, VisitGraphs>(saved_table);
  saved_table.def_property_readonly("name", [](const SavedTable& s) { return s.table.handle.node->name(); })
      .def_property_readonly("op", [](const SavedTable& s) { return Wrap(s.table.handle); });
  RegisterCollectionType({
      .to_python = [](const std::any& item) -> py::object {
        const auto* saved = std::any_cast<SavedTable>(&item);
        return saved == nullptr ? py::object() : py::cast(*saved);
      },
      .from_python = [](py::handle object) -> std::any {
        if (!py::isinstance<SavedTable>(object)) return {};
        return py::cast<SavedTable>(object);
      },
  });
  py::class_<TableContents> table_contents(m, "TableContents", GarbageCollected<TableContents>());
  HoldGraphsOf<TableContents, VisitGraphs>(table_contents);
  table_contents.def_readonly("key_dtype", &TableContents::key_dtype)
      .def_readonly("value_dtype", &TableContents::value_dtype);
  Def(
      m, "table_from_lists",
      +[](Graph& g, Input keys, Input values, DType key_dtype, DType value_dtype, Name name) {
        return TableFromLists(g, keys, values, key_dtype, value_dtype, name.text);
      },
      py::arg("keys"), py::arg("values"), py::arg("key_dtype"), py::arg("value_dtype"), py::arg("name"));
  m.def(
      "table_from_file",
      [](Input filename, DType key_dtype, int64_t key_index, DType value_dtype, int64_t value_index,
         std::optional<int64_t> vocab_size, const std::string& delimiter, const Name& name) {
        if (key_index < TableContents::kWholeLine) RaiseValue(fmt::format("Invalid key index {}.", key_index));
        if (value_index < TableContents::kWholeLine) RaiseValue(fmt::format("Invalid value index {}.", value_index));
        if (vocab_size.has_value() && *vocab_size <= 0) RaiseValue(fmt::format("Invalid vocab_size {}.", *vocab_size));
        for (auto [index, dtype, what] :
             {std::tuple{key_index, key_dtype, "key"}, std::tuple{value_index, value_dtype, "value"}}) {
          if (index == TableContents::kLineNumber && dtype != kInt64)
            RaiseValue(fmt::format("Signature mismatch. {} must be dtype int64, got {}.", what, DTypeName(dtype)));
          if (index == TableContents::kWholeLine && dtype != kString && !IsInteger(dtype))
            RaiseValue(fmt::format("Signature mismatch. {} must be dtype string, got {}.", what, DTypeName(dtype)));
        }
        TableContents contents;
        contents.key_dtype = key_dtype;
        contents.value_dtype = value_dtype;
        contents.key_index = key_index;
        contents.value_index = value_index;
        contents.vocab_size = vocab_size.value_or(-1);
        contents.delimiter = delimiter;
        contents.name = name.text;
        return Take(TableFromFile(DefaultGraphRef(), filename, std::move(contents)));
      },
      py::arg("filename"), py::arg("key_dtype"), py::arg("key_index"), py::arg("value_dtype"), py::arg("value_index"),
      py::arg("vocab_size") = py::none(), py::arg("delimiter") = "\t", py::arg("name") = py::none());
  using T = LookupTable;
  py::class_<T> table(m, "LookupTable", GarbageCollected<T>());
  HoldGraphsOf<T, VisitGraphs>(table);
  table.def_readonly("key_dtype", &T::key_dtype)
      .def_readonly("value_dtype", &T::value_dtype)
      .def_readonly("default_value", &T::default_value)
      .def_readonly("handle", &T::handle)
      .def_property_readonly("initializer", [](const T& t) { return Wrap(t.initializer); })
      .def_readwrite("num_oov_buckets", &T::num_oov_buckets)
      .def_readwrite("name_with_buckets", &T::name_with_buckets)
      .def_property_readonly("name", [](const T& t) { return t.name(); })
      .def("lookup",
           [](const T& t, py::handle keys, const Name& name) -> py::object {
             if (!IsSparse(keys)) return Wrap(Take(LookUp(CapturedTable(t), InputFrom(keys), name.text)));
             const SparseObject& s = SparseOf(keys);
             return WrapSparse(s.indices, Take(LookUp(CapturedTable(t), s.values, name.text)), s.dense_shape);
           })
      .def("size", [](const T& t, const Name& name) { return Take(TableSize(CapturedTable(t), name.text)); })
      .def("export",
           [](const T& t, const Name& name) {
             const std::vector<Output> all = Take(ExportTable(CapturedTable(t), name.text));
             return std::make_pair(all[0], all[1]);
           })
      .def("insert",
           [](const T& t, Input keys, Input values, const Name& name) {
             return Wrap(Take(InsertIntoTable(CapturedTable(t), keys, values, name.text)));
           })
      .def("remove", [](const T& t, Input keys, const Name& name) {
        return Wrap(Take(RemoveFromTable(CapturedTable(t), keys, name.text)));
      });
  m.def("static_table",
        [](const TableContents& contents, Input default_value, const Name& shared_name, const Name& name) {
          Graph& graph = contents.keys.valid() ? contents.keys.graph() : contents.filename.graph();
          return Take(StaticTable(graph, contents, default_value, shared_name.text, name.text));
        });
  m.def("mutable_table",
        [](DType key_dtype, DType value_dtype, Input default_value, const Name& shared_name, const Name& name,
           Input empty_key, Input deleted_key, std::optional<int64_t> buckets, bool checkpoint) {
          MutableTableOptions options{.shared_name = shared_name.text,
                                      .name = name.text,
                                      .empty_key = empty_key,
                                      .deleted_key = deleted_key,
                                      .checkpoint = checkpoint};
          if (buckets.has_value()) options.initial_num_buckets = *buckets;
          return Take(MutableTable(DefaultGraphRef(), key_dtype, value_dtype, default_value, options));
        });
  m.def(
      "tables_initializer", [](const Name& name) { return Wrap(Take(InitializeTables(DefaultGraphRef(), name.text))); },
      py::arg("name") = "init_all_tables");
}

}  // namespace weir::python
