// Compiles every device program for every type, where NVIDIA's run-time compiler is installed. No GPU is needed.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

#include "device/cuda/cuda_compiler.h"
#include "device/cuda/cuda_sources.h"
#include "device/gpu/elementwise.h"
#include "device/gpu/movement.h"
#include "device/gpu/random.h"
#include "device/gpu/reduce.h"
#include "device/gpu/rows.h"
#include "device/gpu/updates.h"
#include "device/gpu/windows.h"

namespace weir {
namespace {

constexpr DType kReals[] = {kHalf, kBFloat16, kFloat, kDouble};

std::vector<GpuProgram> AllPrograms() {
  std::vector<GpuProgram> programs;
  const auto add = [&](std::vector<GpuProgram> more) {
    std::move(more.begin(), more.end(), std::back_inserter(programs));
  };
  for (const gpu::ElementOp& op : gpu::ElementOps()) {
    for (const DType type : gpu::ElementTypes(op.name)) {
      std::vector<DType> inputs(static_cast<size_t>(op.inputs), type);
      if (op.name.starts_with("Select")) inputs[0] = kBool;
      const gpu::ElementStep step{.op = op.name, .alpha = 0.5, .to = type == kFloat ? kHalf : kFloat};
      for (const int rank : {1, 3}) {
        Result<GpuProgram> program = gpu::ElementwiseProgram(inputs, {&step, 1}, rank, rank == 1 ? 4 : 1);
        EXPECT_TRUE(program.ok()) << op.name << " of " << type << ": " << program.status();
        if (program.ok()) programs.push_back(*std::move(program));
      }
    }
  }
  for (const size_t bytes : {1, 2, 4, 8, 16}) add(gpu::MovementPrograms(bytes));
  for (const DType type : kReals) {
    add(gpu::RandomPrograms(type));
    add(gpu::RowPrograms(type));
    add(gpu::UpdatePrograms(type));
    add(gpu::WindowPrograms(type));
  }
  for (const DType type : {kInt32, kInt64}) add(gpu::RandomPrograms(type));
  for (const DType type : {kHalf, kBFloat16, kFloat, kDouble, kInt8, kInt16, kInt32, kInt64, kUint8, kUint16, kUint32,
                           kUint64, kComplex64, kComplex128, kBool})
    add(gpu::ReducePrograms(type));
  return programs;
}

TEST(GpuPrograms, AllSourcesAreUsed) {
  std::map<std::string_view, int> uses;
  for (const GpuProgram& program : AllPrograms()) ++uses[program.source];
  for (const std::string_view name : CudaSourceNames()) {
    if (name == "prelude") continue;
    EXPECT_GT(uses[CudaSource(name)], 0) << name;
  }
}

TEST(GpuPrograms, CompileForEveryType) {
  const Result<std::shared_ptr<const NvrtcLibrary>> library = NvrtcLibrary::Load(CudaLibraryFolders(RealEnv()));
  if (!library.ok()) GTEST_SKIP() << library.status();
  CudaCompiler compiler(*library, RealEnv(), "");
  const std::vector<GpuProgram> programs = AllPrograms();
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::map<std::string, std::string> errors;
  const auto compile = [&] {
    for (size_t i = next++; i < programs.size(); i = next++) {
      const Result<Cubin> cubin = compiler.Compile(programs[i], compiler.TargetFor(9, 0));
      std::lock_guard lock(mutex);
      if (!cubin.ok()) errors.emplace(programs[i].name, std::string(cubin.status().message()));
    }
  };
  std::thread helper(compile);
  compile();
  helper.join();
  for (const auto& [name, error] : errors) ADD_FAILURE() << error;
  EXPECT_GT(programs.size(), 500u);
}

}  // namespace
}  // namespace weir
