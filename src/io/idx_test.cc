#include "io/idx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "base/env_fake.h"

namespace weir::io {
namespace {

using testing::HasSubstr;

std::string Gzip(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(bytes.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

Tensor Images(int64_t count) {
  Tensor t = Tensor::Zeros(kUint8, {count, 4, 3}).value();
  for (int64_t i = 0; i < t.num_elements(); ++i) t.data<uint8_t>()[i] = static_cast<uint8_t>(i * 7);
  return t;
}

TEST(IdxTest, ReadsMnistFormat) {
  const std::string bytes("\0\0\x08\x02\0\0\0\x02\0\0\0\x03\x01\x02\x03\xff\x05\x06", 18);
  const Tensor t = ParseIdx(bytes, "labels").value();
  EXPECT_EQ(t.dtype(), kUint8);
  EXPECT_EQ(t.shape(), (Shape{2, 3}));
  EXPECT_EQ(t.data<uint8_t>()[3], 255);
  const std::string shorts("\0\0\x0b\x01\0\0\0\x02\x01\x02\xff\xfe", 12);
  EXPECT_EQ(ParseIdx(shorts, "shorts").value().data<int16_t>()[0], 0x0102);
  EXPECT_EQ(ParseIdx(shorts, "shorts").value().data<int16_t>()[1], -2);
}

TEST(IdxTest, RoundTripsEveryTypePlainAndGzipped) {
  const std::vector<Tensor> all = {Images(5),
                                   Images(0),
                                   Tensor::Vector<int8_t>({-1, 2}),
                                   Tensor::Vector<int16_t>({-300, 300}),
                                   Tensor::Vector<int32_t>({-70000, 1}),
                                   Tensor::Vector<float>({1.5f, -2.5f}),
                                   Tensor::Of<double>({2, 1}, {1e300, -0.5}),
                                   Tensor::Scalar<int32_t>(7)};
  FakeEnv env;
  for (const Tensor& t : all) {
    const std::string bytes = IdxBytes(t).value();
    for (const std::string& content : {bytes, Gzip(bytes)}) {
      ASSERT_TRUE(env.WriteFile("/f", content).ok());
      const Result<Tensor> read = ReadIdx(env, "/f");
      ASSERT_TRUE(read.ok()) << read.status();
      EXPECT_EQ(read->dtype(), t.dtype());
      EXPECT_EQ(read->shape(), t.shape());
      EXPECT_EQ(read->ToString(100), t.ToString(100));
    }
  }
  EXPECT_FALSE(IdxBytes(Tensor::Scalar("text")).ok());
}

TEST(IdxTest, LargeFilesAreReadInChunks) {
  const Tensor large = Images(200'000);
  EXPECT_EQ(std::memcmp(ParseIdx(Gzip(IdxBytes(large).value()), "l").value().raw(), large.raw(), large.num_bytes()), 0);
}

TEST(IdxTest, TruncationErrorsNameTheFile) {
  const std::string bytes = IdxBytes(Images(3)).value();
  for (const std::string& whole : {bytes, Gzip(bytes)}) {
    for (size_t size = 0; size < whole.size(); ++size) {
      const Status status = ParseIdx(whole.substr(0, size), "/data/images").status();
      ASSERT_FALSE(status.ok()) << size;
      EXPECT_THAT(status.message(), HasSubstr("/data/images")) << size;
    }
  }
  const Status cut = ParseIdx(bytes.substr(0, bytes.size() - 1), "/data/images").status();
  EXPECT_EQ(cut.code(), StatusCode::kDataLoss);
  EXPECT_THAT(cut.message(), HasSubstr("36 bytes, but the file has 35"));
}

TEST(IdxTest, RejectsOtherFiles) {
  EXPECT_THAT(ParseIdx("<html>Not found</html>", "f").status().message(), HasSubstr("invalid magic number 1013478509"));
  const std::string long_one = IdxBytes(Images(3)).value() + "x";
  EXPECT_THAT(ParseIdx(long_one, "f").status().message(), HasSubstr("more than the 36 bytes"));
  EXPECT_THAT(ParseIdx(Gzip(long_one), "f").status().message(), HasSubstr("more than the 36 bytes"));
  const std::string huge("\0\0\x08\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 16);
  EXPECT_THAT(ParseIdx(huge, "f").status().message(), HasSubstr("sizes are impossible"));
  const std::string large("\0\0\x08\x02\0\xff\xff\xff\0\0\xff\xff", 12);  // claims 1 TB
  EXPECT_EQ(ParseIdx(large, "f").status().code(), StatusCode::kDataLoss);
  std::string damaged = Gzip(IdxBytes(Images(30)).value());
  damaged[damaged.size() / 2] ^= 0x55;
  EXPECT_EQ(ParseIdx(damaged, "f").status().code(), StatusCode::kDataLoss);
}

TEST(IdxTest, FilesAreFoundZippedOrNot) {
  FakeEnv env;
  ASSERT_TRUE(env.MakeDirectories("/d").ok());
  ASSERT_TRUE(env.WriteFile("/d/images", IdxBytes(Images(2)).value()).ok());
  ASSERT_TRUE(env.WriteFile("/d/labels.gz", Gzip(IdxBytes(Tensor::Vector<uint8_t>({1, 2})).value())).ok());
  EXPECT_EQ(ReadIdxImages(env, "/d/images.gz").value().shape(), (Shape{2, 4, 3}));
  EXPECT_EQ(ReadIdxLabels(env, "/d/labels").value().shape(), (Shape{2}));
  EXPECT_THAT(ReadIdxImages(env, "/d/labels.gz").status().message(), HasSubstr("images are expected"));
  EXPECT_THAT(ReadIdxLabels(env, "/d/images").status().message(), HasSubstr("labels are expected"));
  const Status missing = ReadIdxImages(env, "/d/train-images-idx3-ubyte.gz").status();
  EXPECT_EQ(missing.code(), StatusCode::kNotFound);
  EXPECT_THAT(missing.message(), HasSubstr("/d/train-images-idx3-ubyte.gz"));
  EXPECT_THAT(missing.message(), HasSubstr("put train-images-idx3-ubyte or train-images-idx3-ubyte.gz"));
}

}  // namespace
}  // namespace weir::io
