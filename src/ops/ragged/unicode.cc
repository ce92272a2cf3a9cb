// UnicodeDecode, UnicodeDecodeWithOffsets, UnicodeEncode and UnicodeTranscode: conversion between encoded strings and
// code points. ICU decodes; every malformed sequence counts as one or several invalid characters, as ICU splits it.
#include <unicode/uchar.h>
#include <unicode/ucnv.h>
#include <unicode/ucnv_cb.h>

#include <limits>
#include <memory>

#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/array/int_inputs.h"
#include "ops/string/map_strings.h"
#include "tensor/strings.h"

namespace weir::ops {
namespace {

// What happens to malformed sequences, and to control characters if they count as malformed.
struct InvalidText {
  enum class Policy { kStrict, kReplace, kIgnore } policy = Policy::kReplace;
  UChar32 replacement = 0xFFFD;
  bool replace_controls = false;
  bool strict_about_controls = true;

  static Result<InvalidText> Of(const KernelSetup& setup) {
    InvalidText found;
    WEIR_ASSIGN(const std::string errors, setup.Attr<std::string>("errors"));
    found.policy = errors == "strict" ? Policy::kStrict : errors == "replace" ? Policy::kReplace : Policy::kIgnore;
    WEIR_ASSIGN(const int64_t replacement, setup.Attr<int64_t>("replacement_char"));
    if (replacement < 0 || replacement > UCHAR_MAX_VALUE)
      return InvalidArgument("replacement_char out of unicode codepoint range: {}", replacement);
    found.replacement = static_cast<UChar32>(replacement);
    if (setup.HasAttr("replace_control_characters")) {
      WEIR_ASSIGN(found.replace_controls, setup.Attr<bool>("replace_control_characters"));
    }
    return found;
  }
};

// ICU's converter from one encoding. Not thread-safe.
class Decoder final {
 public:
  static Result<std::unique_ptr<Decoder>> Open(const std::string& encoding) {
    UErrorCode error = U_ZERO_ERROR;
    std::unique_ptr<Decoder> made(new Decoder);
    made->converter_ = ucnv_open(encoding.c_str(), &error);
    if (U_FAILURE(error))
      return InvalidArgument("Could not create converter for input encoding: {} ({})", encoding, u_errorName(error));
    ucnv_setToUCallBack(made->converter_, &OnInvalid, made.get(), nullptr, nullptr, &error);
    if (U_FAILURE(error)) return Internal("ICU refuses a callback: {}", u_errorName(error));
    return made;
  }
  ~Decoder() {
    if (converter_ != nullptr) ucnv_close(converter_);
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  // Calls found(code point, offset in bytes, whether it stands for malformed bytes) for every character.
  template <class F>
  Status ForCharacters(const std::string& text, F found) {
    ucnv_reset(converter_);
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at < end) {
      const int64_t offset = at - text.data();
      UErrorCode error = U_ZERO_ERROR;
      invalid_ = false;
      const UChar32 c = ucnv_getNextUChar(converter_, &at, end, &error);
      if (error == U_INDEX_OUTOFBOUNDS_ERROR) break;  // only a byte-order mark was left
      if (U_FAILURE(error)) return Internal("ICU could not decode a string: {}", u_errorName(error));
      WEIR_TRY(found(c, offset, invalid_));
    }
    return OkStatus();
  }

