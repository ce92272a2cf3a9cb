// The reader ops: creation and use, each with reference handles and (V2) resource handles. Reading blocks on files and
// on the queue: it runs on the elastic pool and ends when its step is cancelled.
#include "absl/strings/str_cat.h"
#include "io/compression.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/io/reader.h"
#include "ops/state/resource_owner.h"
#include "ops/string/map_strings.h"

namespace weir::ops {
namespace {

// --- creation

struct ReaderKind {
  HandleKindNames names;
  std::vector<std::string> attrs;
  std::function<Result<OpenSource>(KernelSetup&)> source;
  bool keeps_state = false;
};

Result<Kernel> MakeReader(KernelSetup& setup, const ReaderKind& kind, HandleKind handle_kind) {
  WEIR_ASSIGN(OpenSource open, kind.source(setup));
  WEIR_ASSIGN(std::shared_ptr<ResourceOwner> handle,
              ResourceOwner::Make(setup, handle_kind, "tensorflow::ReaderInterface"));
  return Kernel::Sync([open = std::move(open), handle = std::move(handle),
                       keeps_state = kind.keeps_state](KernelContext& ctx) -> Status {
           WEIR_TRY(handle
                        ->Get<Reader>(ctx,
                                      [&]() -> Result<ResourcePtr<Reader>> {
                                        return MakeIntrusive<Reader>(handle->title(), open, keeps_state);
                                      })
                        .status());
           handle->SetOutput(ctx);
           return OkStatus();
         })
      .Cheap();
}

void AddKind(OpRegistry& registry, const ReaderKind& kind) {
  for (HandleKind handle_kind : kHandleKinds) {
    std::vector<std::string> attrs = kind.attrs;
    // Only the second version of the op has this attribute.
    if (handle_kind == HandleKind::kResource && std::string_view(kind.names.ref) == "FixedLengthRecordReader")
      attrs.emplace_back("encoding: string = ''");
    registry.Add({
        .name = kind.names.of(handle_kind),
        .signature = absl::StrCat("-> reader_handle: ", HandleType(handle_kind)),
        .attrs = attrs,
        .shape = HandleOutput(handle_kind),
        .no_gradient = kNoGradient,
        .kernels = CpuKernel([kind, handle_kind](KernelSetup& setup) { return MakeReader(setup, kind, handle_kind); }),
        .traits = {.state = StateRole::kHandle, .may_block = false},
        .stateful = true,
    });
  }
}

Result<OpenSource> RecordFiles(KernelSetup& setup) {
  WEIR_ASSIGN(const std::string compression, setup.Attr<std::string>("compression_type"));
  WEIR_TRY(io::ParseCompression(compression).status());
  return RecordFileSource(compression);
}

Result<OpenSource> Lines(KernelSetup& setup) {
  WEIR_ASSIGN(const int64_t skip, setup.Attr<int64_t>("skip_header_lines"));
  if (skip < 0) return InvalidArgument("skip_header_lines must be >= 0 not {}", skip);
  return TextLineSource(skip);
}

Result<OpenSource> FixedLength(KernelSetup& setup) {
  FixedLengthOptions options;
  const auto size = [&](const char* name, int64_t least) -> Result<int64_t> {
    WEIR_ASSIGN(const int64_t value, setup.Attr<int64_t>(name));
    if (value < least) return InvalidArgument("{} must be >= {} not {}", name, least, value);
    if (value > int64_t{1} << 60) return InvalidArgument("{} is too large: {}", name, value);
    return value;
  };
  WEIR_ASSIGN(options.header_bytes, size("header_bytes", 0));
  WEIR_ASSIGN(options.record_bytes, size("record_bytes", 1));
  WEIR_ASSIGN(options.footer_bytes, size("footer_bytes", 0));
  WEIR_ASSIGN(options.hop_bytes, size("hop_bytes", 0));
  if (setup.HasAttr("encoding")) {
    WEIR_ASSIGN(options.encoding, setup.Attr<std::string>("encoding"));
    WEIR_TRY(io::ParseCompression(options.encoding).status());
  }
  return FixedLengthSource(options);
}

// --- use

Result<Kernel> MakeRead(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(ResourcePtr<Reader> reader, LookupHandle<Reader>(ctx));
           WEIR_ASSIGN(ResourcePtr<QueueResource> queue, LookupHandle<QueueResource>(ctx, 1));
           WEIR_ASSIGN(Record record, reader->Read(ctx.env(), *queue, ctx.cancel()));
           ctx.set_output(0, Tensor::Scalar(std::move(record.key)));
           ctx.set_output(1, Tensor::Scalar(std::move(record.value)));
           return OkStatus();
         })
      .Blocking();
}

Result<Kernel> MakeReadUpTo(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(ResourcePtr<Reader> reader, LookupHandle<Reader>(ctx));
           WEIR_ASSIGN(ResourcePtr<QueueResource> queue, LookupHandle<QueueResource>(ctx, 1));
           const Tensor& count = ctx.input(2);
           if (count.num_elements() != 1)
             return InvalidArgument("num_records must be a scalar, but has shape {}", count.shape());
           WEIR_ASSIGN(std::vector<Record> records, reader->ReadUpTo(count.Int(0), ctx.env(), *queue, ctx.cancel()));
           const Shape shape{static_cast<int64_t>(records.size())};
           WEIR_ASSIGN(Tensor keys, ctx.Allocate(0, shape));
           WEIR_ASSIGN(Tensor values, ctx.Allocate(1, shape));
           for (size_t i = 0; i < records.size(); ++i) {
             keys.data<std::string>()[i] = std::move(records[i].key);
             values.data<std::string>()[i] = std::move(records[i].value);
           }
           return OkStatus();
         })
      .Blocking();
}

