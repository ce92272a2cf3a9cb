#include "ops/nn/gpu_windows.h"

#include "device/gpu/movement.h"

namespace weir::ops {
namespace {

// The channels of one group, as a block of a tensor whose last dimension holds those of all groups.
struct GroupBlock {
  int64_t outer = 0;     // the product of the other dimensions
  int64_t channels = 0;  // of all groups
  int64_t first = 0;     // channel of the group
  int64_t count = 0;
};

Status CopyGroup(GpuStream& stream, DType type, const GroupBlock& block, void* whole, void* part, bool to_part) {
  const size_t bytes = ElementSize(type);
  const int64_t dims[] = {block.outer, block.count};
  const int64_t in_whole[] = {block.channels, 1};
  const int64_t in_part[] = {block.count, 1};
  const gpu::StridedSide side{static_cast<char*>(whole) + block.first * static_cast<int64_t>(bytes), in_whole};
  const gpu::StridedSide other{part, in_part};
  return to_part ? gpu::StridedCopy(stream, bytes, dims, side, other)
                 : gpu::StridedCopy(stream, bytes, dims, other, side);
}

gpu::Window WindowOf(const ConvSizes& s) {
  return {.batch = s.batch,
          .height = s.in[0],
          .width = s.in[1],
          .channels = s.in_channels / s.groups,
          .out_height = s.out[0],
          .out_width = s.out[1],
          .rows = s.filter[0],
          .columns = s.filter[1],
          .row_step = s.stride[0],
          .column_step = s.stride[1],
          .row_dilation = s.dilation[0],
          .column_dilation = s.dilation[1],
          .top = s.before[0],
          .left = s.before[1]};
}

Status Compute(GpuStream& stream, ConvPass pass, DType type, const gpu::Window& window, int64_t filters, const void* a,
               const void* b, void* to) {
  switch (pass) {
    case ConvPass::kForward:
      return gpu::Convolve(stream, type, window, filters, a, b, /*bias=*/nullptr, /*relu=*/false, to);
    case ConvPass::kInputGradient:
      return gpu::ConvolveInputGrad(stream, type, window, filters, a, b, to);
    case ConvPass::kFilterGradient:
      return gpu::ConvolveFilterGrad(stream, type, window, filters, a, b, to);
  }
  return Internal("unknown pass of a convolution");
}

enum class Role { kImages, kFilter, kResults };
// The roles of a, b and to.
std::array<Role, 3> RolesOf(ConvPass pass) {
  switch (pass) {
    case ConvPass::kForward:
      return {Role::kImages, Role::kFilter, Role::kResults};
    case ConvPass::kInputGradient:
      return {Role::kFilter, Role::kResults, Role::kImages};
    default:
      return {Role::kImages, Role::kResults, Role::kFilter};
  }
}

Shape ChannelsLast(const Shape& shape) { return Shape{shape[0], shape[2], shape[3], shape[1]}; }

// Channels last.
Status ConvolveGroups(GpuDevice& gpu, GpuStream& stream, ConvPass pass, const ConvSizes& s,
                      const std::array<Tensor, 3>& tensors) {
  const DType type = tensors[0].dtype();
  const gpu::Window window = WindowOf(s);
  const int64_t filters = s.out_channels / s.groups;
  if (s.groups == 1)
    return Compute(stream, pass, type, window, filters, tensors[0].raw(), tensors[1].raw(), tensors[2].raw());
  const std::array<Role, 3> roles = RolesOf(pass);
  std::array<GroupBlock, 3> blocks;
  std::array<Tensor, 3> parts;
  for (size_t i = 0; i < 3; ++i) {
    GroupBlock& block = blocks[i];
    block.channels = roles[i] == Role::kImages ? s.in_channels : s.out_channels;
    block.count = block.channels / s.groups;
    block.outer = tensors[i].num_elements() / block.channels;
    WEIR_ASSIGN(parts[i], gpu.AllocateTemp(type, Shape{block.outer, block.count}));
  }
  for (int64_t g = 0; g < s.groups; ++g) {
    for (GroupBlock& block : blocks) block.first = g * block.count;
    for (size_t i = 0; i < 2; ++i)
      WEIR_TRY(CopyGroup(stream, type, blocks[i], tensors[i].raw(), parts[i].raw(), /*to_part=*/true));
    WEIR_TRY(Compute(stream, pass, type, window, filters, parts[0].raw(), parts[1].raw(), parts[2].raw()));
    WEIR_TRY(CopyGroup(stream, type, blocks[2], tensors[2].raw(), parts[2].raw(), /*to_part=*/false));
  }
  return OkStatus();
}

}  // namespace

Status ConvolveOnGpu(GpuDevice& gpu, GpuStream& stream, ConvPass pass, const ConvSizes& sizes, const Tensor& a,
                     const Tensor& b, const Tensor& to) {
  if (to.num_elements() == 0) return OkStatus();
  if (a.num_elements() == 0 || b.num_elements() == 0) {
    const char zero = 0;
    return stream.Fill(to.raw(), &zero, 1, to.num_bytes());
  }
  std::array<Tensor, 3> tensors = {a, b, to};
  if (!sizes.channels_first) return ConvolveGroups(gpu, stream, pass, sizes, tensors);
  const std::array<Role, 3> roles = RolesOf(pass);
  const size_t bytes = ElementSize(to.dtype());
  for (size_t i = 0; i < 3; ++i) {
    if (roles[i] == Role::kFilter) continue;
    const Tensor from = tensors[i];
    WEIR_ASSIGN(tensors[i], gpu.AllocateTemp(from.dtype(), ChannelsLast(from.shape())));
    if (i < 2) WEIR_TRY(gpu::Transpose(stream, bytes, from.raw(), from.shape().dims(), {0, 2, 3, 1}, tensors[i].raw()));
  }
  WEIR_TRY(ConvolveGroups(gpu, stream, pass, sizes, tensors));
  if (roles[2] == Role::kFilter) return OkStatus();
  return gpu::Transpose(stream, bytes, tensors[2].raw(), tensors[2].shape().dims(), {0, 3, 1, 2}, to.raw());
}

std::optional<gpu::Window> GpuWindowOf(const PoolSizes& p) {
  if (p.in[0] != 1 || p.out[0] != 1 || p.size[0] != 1) return std::nullopt;
  return gpu::Window{.batch = p.images,
                     .height = p.in[1],
                     .width = p.in[2],
                     .channels = p.channels,
                     .out_height = p.out[1],
                     .out_width = p.out[2],
                     .rows = p.size[1],
                     .columns = p.size[2],
                     .row_step = p.stride[1],
                     .column_step = p.stride[2],
                     .top = p.before[1],
                     .left = p.before[2]};
}

}  // namespace weir::ops
