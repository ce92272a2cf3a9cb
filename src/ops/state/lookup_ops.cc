// Ops that create and use lookup tables, each with a reference handle and (V2) a resource handle. A table lives in the
// session's resources under container and shared_name (or the node's name).
#include "ops/state/lookup_ops.h"

#include "absl/strings/str_cat.h"
#include "ops/state/resource_owner.h"

namespace weir::ops {

Result<ResourcePtr<LookupTableResource>> TableInput(KernelContext& ctx, HandleKind handle_kind) {
  if (handle_kind == HandleKind::kResource) return ctx.LookupResource<LookupTableResource>(0);
  const Tensor& handle = ctx.input(0);
  if (handle.dtype() != kString || handle.num_elements() != 2) {
    return InvalidArgument("Lookup table handle must be scalar or two strings, but had shape: {}", handle.shape());
  }
  const std::string* names = handle.data<std::string>();
  return ctx.resources().Lookup<LookupTableResource>(names[0], names[1]);
}

void AddTableOp(OpRegistry& registry, const char* resource_name, const OpEntry& entry,
                const std::function<Result<Kernel>(KernelSetup&, HandleKind)>& make, bool ref_form) {
  for (HandleKind handle_kind : kHandleKinds) {
    const bool ref = handle_kind == HandleKind::kRef;
    if (ref && !ref_form) continue;
    OpEntry op = entry;
    if (!ref) op.name = resource_name;
    const bool more = op.signature.rfind("->", 0) != 0;
    op.signature = absl::StrCat("table_handle: ", HandleType(handle_kind), more ? ", " : " ", op.signature);
    op.shape = [handle_kind, inner = entry.shape](ShapeContext& c) -> Status {
      WEIR_TRY(CheckHandleShape(c, handle_kind));
      return inner ? inner(c) : OkStatus();
    };
    op.no_gradient = kNoGradient;
    op.kernels = CpuKernel([handle_kind, make](KernelSetup& setup) { return make(setup, handle_kind); });
    if (!op.traits.may_block.has_value()) op.traits.may_block = false;
    op.stateful = !ref;
    registry.Add(std::move(op));
  }
}

namespace {

// --- creation

Result<std::shared_ptr<ResourceOwner>> MakeTableHandle(const KernelSetup& setup, HandleKind handle_kind) {
  return ResourceOwner::Make(setup, handle_kind, "LookupTable", ResourceOwner::Unnamed::kOfNode);
}

Status SetTableOutput(KernelContext& ctx, ResourceOwner& handle, const LookupTableSpec& spec) {
  WEIR_ASSIGN(ResourcePtr<LookupTableResource> table,
              handle.Get<LookupTableResource>(ctx, [&] { return MakeHashLookupTable(spec); }));
  const LookupTableSpec& found = table->spec();
  if (found.key_dtype != spec.key_dtype || found.value_dtype != spec.value_dtype) {
    return InvalidArgument("Conflicting key/value dtypes {}->{} with {}->{} for table {}", spec.key_dtype,
                           spec.value_dtype, found.key_dtype, found.value_dtype, handle.name());
  }
  if (!(found.key_shape == spec.key_shape) || !(found.value_shape == spec.value_shape) ||
      found.fill_once != spec.fill_once) {
    return InvalidArgument("table {} already exists with another type: {}", handle.name(), table->DebugString());
  }
  handle.SetOutput(ctx);
  return OkStatus();
}

enum class TableKind { kHash, kMutable, kMutableOfTensors, kDense };

Result<LookupTableSpec> MakeSpec(KernelSetup& setup, TableKind kind) {
  LookupTableSpec spec;
  spec.fill_once = kind == TableKind::kHash;
  WEIR_ASSIGN(spec.key_dtype, setup.Attr<DType>("key_dtype"));
  WEIR_ASSIGN(spec.value_dtype, setup.Attr<DType>("value_dtype"));
  if (kind == TableKind::kHash || kind == TableKind::kMutable) return spec;
  WEIR_ASSIGN(PartialShape value_shape, setup.Attr<PartialShape>("value_shape"));
  const bool scalar_allowed = kind == TableKind::kDense;
  if (!value_shape.fully_defined() || value_shape.rank() > 1 || (value_shape.rank() == 0 && !scalar_allowed)) {
    return InvalidArgument("value_shape must be a {}vector of known size, got shape {}",
                           scalar_allowed ? "scalar or a " : "", value_shape);
  }
  spec.value_shape = value_shape.ToShape();
  return spec;
}

Result<Kernel> MakeTable(KernelSetup& setup, TableKind kind, HandleKind handle_kind) {
  WEIR_ASSIGN(const LookupTableSpec spec, MakeSpec(setup, kind));
  WEIR_ASSIGN(const std::shared_ptr<ResourceOwner> handle, MakeTableHandle(setup, handle_kind));
  return Kernel::Sync([spec, handle](KernelContext& ctx) { return SetTableOutput(ctx, *handle, spec); }).Cheap();
}

// The reserved keys are inputs; their shape is the shape of a key.
Result<Kernel> MakeDenseTable(KernelSetup& setup, HandleKind handle_kind) {
  WEIR_ASSIGN(const LookupTableSpec base, MakeSpec(setup, TableKind::kDense));
  WEIR_ASSIGN(const std::shared_ptr<ResourceOwner> handle, MakeTableHandle(setup, handle_kind));
  WEIR_ASSIGN(const int64_t buckets, setup.Attr<int64_t>("initial_num_buckets"));
  WEIR_ASSIGN(const float load, setup.Attr<float>("max_load_factor"));
  return Kernel::Sync([=](KernelContext& ctx) -> Status {
    if (buckets < 4 || (buckets & (buckets - 1)) != 0) {
      return InvalidArgument("Number of buckets must be at least 4 and a power of 2, got: {}", buckets);
    }
    if (!(load > 0 && load < 1)) return InvalidArgument("max_load_factor must be between 0 and 1, got: {}", load);
    LookupTableSpec spec = base;
    spec.key_shape = ctx.input(0).shape();
    if (spec.key_shape.rank() > 1) {
      return InvalidArgument("Empty key must be a scalar or a vector, got shape {}", spec.key_shape);
    }
    WEIR_ASSIGN(spec.empty_key, ctx.input(0).Clone());
    if (ctx.num_inputs() > 1) {
      if (!(ctx.input(1).shape() == spec.key_shape)) {
        return InvalidArgument("Empty and deleted keys must have same shape, got shapes: {} and {}", spec.key_shape,
                               ctx.input(1).shape());
      }
      WEIR_ASSIGN(spec.deleted_key, ctx.input(1).Clone());
      if (AttrValue(spec.empty_key) == AttrValue(spec.deleted_key))
        return InvalidArgument("Empty and deleted keys cannot be equal");
    }
    return SetTableOutput(ctx, *handle, spec);
  });
}

void AddMaker(OpRegistry& registry, const char* ref_name, const char* resource_name, TableKind kind,
              std::vector<std::string> more_attrs) {
  std::vector<std::string> attrs = {"container: string = ''", "shared_name: string = ''",
                                    "use_node_name_sharing: bool = false", "key_dtype: type", "value_dtype: type"};
  attrs.insert(attrs.end(), more_attrs.begin(), more_attrs.end());
  for (HandleKind handle_kind : kHandleKinds) {
    const bool ref = handle_kind == HandleKind::kRef;
    std::string inputs;
    if (kind == TableKind::kDense)
      inputs = ref ? "empty_key: key_dtype " : "empty_key: key_dtype, deleted_key: key_dtype ";
    registry.Add({
        .name = ref ? ref_name : resource_name,
        .signature = absl::StrCat(inputs, "-> table_handle: ", HandleType(handle_kind)),
        .attrs = attrs,
        .shape = HandleOutput(handle_kind),
        .no_gradient = kNoGradient,
        .kernels = CpuKernel([kind, handle_kind](KernelSetup& setup) {
          return kind == TableKind::kDense ? MakeDenseTable(setup, handle_kind) : MakeTable(setup, kind, handle_kind);
        }),
        .traits = {.state = StateRole::kHandle, .may_block = false},
        .stateful = true,
    });
  }
}

// --- use

Status CheckTypes(const LookupTableResource& table, DType key, DType value) {
  const LookupTableSpec& spec = table.spec();
  if (key == spec.key_dtype && value == spec.value_dtype) return OkStatus();
  return InvalidArgument("the table maps {} to {}, but the node expects {} to {}", spec.key_dtype, spec.value_dtype,
                         key, value);
}

Result<Kernel> MakeFind(KernelSetup&, HandleKind handle_kind) {
  return Kernel::Sync([handle_kind](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(ResourcePtr<LookupTableResource> table, TableInput(ctx, handle_kind));
    WEIR_TRY(CheckTypes(*table, ctx.input(1).dtype(), ctx.input(2).dtype()));
    WEIR_ASSIGN(Tensor values, table->Find(ctx.input(1), ctx.input(2)));
    ctx.set_output(0, std::move(values));
    return OkStatus();
  });
}

Result<Kernel> MakeStore(HandleKind handle_kind, Status (LookupTableResource::*store)(const Tensor&, const Tensor&)) {
  return Kernel::Sync([handle_kind, store](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(ResourcePtr<LookupTableResource> table, TableInput(ctx, handle_kind));
    WEIR_TRY(CheckTypes(*table, ctx.input(1).dtype(), ctx.input(2).dtype()));
    return (table.get()->*store)(ctx.input(1), ctx.input(2));
  });
}

Result<Kernel> MakeInitialize(HandleKind handle_kind) {
  return Kernel::Sync([handle_kind](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(ResourcePtr<LookupTableResource> table, TableInput(ctx, handle_kind));
    WEIR_TRY(CheckTypes(*table, ctx.input(1).dtype(), ctx.input(2).dtype()));
    if (ctx.input(1).rank() != 1)
      return InvalidArgument("Keys must be a vector, but received {}", ctx.input(1).shape());
    if (!(ctx.input(1).shape() == ctx.input(2).shape())) {
      return InvalidArgument("Keys and values must have the same size {} vs {}", ctx.input(1).shape(),
                             ctx.input(2).shape());
    }
    return table->Initialize(ctx.input(1), ctx.input(2));
  });
}

Result<Kernel> MakeRemove(HandleKind handle_kind) {
  return Kernel::Sync([handle_kind](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(ResourcePtr<LookupTableResource> table, TableInput(ctx, handle_kind));
    WEIR_TRY(CheckTypes(*table, ctx.input(1).dtype(), table->spec().value_dtype));
    const bool dense = table->spec().empty_key.valid();
    if (dense && ctx.input(1).rank() == 0)
      return InvalidArgument("Expected a vector of keys to remove, got shape {}", ctx.input(1).shape());
    return table->Remove(ctx.input(1));
  });
}

Result<Kernel> MakeSize(HandleKind handle_kind) {
  return Kernel::Sync([handle_kind](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(ResourcePtr<LookupTableResource> table, TableInput(ctx, handle_kind));
           ctx.set_output(0, Tensor::Scalar<int64_t>(table->size()));
           return OkStatus();
         })
      .Cheap();
}

Result<Kernel> MakeExport(HandleKind handle_kind) {
  return Kernel::Sync([handle_kind](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(ResourcePtr<LookupTableResource> table, TableInput(ctx, handle_kind));
    WEIR_TRY(CheckTypes(*table, ctx.output_type(0), ctx.output_type(1)));
    WEIR_ASSIGN(auto entries, table->Export());
    ctx.set_output(0, std::move(entries.first));
    ctx.set_output(1, std::move(entries.second));
    return OkStatus();
  });
}

// As in TensorFlow, only the form with a resource handle looks at keys and values.
Status ImportShape(ShapeContext& c) {
  if (c.input_type(0) != kResource) return OkStatus();
  WEIR_ASSIGN(const PartialShape keys, c.WithRank(1, 1));
  WEIR_ASSIGN(const PartialShape values, c.WithRankAtLeast(2, 1));
  if (!values.known_rank()) return OkStatus();
  return MergeDims(keys[0], values[0]).status();
}

Status RemoveShape(ShapeContext& c) { return c.WithRankAtLeast(1, 1).status(); }

Status InitializeShape(ShapeContext& c) {
  WEIR_ASSIGN(PartialShape keys, c.WithRank(1, 1));
  return keys.Merge(c.input(2)).status();
}

}  // namespace

void RegisterLookup(OpRegistry& registry) {
  AddMaker(registry, "HashTable", "HashTableV2", TableKind::kHash, {});
  AddMaker(registry, "MutableHashTable", "MutableHashTableV2", TableKind::kMutable, {});
  AddMaker(registry, "MutableHashTableOfTensors", "MutableHashTableOfTensorsV2", TableKind::kMutableOfTensors,
           {"value_shape: shape = []"});
  AddMaker(registry, "MutableDenseHashTable", "MutableDenseHashTableV2", TableKind::kDense,
           {"value_shape: shape = []", "initial_num_buckets: int = 131072", "max_load_factor: float = 0.800000012"});

  AddTableOp(registry, "LookupTableFindV2",
             {.name = "LookupTableFind",
              .signature = "keys: Tin, default_value: Tout -> values: Tout",
              .attrs = {"Tin: type", "Tout: type"},
              .shape = UnknownOutputs()},
             MakeFind);
  AddTableOp(
      registry, "LookupTableInsertV2",
      {.name = "LookupTableInsert", .signature = "keys: Tin, values: Tout ->", .attrs = {"Tin: type", "Tout: type"}},
      [](KernelSetup&, HandleKind handle_kind) { return MakeStore(handle_kind, &LookupTableResource::Insert); });
  AddTableOp(registry, "LookupTableSizeV2",
             {.name = "LookupTableSize", .signature = "-> size: int64", .shape = ScalarOutputs()},
             [](KernelSetup&, HandleKind handle_kind) { return MakeSize(handle_kind); });
  AddTableOp(registry, "LookupTableExportV2",
             {.name = "LookupTableExport",
              .signature = "-> keys: Tkeys, values: Tvalues",
              .attrs = {"Tkeys: type", "Tvalues: type"},
              .shape = UnknownOutputs()},
             [](KernelSetup&, HandleKind handle_kind) { return MakeExport(handle_kind); });
  AddTableOp(registry, "LookupTableImportV2",
             {.name = "LookupTableImport",
              .signature = "keys: Tin, values: Tout ->",
              .attrs = {"Tin: type", "Tout: type"},
              .shape = ImportShape},
             [](KernelSetup&, HandleKind handle_kind) { return MakeStore(handle_kind, &LookupTableResource::Import); });
  AddTableOp(
      registry, "LookupTableRemoveV2",
      {.name = "LookupTableRemove", .signature = "keys: Tin ->", .attrs = {"Tin: type"}, .shape = RemoveShape},
      [](KernelSetup&, HandleKind handle_kind) { return MakeRemove(handle_kind); }, /*ref_form=*/false);
  AddTableOp(registry, "InitializeTableV2",
             {.name = "InitializeTable",
              .signature = "keys: Tkey, values: Tval ->",
              .attrs = {"Tkey: type", "Tval: type"},
              .shape = InitializeShape},
             [](KernelSetup&, HandleKind handle_kind) { return MakeInitialize(handle_kind); });
}

}  // namespace weir::ops