// Returns a kernel that calls `use` with the reader and the context.
template <class Use>
KernelFactory ReaderKernel(Use use) {
  return [use](KernelSetup&) -> Result<Kernel> {
    return Kernel::Sync([use](KernelContext& ctx) -> Status {
             WEIR_ASSIGN(ResourcePtr<Reader> reader, LookupHandle<Reader>(ctx));
             return use(*reader, ctx);
           })
        .Blocking();
  };
}

struct ReaderOpDef {
  HandleKindNames names;
  const char* inputs;  // after the reader's handle
  const char* outputs;
  int handles;
  const char* shapes;  // of the outputs
  KernelFactory make;
};

void AddOpDef(OpRegistry& registry, const ReaderOpDef& op) {
  for (HandleKind handle_kind : kHandleKinds) {
    const char* handle = HandleType(handle_kind);
    registry.Add({
        .name = op.names.of(handle_kind),
        .signature =
            absl::StrCat("reader_handle: ", handle, op.handles > 1 ? absl::StrCat(", queue_handle: ", handle) : "",
                         op.inputs, " -> ", op.outputs),
        .shape = [handle_kind, handles = op.handles, shapes = FixedShapes(op.shapes)](ShapeContext& ctx) -> Status {
          for (int i = 0; i < ctx.num_inputs(); ++i) {
            const bool pair = i < handles && handle_kind == HandleKind::kRef;
            WEIR_ASSIGN(const PartialShape shape, ctx.WithRank(i, pair ? 1 : 0));
            if (pair) WEIR_TRY(MergeDims(shape[0], 2).status());
          }
          return shapes(ctx);
        },
        .no_gradient = kNoGradient,
        .kernels = CpuKernel(op.make),
        .traits = {.may_block = true},
        .stateful = handle_kind == HandleKind::kResource,
    });
  }
}

Status SerializeReaderState(Reader& reader, KernelContext& ctx) {
  WEIR_ASSIGN(std::string state, reader.SerializeState(ctx.cancel()));
  ctx.set_output(0, Tensor::Scalar(std::move(state)));
  return OkStatus();
}

Status RestoreReaderState(Reader& reader, KernelContext& ctx) {
  WEIR_ASSIGN(const std::string state, ScalarString(ctx, 1, "Reader state"));
  return reader.RestoreState(state, ctx.cancel());
}

}  // namespace

void RegisterReaders(OpRegistry& registry) {
  const std::string container = "container: string = ''";
  const std::string shared = "shared_name: string = ''";
  AddKind(registry,
          {{"TFRecordReader", "TFRecordReaderV2"}, {container, shared, "compression_type: string = ''"}, RecordFiles});
  AddKind(registry, {{"TextLineReader", "TextLineReaderV2"}, {"skip_header_lines: int = 0", container, shared}, Lines});
  AddKind(registry, {{"FixedLengthRecordReader", "FixedLengthRecordReaderV2"},
                     {"header_bytes: int = 0", "record_bytes: int", "footer_bytes: int = 0", "hop_bytes: int = 0",
                      container, shared},
                     FixedLength});
  AddKind(registry, {{"WholeFileReader", "WholeFileReaderV2"},
                     {container, shared},
                     [](KernelSetup&) -> Result<OpenSource> { return WholeFileSource(); },
                     true});
  AddKind(registry, {{"IdentityReader", "IdentityReaderV2"},
                     {container, shared},
                     [](KernelSetup&) -> Result<OpenSource> { return IdentitySource(); },
                     true});

  AddOpDef(registry, {{"ReaderRead", "ReaderReadV2"}, "", "key: string, value: string", 2, "[];[]", MakeRead});
  AddOpDef(registry, {{"ReaderReadUpTo", "ReaderReadUpToV2"},
                      ", num_records: int64",
                      "keys: string, values: string",
                      2,
                      "[?];[?]",
                      MakeReadUpTo});
  AddOpDef(registry, {{"ReaderNumRecordsProduced", "ReaderNumRecordsProducedV2"},
                      "",
                      "records_produced: int64",
                      1,
                      "[]",
                      ReaderKernel([](Reader& reader, KernelContext& ctx) -> Status {
                        ctx.set_output(0, Tensor::Scalar(reader.records_produced()));
                        return OkStatus();
                      })});
  AddOpDef(registry, {{"ReaderNumWorkUnitsCompleted", "ReaderNumWorkUnitsCompletedV2"},
                      "",
                      "units_completed: int64",
                      1,
                      "[]",
                      ReaderKernel([](Reader& reader, KernelContext& ctx) -> Status {
                        ctx.set_output(0, Tensor::Scalar(reader.work_units_completed()));
                        return OkStatus();
                      })});
  AddOpDef(registry, {{"ReaderSerializeState", "ReaderSerializeStateV2"},
                      "",
                      "state: string",
                      1,
                      "[]",
                      ReaderKernel(SerializeReaderState)});
  AddOpDef(
      registry,
      {{"ReaderRestoreState", "ReaderRestoreStateV2"}, ", state: string", "", 1, "", ReaderKernel(RestoreReaderState)});
  AddOpDef(registry,
           {{"ReaderReset", "ReaderResetV2"}, "", "", 1, "", ReaderKernel([](Reader& reader, KernelContext& ctx) {
              return reader.Reset(ctx.cancel());
            })});
}

}  // namespace weir::ops
