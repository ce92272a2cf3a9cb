// Assert, Print, PrintV2 and StringFormat.
#include <atomic>
#include <cstdio>

#include "base/log.h"
#include "op/gradient_context.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/flow/format_value.h"

namespace weir::ops {
namespace {

Result<Kernel> MakeAssert(KernelSetup& setup) {
  WEIR_ASSIGN(const int32_t summarize, setup.Attr<int32_t>("summarize"));
  return Kernel::Sync([summarize](KernelContext& ctx) -> Status {
    const Tensor& condition = ctx.input(0);
    if (condition.rank() != 0) return InvalidArgument("In[0] should be a scalar: {}", condition.shape());
    if (condition.scalar<bool>()) return OkStatus();
    std::string text = "assertion failed: ";
    for (int i = 1; i < ctx.num_inputs(); ++i) text += (i > 1 ? " " : "") + ctx.input(i).SummarizeValue(summarize);
    return InvalidArgument("{}", text);
  });
}

Result<Kernel> MakePrint(KernelSetup& setup) {
  WEIR_ASSIGN(std::string message, setup.Attr<std::string>("message"));
  WEIR_ASSIGN(const int64_t first_n, setup.Attr<int64_t>("first_n"));
  WEIR_ASSIGN(const int32_t summarize, setup.Attr<int32_t>("summarize"));
  auto count = std::make_shared<std::atomic<int64_t>>(0);
  return Kernel::Sync([message, first_n, summarize, count](KernelContext& ctx) -> Status {
    ctx.set_output(0, ctx.input(0));
    if (first_n >= 0 && count->fetch_add(1) >= first_n) return OkStatus();
    std::string line = message;
    for (int i = 1; i < ctx.num_inputs(); ++i) line += ctx.input(i).SummarizeValue(summarize);
    line += '\n';
    std::fwrite(line.data(), 1, line.size(), stderr);
    return OkStatus();
  });
}

enum class Stream { kOut, kErr, kInfo, kWarning, kError, kFile };

Result<Stream> ParseStream(const std::string& name) {
  if (name == "stdout") return Stream::kOut;
  if (name == "stderr") return Stream::kErr;
  if (name == "log(info)") return Stream::kInfo;
  if (name == "log(warning)") return Stream::kWarning;
  if (name == "log(error)") return Stream::kError;
  if (name.starts_with("file://")) return Stream::kFile;
  return InvalidArgument(
      "Unknown output stream: {}, Valid streams are: stdout, stderr, log(info), log(warning), log(error), "
      "file://<path>",
      name);
}

Result<Kernel> MakePrintV2(KernelSetup& setup) {
  WEIR_ASSIGN(std::string name, setup.Attr<std::string>("output_stream"));
  WEIR_ASSIGN(const Stream stream, ParseStream(name));
  WEIR_ASSIGN(std::string end, setup.Attr<std::string>("end"));
  return Kernel::Sync(
             [stream, end, path = name.substr(std::min<size_t>(7, name.size()))](KernelContext& ctx) -> Status {
               if (ctx.input(0).rank() != 0)
                 return InvalidArgument("Input is expected to be scalar, but got {}", ctx.input(0).shape());
               const std::string text = ctx.input(0).scalar<std::string>() + end;
               switch (stream) {
                 case Stream::kInfo:
                   LogInfo("{}", text);
                   break;
                 case Stream::kWarning:
                   LogWarning("{}", text);
                   break;
                 case Stream::kError:
                   LogError("{}", text);
                   break;
                 case Stream::kOut:
                 case Stream::kErr: {
                   std::FILE* file = stream == Stream::kOut ? stdout : stderr;
                   std::fwrite(text.data(), 1, text.size(), file);
                   std::fflush(file);
                   break;
                 }
                 case Stream::kFile: {
                   WEIR_ASSIGN(auto file, ctx.env().OpenAppend(path));
                   WEIR_TRY(file->Append(text));
                   return file->Close();
                 }
               }
               return OkStatus();
             })
      .Blocking();
}

std::vector<std::string> SplitAt(std::string_view text, std::string_view placeholder) {
  std::vector<std::string> parts;
  while (true) {
    const size_t at = placeholder.empty() ? std::string_view::npos : text.find(placeholder);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + placeholder.size());
  }
}

Result<Kernel> MakeStringFormat(KernelSetup& setup) {
  WEIR_ASSIGN(std::string pattern, setup.Attr<std::string>("template"));
  WEIR_ASSIGN(std::string placeholder, setup.Attr<std::string>("placeholder"));
  WEIR_ASSIGN(const int32_t summarize, setup.Attr<int32_t>("summarize"));
  std::vector<std::string> parts = SplitAt(pattern, placeholder);
  if (static_cast<int>(parts.size()) != setup.num_inputs() + 1)
    return InvalidArgument("num placeholders in template and num inputs must match: {} vs. {}", parts.size() - 1,
                           setup.num_inputs());
  return Kernel::Sync([parts = std::move(parts), summarize](KernelContext& ctx) -> Status {
    std::string text = parts[0];
    for (int i = 0; i < ctx.num_inputs(); ++i) text += FormatValue(ctx.input(i), summarize) + parts[i + 1];
    ctx.set_output(0, Tensor::Scalar(std::move(text)));
    return OkStatus();
  });
}

Status StringFormatShape(ShapeContext& c) {
  WEIR_ASSIGN(const std::string pattern, c.Attr<std::string>("template"));
  WEIR_ASSIGN(const std::string placeholder, c.Attr<std::string>("placeholder"));
  const size_t holes = SplitAt(pattern, placeholder).size() - 1;
  if (static_cast<int>(holes) != c.num_inputs())
    return InvalidArgument("num placeholders in template and num inputs must match: {} vs. {}", holes, c.num_inputs());
  c.set_output(0, PartialShape::Scalar());
  return OkStatus();
}

Status PrintV2Shape(ShapeContext& c) { return c.WithRank(0, 0).status(); }

}  // namespace

void RegisterAssert(OpRegistry& registry) {
  registry.Add({
      .name = "Assert",
      .signature = "condition: bool, data: T ->",
      .attrs = {"T: list(type) >= 1", "summarize: int = 3"},
      .shape = NoOutputs(),
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeAssert),
      .traits = {.may_block = false, .keeps_inputs = false, .brief = true, .checks = true},
      .stateful = true,
  });
  registry.Add({
      .name = "Print",
      .signature = "input: T, data: U -> output: T",
      .attrs = {"T: type", "U: list(type) >= 0", "message: string = ''", "first_n: int = -1", "summarize: int = 3"},
      .shape = SameAsInput(0),
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        Gradients result(g.num_inputs());
        result[0] = g.raw_d_output(0);
        return result;
      },
      .kernels = CpuKernel(MakePrint),
      .traits = kComputesOnly,
      .stateful = true,
  });
  registry.Add({
      .name = "PrintV2",
      .signature = "input: string ->",
      .attrs = {"output_stream: string = 'stderr'", "end: string = '\n'"},
      .shape = PrintV2Shape,
      .kernels = CpuKernel(MakePrintV2),
      .traits = kComputesOnly,
      .stateful = true,
  });
  registry.Add({
      .name = "StringFormat",
      .signature = "inputs: T -> output: string",
      .attrs = {"T: list(type) >= 0", "template: string = '%s'", "placeholder: string = '%s'", "summarize: int = 3"},
      .shape = StringFormatShape,
      .kernels = CpuKernel(MakeStringFormat),
  });
}

}  // namespace weir::ops
