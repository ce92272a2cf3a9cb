// GIF: a first pass over the records counts frames and finds their sizes; a second pass decodes them. A transparent
// pixel shows the frame before. The disposal method of frames is ignored.
#include <gif_lib.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "io/image.h"

namespace weir::io {
namespace {

int ReadBytes(GifFileType* gif, GifByteType* to, int size) {
  auto* rest = static_cast<std::string_view*>(gif->UserData);
  const size_t count = std::min(rest->size(), static_cast<size_t>(std::max(size, 0)));
  std::memcpy(to, rest->data(), count);
  rest->remove_prefix(count);
  return static_cast<int>(count);
}

struct CloseGif {
  void operator()(GifFileType* gif) const { DGifCloseFile(gif, nullptr); }
};
using GifPtr = std::unique_ptr<GifFileType, CloseGif>;

std::string ErrorText(int code) {
  const char* text = GifErrorString(code);
  return text == nullptr ? "unknown error" : text;
}

Result<GifPtr> Open(std::string_view* rest) {
  int error = 0;
  GifPtr gif(DGifOpen(rest, &ReadBytes, &error));
  if (gif == nullptr) return InvalidArgument("Invalid GIF data: {}", ErrorText(error));
  return gif;
}

// Moves to the next frame. Returns false at the end or on a read error. Sets `transparent` to the transparent color of
// the frame, or -1.
bool NextFrame(GifFileType* gif, int* transparent) {
  *transparent = NO_TRANSPARENT_COLOR;
  for (;;) {
    GifRecordType type = UNDEFINED_RECORD_TYPE;
    if (DGifGetRecordType(gif, &type) != GIF_OK) return false;
    if (type == IMAGE_DESC_RECORD_TYPE) return DGifGetImageDesc(gif) == GIF_OK;
    if (type != EXTENSION_RECORD_TYPE) return false;
    int code = 0;
    GifByteType* block = nullptr;
    if (DGifGetExtension(gif, &code, &block) != GIF_OK) return false;
    while (block != nullptr) {
      GraphicsControlBlock control;
      if (code == GRAPHICS_EXT_FUNC_CODE && DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK)
        *transparent = control.TransparentColor;
      if (DGifGetExtensionNext(gif, &block) != GIF_OK) return false;
    }
  }
}

bool SkipPixels(GifFileType* gif) {
  int code_size = 0;
  GifByteType* block = nullptr;
  if (DGifGetCode(gif, &code_size, &block) != GIF_OK) return false;
  while (block != nullptr)
    if (DGifGetCodeNext(gif, &block) != GIF_OK) return false;
  return true;
}

Result<ImageSize> Measure(std::string_view contents) {
  std::string_view rest = contents;
  WEIR_ASSIGN(const GifPtr gif, Open(&rest));
  ImageSize size{0, 0, 0, 3};
  for (int transparent; NextFrame(gif.get(), &transparent);) {
    const int64_t width = gif->Image.Width, height = gif->Image.Height;
    if (width <= 0 || height <= 0) return InvalidArgument("Invalid GIF data: frame {} has no pixels", size.frames);
    // A code has at least 9 bits and expands to at most 4096 pixels.
    if (width * height > 4096 * static_cast<int64_t>(contents.size()))
      return InvalidArgument("Invalid GIF data: {} bytes cannot hold a frame of {} x {} pixels", contents.size(),
                             height, width);
    if (!SkipPixels(gif.get())) break;
    size.width = std::max(size.width, width);
    size.height = std::max(size.height, height);
    ++size.frames;
    if (size.frames > kMaxImageBytes / (3 * size.width * size.height))
      return InvalidArgument("a GIF image of {} frames of {} x {} pixels is over the limit of {} bytes", size.frames,
                             size.height, size.width, kMaxImageBytes);
  }
  if (size.frames == 0)
    return InvalidArgument("Invalid GIF data (size {}): no frame is complete: {}", contents.size(),
                           ErrorText(gif->Error));
  return size;
}

struct Frame {
  uint8_t* to;
  const uint8_t* before;  // the frame before, or null
  int64_t width, height;
};

Status DrawRow(const GifFileType* gif, const std::vector<GifPixelType>& line, int64_t row, int transparent,
               const Frame& frame) {
  const GifImageDesc& image = gif->Image;
  const ColorMapObject* colors = image.ColorMap != nullptr ? image.ColorMap : gif->SColorMap;
  const int64_t y = image.Top + row;
  if (y < 0 || y >= frame.height) return OkStatus();
  for (int64_t i = 0; i < image.Width; ++i) {
    const int64_t x = image.Left + i;
    if (x < 0 || x >= frame.width) continue;
    const int color = line[static_cast<size_t>(i)];
    const int64_t at = 3 * (y * frame.width + x);
    if (color == transparent) {
      for (int64_t c = 0; c < 3; ++c) frame.to[at + c] = frame.before == nullptr ? 0 : frame.before[at + c];
      continue;
    }
    if (color >= colors->ColorCount)
      return InvalidArgument("Invalid GIF data: color {} is outside of the color map of {}", color, colors->ColorCount);
    frame.to[at] = colors->Colors[color].Red;
    frame.to[at + 1] = colors->Colors[color].Green;
    frame.to[at + 2] = colors->Colors[color].Blue;
  }
  return OkStatus();
}

Status DrawFrame(GifFileType* gif, int transparent, const Frame& frame) {
  const GifImageDesc& image = gif->Image;
  if (image.ColorMap == nullptr && gif->SColorMap == nullptr)
    return InvalidArgument("Invalid GIF data: a frame has no color map");
  const size_t bytes = static_cast<size_t>(3 * frame.width * frame.height);
  if (frame.before != nullptr)
    std::memcpy(frame.to, frame.before, bytes);
  else
    std::memset(frame.to, 0, bytes);
  std::vector<GifPixelType> line(static_cast<size_t>(image.Width));
  const auto read = [&](int64_t row) -> Status {
    if (DGifGetLine(gif, line.data(), image.Width) != GIF_OK)
      return InvalidArgument("Invalid GIF data: row {} of a frame: {}", row, ErrorText(gif->Error));
    return DrawRow(gif, line, row, transparent, frame);
  };
  if (!image.Interlace) {
    for (int64_t row = 0; row < image.Height; ++row) WEIR_TRY(read(row));
    return OkStatus();
  }
  constexpr int64_t kFirst[] = {0, 4, 2, 1}, kStep[] = {8, 8, 4, 2};
  for (int pass = 0; pass < 4; ++pass)
    for (int64_t row = kFirst[pass]; row < image.Height; row += kStep[pass]) WEIR_TRY(read(row));
  return OkStatus();
}

}  // namespace

Status DecodeGif(std::string_view contents, const PixelsFn& pixels) {
  WEIR_ASSIGN(const ImageSize size, Measure(contents));
  WEIR_ASSIGN(void* out, pixels(size));
  std::string_view rest = contents;
  WEIR_ASSIGN(const GifPtr gif, Open(&rest));
  Frame frame{static_cast<uint8_t*>(out), nullptr, size.width, size.height};
  for (int64_t i = 0; i < size.frames; ++i) {
    int transparent;
    if (!NextFrame(gif.get(), &transparent)) return InvalidArgument("Invalid GIF data: frame {} is missing", i);
    WEIR_TRY(DrawFrame(gif.get(), transparent, frame));
    frame.before = frame.to;
    frame.to += 3 * size.width * size.height;
  }
  return OkStatus();
}

}  // namespace weir::io
