// RegexReplace and RegexFullMatch with RE2 syntax. The pattern is an input or (Static...) an attribute. Each node
// caches its last compiled pattern.
#include <re2/re2.h>

#include <memory>

#include "absl/synchronization/mutex.h"
#include "op/shape_context.h"
#include "ops/string/map_strings.h"

namespace weir::ops {
namespace {

using RegexPtr = std::shared_ptr<const re2::RE2>;

Result<RegexPtr> Compile(const std::string& pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto regex = std::make_shared<const re2::RE2>(pattern, options);
  if (!regex->ok()) return InvalidArgument("Invalid pattern: {}, error: {}", pattern, regex->error());
  return RegexPtr(std::move(regex));
}

// Caches the last compiled pattern. Thread-safe.
class LastRegex final {
 public:
  Result<RegexPtr> Get(const std::string& pattern) {
    {
      absl::MutexLock lock(&mutex_);
      if (regex_ != nullptr && regex_->pattern() == pattern) return regex_;
    }
    WEIR_ASSIGN(RegexPtr fresh, Compile(pattern));
    absl::MutexLock lock(&mutex_);
    regex_ = fresh;
    return fresh;
  }

 private:
  absl::Mutex mutex_;
  RegexPtr regex_;
};

Status Replace(KernelContext& ctx, const re2::RE2& regex, const std::string& rewrite, bool global) {
  return MapStrings<std::string>(ctx, [&](const std::string& text) {
    std::string changed = text;
    if (global) {
      re2::RE2::GlobalReplace(&changed, regex, rewrite);
    } else {
      re2::RE2::Replace(&changed, regex, rewrite);
    }
    return changed;
  });
}

Status FullMatch(KernelContext& ctx, const re2::RE2& regex) {
  return MapStrings<bool>(ctx, [&](const std::string& text) { return re2::RE2::FullMatch(text, regex); });
}

Result<Kernel> MakeRegexReplace(KernelSetup& setup) {
  WEIR_ASSIGN(const bool global, setup.Attr<bool>("replace_global"));
  return Kernel::Sync([global, last = std::make_shared<LastRegex>()](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const std::string pattern, ScalarString(ctx, 1, "Pattern"));
    WEIR_ASSIGN(const std::string rewrite, ScalarString(ctx, 2, "Rewrite"));
    WEIR_ASSIGN(const RegexPtr regex, last->Get(pattern));
    return Replace(ctx, *regex, rewrite, global);
  });
}

Result<Kernel> MakeStaticRegexReplace(KernelSetup& setup) {
  WEIR_ASSIGN(const std::string pattern, setup.Attr<std::string>("pattern"));
  WEIR_ASSIGN(const std::string rewrite, setup.Attr<std::string>("rewrite"));
  WEIR_ASSIGN(const bool global, setup.Attr<bool>("replace_global"));
  WEIR_ASSIGN(const RegexPtr regex, Compile(pattern));
  return Kernel::Sync([regex, rewrite, global](KernelContext& ctx) { return Replace(ctx, *regex, rewrite, global); });
}

Result<Kernel> MakeRegexFullMatch(KernelSetup&) {
  return Kernel::Sync([last = std::make_shared<LastRegex>()](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const std::string pattern, ScalarString(ctx, 1, "Pattern"));
    WEIR_ASSIGN(const RegexPtr regex, last->Get(pattern));
    return FullMatch(ctx, *regex);
  });
}

Result<Kernel> MakeStaticRegexFullMatch(KernelSetup& setup) {
  WEIR_ASSIGN(const std::string pattern, setup.Attr<std::string>("pattern"));
  WEIR_ASSIGN(const RegexPtr regex, Compile(pattern));
  return Kernel::Sync([regex](KernelContext& ctx) { return FullMatch(ctx, *regex); });
}

// Output 0 has the shape of input 0. The other inputs must be scalars.
Status RegexShape(ShapeContext& ctx) {
  for (int i = 1; i < ctx.num_inputs(); ++i) WEIR_TRY(ctx.WithRank(i, 0).status());
  ctx.set_output(0, ctx.input(0));
  return OkStatus();
}

}  // namespace

void RegisterRegex(OpRegistry& registry) {
  registry.Add({
      .name = "RegexReplace",
      .signature = "input: string, pattern: string, rewrite: string -> output: string",
      .attrs = {"replace_global: bool = true"},
      .shape = RegexShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeRegexReplace),
  });
  registry.Add({
      .name = "StaticRegexReplace",
      .signature = "input: string -> output: string",
      .attrs = {"pattern: string", "rewrite: string", "replace_global: bool = true"},
      .shape = SameAsInput(0),
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeStaticRegexReplace),
  });
  registry.Add({
      .name = "RegexFullMatch",
      .signature = "input: string, pattern: string -> output: bool",
      .shape = RegexShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeRegexFullMatch),
  });
  registry.Add({
      .name = "StaticRegexFullMatch",
      .signature = "input: string -> output: bool",
      .attrs = {"pattern: string"},
      .shape = SameAsInput(0),
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeStaticRegexFullMatch),
  });
}

}  // namespace weir::ops
