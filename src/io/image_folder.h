// Reads a folder of images with one subfolder per class, and converts images to Examples.
#ifndef WEIR_IO_IMAGE_FOLDER_H_
#define WEIR_IO_IMAGE_FOLDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/env.h"
#include "proto/example.pb.h"

namespace weir::io {

struct ImageFile {
  std::string path;
  int64_t label = 0;  // index into the classes
};

struct ImageFolder {
  std::vector<std::string> classes;  // the names of the subfolders, sorted, or the given classes
  std::vector<ImageFile> files;      // by class, sorted; files without the suffix of an image are ignored
};
// NotFound if there is no such folder, InvalidArgument if it has no images. `classes`, if given, defines the labels,
// whether or not there are images of each class; images in any other subfolder are then an error.
Result<ImageFolder> ListImages(Env& env, const std::string& folder, const std::vector<std::string>& classes = {});

struct ImageRecordOptions {
  bool raw = false;      // store pixels instead of the bytes of the file
  int64_t channels = 0;  // of the pixels: 1, 3; 0: as in the file
};
// Converts one image to an Example. Always decodes the image, so that a damaged one is an error. Features:
//   image/encoded, image/format, image/height, image/width, image/channels, image/class/label, image/class/text,
// or with `raw`: image_raw (uint8, rows from the top, channels interleaved), height, width, depth, label.
// Errors name the file.
Result<tensorflow::Example> ImageExample(Env& env, const ImageFile& file, const std::string& class_name,
                                         const ImageRecordOptions& options);

}  // namespace weir::io

#endif  // WEIR_IO_IMAGE_FOLDER_H_
