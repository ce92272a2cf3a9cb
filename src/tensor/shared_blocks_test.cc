#include "tensor/shared_blocks.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "tensor/tensor.h"

namespace weir {
namespace {

constexpr size_t kShareMega = size_t{1} << 20;

class SharedBlocksTest : public testing::Test {
 protected:
  SharedBlocksTest() { ShareLargeBlocks(); }
};

bool IsMapped(const void* data) {
  unsigned char pages = 0;
  return mincore(const_cast<void*>(data), 1, &pages) == 0;
}

// A read-only mapping of a block, as another process would have it.
class View final {
 public:
  explicit View(const SharedBlock& block) : size_(block.capacity) {
    bytes_ = mmap(nullptr, size_, PROT_READ, MAP_SHARED, block.fd, 0);
    EXPECT_NE(bytes_, MAP_FAILED);
  }
  ~View() { munmap(bytes_, size_); }
  const char* bytes() const { return static_cast<const char*>(bytes_); }

 private:
  size_t size_;
  void* bytes_;
};

TEST_F(SharedBlocksTest, LargeBlocksCanBeMapped) {
  for (const size_t size : {kShareMega / 4, kShareMega, 5 * kShareMega + 3}) {
    const BufferPtr buffer = CpuAllocator().Allocate(size).value();
    auto* bytes = static_cast<char*>(buffer->data());
    const std::optional<SharedBlock> block = FindSharedBlock(bytes + 100, size - 100);
    ASSERT_TRUE(block.has_value());
    EXPECT_EQ(block->offset, 100u);
    EXPECT_GE(block->capacity, size);
    const View view(*block);
    std::memcpy(bytes + 100, "here", 4);
    bytes[size - 1] = 'z';
    EXPECT_EQ(std::memcmp(view.bytes() + 100, "here", 4), 0);
    EXPECT_EQ(view.bytes()[size - 1], 'z');
    EXPECT_FALSE(FindSharedBlock(bytes, block->capacity + 1).has_value());
    EXPECT_NE(ftruncate(block->fd, 0), 0);  // otherwise a reader of the mapping could get SIGBUS
  }
}

TEST_F(SharedBlocksTest, OtherMemoryCannotBeMapped) {
  const BufferPtr small = CpuAllocator().Allocate(1000).value();
  EXPECT_FALSE(FindSharedBlock(small->data(), 1000).has_value());
  const BufferPtr own = AllocatePrivate(2 * kShareMega).value();
  EXPECT_FALSE(FindSharedBlock(own->data(), 2 * kShareMega).has_value());
  int here = 0;
  EXPECT_FALSE(FindSharedBlock(&here, sizeof(here)).has_value());
  AbandonSharedBlock(&here);
}

TEST_F(SharedBlocksTest, BlocksOfBothKindsAreRecycled) {
  void* shared = CpuAllocator().Allocate(11 * kShareMega).value()->data();
  void* own = AllocatePrivate(11 * kShareMega).value()->data();
  EXPECT_EQ(CpuAllocator().Allocate(11 * kShareMega).value()->data(), shared);
  EXPECT_EQ(AllocatePrivate(11 * kShareMega).value()->data(), own);
}

TEST_F(SharedBlocksTest, AbandonedBlocksAreNotRewritten) {
  Tensor tensor = Tensor::Zeros(kUint8, Shape{13 * kShareMega}).value();
  std::memset(tensor.raw(), 'a', tensor.num_bytes());
  const SharedBlock block = FindSharedBlock(tensor.raw(), tensor.num_bytes()).value();
  const View view(block);
  EXPECT_FALSE(tensor.HasReaders());
  AbandonSharedBlock(tensor.raw());
  AbandonSharedBlock(tensor.raw());
  EXPECT_TRUE(tensor.HasReaders());  // so writers make a copy
  const void* former = tensor.raw();
  tensor = Tensor();
  EXPECT_FALSE(FindSharedBlock(former, 1).has_value());
  EXPECT_FALSE(IsMapped(former));
  EXPECT_EQ(fcntl(block.fd, F_GETFD), -1);  // closed
  tensor = Tensor::Allocate(kUint8, Shape{13 * kShareMega}).value();
  EXPECT_NE(FindSharedBlock(tensor.raw(), tensor.num_bytes())->id, block.id);
  std::memset(tensor.raw(), 'b', tensor.num_bytes());
  EXPECT_EQ(view.bytes()[0], 'a');
  EXPECT_EQ(view.bytes()[13 * kShareMega - 1], 'a');
}

TEST_F(SharedBlocksTest, UnusedBlockCannotBeAbandoned) {
  Tensor tensor = Tensor::Allocate(kUint8, Shape{17 * kShareMega}).value();
  const void* former = tensor.raw();
  const uint64_t id = FindSharedBlock(former, 1)->id;
  tensor = Tensor();
  AbandonSharedBlock(former);
  for (int i = 0; i < 2; ++i) {
    tensor = Tensor::Allocate(kUint8, Shape{17 * kShareMega}).value();
    EXPECT_EQ(FindSharedBlock(tensor.raw(), 1)->id, id);
    EXPECT_FALSE(tensor.HasReaders());
    tensor = Tensor();
  }
}

TEST_F(SharedBlocksTest, TheCacheIsBounded) {
  constexpr int kBlocks = 5;  // more than 1 GB together, never written to
  std::vector<BufferPtr> buffers;
  std::vector<const void*> former;
  for (int i = 0; i < kBlocks; ++i) {
    buffers.push_back(CpuAllocator().Allocate(250 * kShareMega).value());
    former.push_back(buffers.back()->data());
  }
  buffers.clear();
  EXPECT_LT(std::count_if(former.begin(), former.end(), IsMapped), kBlocks);
  EXPECT_TRUE(IsMapped(former.back()));  // the oldest go first
}

TEST_F(SharedBlocksTest, BlocksArePrivateIfFilesAreLimited) {
  for (const auto what : {RLIMIT_FSIZE, RLIMIT_NOFILE}) {
    rlimit before{};
    ASSERT_EQ(getrlimit(what, &before), 0);
    rlimit low = before;
    low.rlim_cur = what == RLIMIT_FSIZE ? kShareMega : 3;
    ASSERT_EQ(setrlimit(what, &low), 0);
    const BufferPtr buffer = CpuAllocator().Allocate(40 * kShareMega).value();
    ASSERT_EQ(setrlimit(what, &before), 0);
    EXPECT_FALSE(FindSharedBlock(buffer->data(), 1).has_value());
    const BufferPtr next = CpuAllocator().Allocate(23 * kShareMega).value();
    EXPECT_TRUE(FindSharedBlock(next->data(), 1).has_value());
  }
}

TEST_F(SharedBlocksTest, ForkedChildAllocatesItsOwnMemory) {
  BufferPtr held = CpuAllocator().Allocate(3 * kShareMega).value();
  std::memset(held->data(), 'p', held->size());
  CpuAllocator().Allocate(3 * kShareMega).value();  // freed at once: one cached block
  const pid_t child = fork();
  if (child == 0) {
    if (IsMapped(held->data())) _exit(1);
    BufferPtr own = CpuAllocator().Allocate(3 * kShareMega).value();
    std::memset(own->data(), 'c', own->size());
    if (FindSharedBlock(own->data(), 1).has_value()) _exit(2);
    // When the child shares its own blocks, it must not get a block of its parent, neither the cached one nor the one
    // that it frees here.
    held = nullptr;
    ShareLargeBlocks();
    for (int i = 0; i < 2; ++i) {
      own = CpuAllocator().Allocate(3 * kShareMega).value();
      std::memset(own->data(), 'c', own->size());
      if (!FindSharedBlock(own->data(), 1).has_value()) _exit(3);
    }
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(static_cast<char*>(held->data())[0], 'p');
  EXPECT_TRUE(FindSharedBlock(CpuAllocator().Allocate(kShareMega).value()->data(), 1).has_value());
}

}  // namespace
}  // namespace weir