 private:
  Decoder() = default;
  static void OnInvalid(const void* self, UConverterToUnicodeArgs* args, const char*, int32_t,
                        UConverterCallbackReason reason, UErrorCode* error) {
    if (reason != UCNV_UNASSIGNED && reason != UCNV_ILLEGAL && reason != UCNV_IRREGULAR) return;
    const_cast<Decoder*>(static_cast<const Decoder*>(self))->invalid_ = true;
    *error = U_ZERO_ERROR;
    const UChar substitute = 0xFFFD;
    ucnv_cbToUWriteUChars(args, &substitute, 1, 0, error);
  }
  UConverter* converter_ = nullptr;
  bool invalid_ = false;
};

// Calls keep(code point, offset) for every character that the policy keeps or replaces.
template <class F>
Status ForKeptCharacters(Decoder& decoder, const InvalidText& policy, const std::string& text, F keep) {
  return decoder.ForCharacters(text, [&](UChar32 c, int64_t offset, bool invalid) -> Status {
    if (!invalid && !(policy.replace_controls && c <= 0x1F)) {
      keep(c, offset);
      return OkStatus();
    }
    if (policy.policy == InvalidText::Policy::kStrict && (invalid || policy.strict_about_controls))
      return InvalidArgument("Invalid formatting on input string");
    if (policy.policy != InvalidText::Policy::kIgnore) keep(policy.replacement, offset);
    return OkStatus();
  });
}

enum class TextForm { kUtf8, kUtf16, kUtf32 };
Result<TextForm> FormOf(const std::string& name) {
  if (name == "UTF-8") return TextForm::kUtf8;
  if (name == "UTF-16-BE") return TextForm::kUtf16;
  if (name == "UTF-32-BE") return TextForm::kUtf32;
  return InvalidArgument("output_encoding must be UTF-8, UTF-16-BE or UTF-32-BE, not {}", name);
}

// Appends a code point. Surrogates, which no encoding has, become U+FFFD.
void AppendCodePoint(UChar32 c, TextForm form, std::string* text) {
  if (U_IS_SURROGATE(c)) c = 0xFFFD;
  const auto byte = [text](UChar32 value) { text->push_back(static_cast<char>(value & 0xFF)); };
  const auto unit = [&](UChar32 value) { byte(value >> 8), byte(value); };
  if (form == TextForm::kUtf32) {
    unit(c >> 16), unit(c);
  } else if (form == TextForm::kUtf16) {
    if (c > 0xFFFF) unit(U16_LEAD(c)), unit(U16_TRAIL(c));
    if (c <= 0xFFFF) unit(c);
  } else {
    char bytes[U8_MAX_LENGTH];
    int32_t size = 0;
    U8_APPEND_UNSAFE(bytes, size, c);
    text->append(bytes, static_cast<size_t>(size));
  }
}

template <class T>
Result<Kernel> MakeDecode(KernelSetup& setup) {
  WEIR_ASSIGN(InvalidText policy, InvalidText::Of(setup));
  policy.strict_about_controls = false;  // TensorFlow replaces them here, while UnicodeTranscode refuses them
  WEIR_ASSIGN(const std::string encoding, setup.Attr<std::string>("input_encoding"));
  WEIR_TRY(Decoder::Open(encoding).status());
  const bool with_offsets = setup.num_outputs() == 3;
  return Kernel::Sync([policy, encoding, with_offsets](KernelContext& ctx) -> Status {
    const Tensor& in = ctx.input(0);
    WEIR_ASSIGN(const std::unique_ptr<Decoder> decoder, Decoder::Open(encoding));
    WEIR_ASSIGN(Tensor splits, ctx.Allocate(0, Shape{in.num_elements() + 1}));
    std::vector<int32_t> characters;
    std::vector<int64_t> offsets;
    splits.data<T>()[0] = 0;
    for (int64_t i = 0; i < in.num_elements(); ++i) {
      WEIR_TRY(ForKeptCharacters(*decoder, policy, in.data<std::string>()[i], [&](UChar32 c, int64_t offset) {
        characters.push_back(c);
        if (with_offsets) offsets.push_back(offset);
      }));
      if (characters.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
        return ResourceExhausted("the decoded strings have more than 2^31 characters");
      splits.data<T>()[i + 1] = static_cast<T>(characters.size());
    }
    const Shape shape{static_cast<int64_t>(characters.size())};
    WEIR_ASSIGN(Tensor values, ctx.Allocate(1, shape));
    std::copy(characters.begin(), characters.end(), values.data<int32_t>());
    if (!with_offsets) return OkStatus();
    WEIR_ASSIGN(Tensor starts, ctx.Allocate(2, shape));
    std::copy(offsets.begin(), offsets.end(), starts.data<int64_t>());
    return OkStatus();
  });
}

Status CheckEncodeSplits(const Ints& splits, int64_t size) {
  if (splits.empty()) return InvalidArgument("input_splits must have at least one element");
  if (splits.front() != 0) return InvalidArgument("First value in input_splits must be zero, got {}", splits.front());
  for (size_t i = 1; i < splits.size(); ++i) {
    if (splits[i] < splits[i - 1])
      return InvalidArgument("Values in input_splits must be equal or in ascending order, got {} after {}", splits[i],
                             splits[i - 1]);
  }
  if (splits.back() != size)
    return InvalidArgument("Last value in input_splits must be equal to len(input_values). Got {}, expected {}",
                           splits.back(), size);
  return OkStatus();
}

Result<Kernel> MakeEncode(KernelSetup& setup) {
  WEIR_ASSIGN(const InvalidText policy, InvalidText::Of(setup));
  WEIR_ASSIGN(const std::string encoding, setup.Attr<std::string>("output_encoding"));
  WEIR_ASSIGN(const TextForm form, FormOf(encoding));
  return Kernel::Sync([policy, form](KernelContext& ctx) -> Status {
    const Tensor& values = ctx.input(0);
    for (const int i : {0, 1}) {
      if (ctx.input(i).rank() != 1)
        return InvalidArgument("Both the input_tensor and input_splits should be of rank 1, got shape {}",
                               ctx.input(i).shape());
    }
    const Ints splits = IntsOf(ctx.input(1));
    WEIR_TRY(CheckEncodeSplits(splits, values.num_elements()));
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, Shape{static_cast<int64_t>(splits.size()) - 1}));
    for (size_t row = 0; row + 1 < splits.size(); ++row) {
      std::string& text = out.data<std::string>()[row];
      for (int64_t i = splits[row]; i < splits[row + 1]; ++i) {
        const UChar32 c = values.data<int32_t>()[i];
        if (U_IS_UNICODE_CHAR(c)) {
          AppendCodePoint(c, form, &text);
        } else if (policy.policy == InvalidText::Policy::kStrict) {
          return InvalidArgument("Code point is out of range for Unicode, or a noncharacter: {}", c);
        } else if (policy.policy == InvalidText::Policy::kReplace) {
          AppendCodePoint(policy.replacement, form, &text);
        }
      }
      ReserveString(text);
    }
    return OkStatus();
  });
}

Result<Kernel> MakeTranscode(KernelSetup& setup) {
  WEIR_ASSIGN(const InvalidText policy, InvalidText::Of(setup));
  WEIR_ASSIGN(const std::string from, setup.Attr<std::string>("input_encoding"));
  WEIR_ASSIGN(const std::string to, setup.Attr<std::string>("output_encoding"));
  WEIR_ASSIGN(const TextForm form, FormOf(to));
  WEIR_TRY(Decoder::Open(from).status());
  return Kernel::Sync([policy, from, form](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const std::unique_ptr<Decoder> decoder, Decoder::Open(from));
    return TryMapStrings<std::string>(ctx, [&](const std::string& text) -> Result<std::string> {
      std::string converted;
      WEIR_TRY(
          ForKeptCharacters(*decoder, policy, text, [&](UChar32 c, int64_t) { AppendCodePoint(c, form, &converted); }));
      return converted;
    });
  });
}

