#include "tensor/tensor.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/out_of_memory.h"
#include "base/process_memory.h"
#include "weir/base/error.h"

namespace weir {
namespace {

TEST(TensorTest, AllocateEveryType) {
  for (int number = 1; number <= 23; ++number) {
    const auto type = static_cast<DType>(number);
    for (const Shape& shape : {Shape{}, Shape{0}, Shape{3, 0, 2}, Shape{2, 3}}) {
      Result<Tensor> t = Tensor::Zeros(type, shape);
      if (type == kVariant) {
        EXPECT_EQ(t.status().code(), StatusCode::kUnimplemented);
        continue;
      }
      ASSERT_TRUE(t.ok()) << type;
      EXPECT_EQ(t->dtype(), type);
      EXPECT_EQ(t->shape(), shape);
      EXPECT_EQ(t->num_bytes(), static_cast<size_t>(shape.num_elements()) * ElementSize(type));
      EXPECT_TRUE(t->OwnsMemoryAlone());
      EXPECT_TRUE(t->Clone().ok());
    }
  }
  EXPECT_FALSE(Tensor::Allocate(kInvalidType, Shape{}).ok());
  EXPECT_FALSE(Tensor::Allocate(RefType(kFloat), Shape{}).ok());
}

std::string MessageOf(const std::function<void()>& access) {
  try {
    access();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::kInvalidArgument);
    return error.what();
  }
  return "no error";
}

TEST(TensorTest, AnAccessOfTheWrongTypeOrCountThrows) {
  const Tensor one = Tensor::Scalar(1.0), two = Tensor::Vector<float>({1, 2});
  EXPECT_EQ(one.scalar<double>(), 1.0);
  EXPECT_EQ(MessageOf([&] { (void)one.scalar<float>(); }),
            "INVALID_ARGUMENT: a tensor of type float64 and shape [] was accessed as float32: use the C++ type that "
            "belongs to its dtype()");
  EXPECT_EQ(MessageOf([&] { (void)two.scalar<float>(); }),
            "INVALID_ARGUMENT: a tensor of shape [2] has 2 elements, not 1");
  EXPECT_EQ(MessageOf([&] { (void)two.Reshaped({3}); }),
            "INVALID_ARGUMENT: a tensor of shape [3] has 3 elements, not 2");
  EXPECT_EQ(MessageOf([&] { (void)Tensor().scalar<float>(); }).find("no error"), std::string::npos);
}

TEST(TensorTest, TooLargeIsAnErrorThatNamesTheTensor) {
  for (int64_t n : {int64_t{1} << 44, int64_t{1} << 62}) {
    const Status status = Tensor::Allocate(kDouble, Shape{n}).status();
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
    EXPECT_NE(status.message().find("float64"), absl::string_view::npos) << status;
    EXPECT_NE(status.message().find(std::to_string(n)), absl::string_view::npos) << status;
  }
}

TEST(TensorTest, CopiesShareAndClonesDoNot) {
  const Tensor a = Tensor::Of<float>(Shape{2, 2}, {1, 2, 3, 4});
  const Tensor b = a;  // NOLINT(performance-unnecessary-copy-initialization): the copy is tested
  const Tensor c = a.Clone().value();
  EXPECT_TRUE(a.SharesMemoryWith(b));
  EXPECT_FALSE(a.OwnsMemoryAlone());
  EXPECT_FALSE(a.SharesMemoryWith(c));
  b.data<float>()[0] = 9;
  EXPECT_EQ(a.flat<float>()[0], 9);
  EXPECT_EQ(c.flat<float>()[0], 1);
  EXPECT_FALSE(Tensor().Clone().value().valid());
}

TEST(TensorTest, BorrowedMemoryIsNotOwned) {
  const Tensor a = Tensor::Of<float>(Shape{2}, {1, 2});
  {
    const Tensor lent = a.Lease();
    EXPECT_EQ(lent.raw(), a.raw());
    EXPECT_TRUE(a.HasReaders());
    EXPECT_FALSE(a.OwnsMemoryAlone());
    EXPECT_FALSE(lent.OwnsMemoryAlone());
    EXPECT_TRUE(lent.Clone().value().OwnsMemoryAlone());
  }
  EXPECT_TRUE(a.OwnsMemoryAlone());
  EXPECT_FALSE(a.HasReaders());
}

TEST(TensorTest, StringsAreObjects) {
  const std::string big(1000, 'x');
  Tensor a = Tensor::Vector<std::string>({"one", big, ""});
  const Tensor b = a.Clone().value();
  a.data<std::string>()[1] = "changed";
  EXPECT_EQ(b.data<std::string>()[1], big);
  const Tensor slice = b.Slice(1, 3);
  EXPECT_EQ(slice.data<std::string>()[0], big);
  b.ZeroFill();
  EXPECT_EQ(slice.data<std::string>()[0], "");
  EXPECT_EQ(Tensor::Scalar("text").scalar<std::string>(), "text");
}

TEST(TensorTest, HandlesAreObjects) {
  ResourceHandle handle{.device = "/cpu:0", .container = "c", .name = "v", .type_hash = 7, .type_name = "Var"};
  const Tensor a = Tensor::Scalar(handle);
  const Tensor b = a.Clone().value();
  EXPECT_EQ(b.scalar<ResourceHandle>(), handle);
}

TEST(TensorTest, ViewsShareMemory) {
  const Tensor t = Tensor::Of<int32_t>(Shape{3, 2}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(t.Reshaped(Shape{6}).data<int32_t>(), t.data<int32_t>());
  const Tensor rows = t.Slice(1, 3);
  EXPECT_EQ(rows.shape(), (Shape{2, 2}));
  EXPECT_EQ(rows.Ints(), (std::vector<int64_t>{3, 4, 5, 6}));
  EXPECT_EQ(t.Slice(3, 3).num_elements(), 0);
  EXPECT_EQ((Tensor::Zeros(kFloat, Shape{0, 4}).value().Slice(0, 0).shape()), (Shape{0, 4}));
  EXPECT_EQ(Tensor::Scalar(1.0f).BitcastTo(kUint32).scalar<uint32_t>(), 0x3f800000u);
  EXPECT_EQ(Tensor::Vector<int64_t>({5, 6}).Int(1), 6);
}

TEST(TensorTest, WrappedMemory) {
  float values[2] = {1, 2};
  bool released = false;
  {
    const Tensor t =
        Tensor::FromBuffer(kFloat, Shape{2}, WrapMemory(values, sizeof(values), [&] { released = true; }), values);
    EXPECT_EQ(t.flat<float>()[1], 2);
    EXPECT_FALSE(released);
  }
  EXPECT_TRUE(released);
}

TEST(TensorTest, ToStringForPeople) {
  EXPECT_EQ(Tensor::Of<float>(Shape{2, 2}, {1, 2, 3, 4}).ToString(), "float32 [2,2] [[1 2] [3 4]]");
  EXPECT_EQ(Tensor::Scalar(int32_t{5}).ToString(), "int32 [] 5");
  EXPECT_EQ(Tensor::Vector<int64_t>({1, 2, 3, 4}).ToString(2), "int64 [4] [1 2 ...]");
  EXPECT_EQ(Tensor::Vector<std::string>({"a\n", "b"}).ToString(), "string [2] [\"a\\n\" \"b\"]");
  EXPECT_EQ(Tensor::Zeros(kFloat, Shape{0, 3}).value().ToString(), "float32 [0,3] []");
  EXPECT_EQ(Tensor().ToString(), "<no tensor>");
}

// The expected texts are those of tf.Print in TensorFlow 2.21.
TEST(TensorTest, SummarizeAsTensorFlowPrints) {
  Tensor t = Tensor::Zeros(kInt32, Shape{2, 3, 2}).value();
  for (int i = 0; i < 12; ++i) t.data<int32_t>()[i] = i;
  EXPECT_EQ(t.SummarizeValue(3), "[[[0 1][2...]]...]");
  EXPECT_EQ(t.SummarizeValue(10), "[[[0 1][2 3][4 5]][[6 7][8 9]]...]");
  EXPECT_EQ(t.SummarizeValue(-1), "[[[0 1][2 3][4 5]][[6 7][8 9][10 11]]]");
  EXPECT_EQ(Tensor::Of<float>(Shape{2, 2}, {0, 1.0f / 3, 2.0f / 3, 1}).SummarizeValue(3),
            "[[0 0.333333343][0.666666687...]...]");
  EXPECT_EQ(Tensor::Scalar(1.0 / 3).SummarizeValue(3), "[0.33333333333333331]");
  EXPECT_EQ(Tensor::Scalar(1e20f).SummarizeValue(3), "[1e+20]");
  EXPECT_EQ(Tensor::Scalar(123456789.0f).SummarizeValue(3), "[123456792]");
  EXPECT_EQ(Tensor::Scalar(123456.789).SummarizeValue(3), "[123456.789]");
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(
      Tensor::Vector<float>({1e-10f, inf, -inf, std::numeric_limits<float>::quiet_NaN(), -0.0f}).SummarizeValue(9),
      "[1e-10 inf -inf nan -0]");
  EXPECT_EQ(Tensor::Vector<half>({half(1.0f / 3)}).SummarizeValue(3), "[0.333251953]");
  EXPECT_EQ(Tensor::Vector<bool>({true, false}).SummarizeValue(3), "[1 0]");
  EXPECT_EQ(Tensor::Vector<int8_t>({1, 2, 3, -1}).SummarizeValue(3), "[1 2 3...]");
  EXPECT_EQ(Tensor::Vector<std::string>({"ab", "c\n\""}).SummarizeValue(3), "[ab c\\n\\\"]");
  EXPECT_EQ(Tensor::Zeros(kFloat, Shape{2, 0, 3}).value().SummarizeValue(3), "[]");
  EXPECT_EQ(Tensor::Of<int32_t>(Shape{3, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8}).SummarizeValue(2), "[[0 1...]...]");
  EXPECT_EQ(Tensor::Vector<int32_t>({0, 1}).SummarizeValue(0), "[...]");
}

TEST(TensorTest, LiteralOverTheMemoryLimitIsAnError) {
  ProcessMemory& memory = ProcessMemory::Get();
  // Sizes differ from call to call, because the allocator reuses freed blocks of the same size without asking.
  const auto make = [&](size_t elements) {
    return CatchOutOfMemory("a literal", [&] {
      const std::vector<int64_t> values(elements, 7);
      std::vector<Tensor> held;
      for (int i = 0; i < 200; ++i) held.push_back(Tensor::Vector<int64_t>(absl::MakeConstSpan(values)));
      return OkStatus();
    });
  };
  EXPECT_TRUE(make(100'000).ok());
  const int64_t filled = memory.limit();
  memory.CountBlock(filled);
  const Status status = make(300'000);
  memory.CountBlock(-filled);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
  EXPECT_NE(status.message().find("cannot allocate"), absl::string_view::npos) << status;
  EXPECT_TRUE(make(300'000).ok());
}

}  // namespace
}  // namespace weir