Status DecodeShapes(ShapeContext& ctx) {
  const int64_t count = ctx.input(0).num_elements();
  ctx.set_output(0, PartialShape{AddDims(count, 1)});
  for (int i = 1; i < ctx.num_outputs(); ++i) ctx.set_output(i, PartialShape{kUnknownDim});
  return OkStatus();
}

Status EncodeShape(ShapeContext& ctx) {
  WEIR_TRY(ctx.WithRank(0, 1).status());
  WEIR_ASSIGN(const PartialShape splits, ctx.WithRank(1, 1));
  if (splits[0] == 0) return InvalidArgument("input_splits must have at least one element");
  ctx.set_output(0, PartialShape{splits[0] < 0 ? kUnknownDim : splits[0] - 1});
  return OkStatus();
}

}  // namespace

void RegisterUnicode(OpRegistry& registry) {
  const std::string errors = "errors: {'strict', 'replace', 'ignore'} = 'replace'";
  const std::string replacement = "replacement_char: int = 65533";
  const std::string controls = "replace_control_characters: bool = false";
  const std::string splits = "Tsplits: {int32, int64} = DT_INT64";
  const std::string output_encoding = "output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}";
  for (const bool offsets : {false, true}) {
    registry.Add({
        .name = offsets ? "UnicodeDecodeWithOffsets" : "UnicodeDecode",
        .signature = std::string("input: string -> row_splits: Tsplits, char_values: int32") +
                     (offsets ? ", char_to_byte_starts: int64" : ""),
        .attrs = {"input_encoding: string", errors, replacement, controls, splits},
        .shape = DecodeShapes,
        .no_gradient = kNoGradient,
        .kernels = CpuKernelsFor<int32_t, int64_t>("Tsplits", WEIR_FOR_TYPE(MakeDecode)),
    });
  }
  registry.Add({
      .name = "UnicodeEncode",
      .signature = "input_values: int32, input_splits: Tsplits -> output: string",
      .attrs = {errors, output_encoding, replacement, splits},
      .shape = EncodeShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeEncode),
  });
  registry.Add({
      .name = "UnicodeTranscode",
      .signature = "input: string -> output: string",
      .attrs = {"input_encoding: string", output_encoding, errors, replacement, controls},
      .shape = SameAsInput(0),
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeTranscode),
  });
}

}  // namespace weir::ops
