#include "device/cpu/convolution.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include <oneapi/dnnl/dnnl.h>

#include "device/cpu/one_openmp_thread.h"
#include "device/cpu/winograd.h"

namespace weir {
namespace {

template <auto kDestroy>
struct Destroy {
  template <class T>
  void operator()(T* handle) const {
    kDestroy(handle);
  }
};
using EnginePtr = std::unique_ptr<dnnl_engine, Destroy<dnnl_engine_destroy>>;
using StreamPtr = std::unique_ptr<dnnl_stream, Destroy<dnnl_stream_destroy>>;
using AttrPtr = std::unique_ptr<dnnl_primitive_attr, Destroy<dnnl_primitive_attr_destroy>>;
using PrimitiveDescPtr = std::unique_ptr<dnnl_primitive_desc, Destroy<dnnl_primitive_desc_destroy>>;
using PrimitivePtr = std::unique_ptr<dnnl_primitive, Destroy<dnnl_primitive_destroy>>;
using MemoryPtr = std::unique_ptr<dnnl_memory, Destroy<dnnl_memory_destroy>>;

Status Checked(dnnl_status_t status, const char* what) {
  if (status == dnnl_success) return OkStatus();
  if (status == dnnl_out_of_memory) return ResourceExhausted("out of memory in a convolution ({})", what);
  if (status == dnnl_unimplemented) return Unimplemented("oneDNN does not support this convolution ({})", what);
  return Internal("oneDNN failed in a convolution ({}: error {})", what, static_cast<int>(status));
}

struct Primitive {
  PrimitivePtr primitive;
  int64_t scratch_bytes = 0;
  dnnl_memory_desc_t scratch = {};
};

struct Argument {
  int index;
  const dnnl_memory_desc_t* desc;
  const void* data;
};

// The memory descriptors of one pass over a given number of images.
struct MemoryDescriptors {
  dnnl_memory_desc_t images = {};
  dnnl_memory_desc_t results = {};
};

// The descriptor of the filter in the layout of its tensor. With several groups, these are the first dimension.
dnnl_memory_desc_t PlainFilter(const ConvSizes& s) {
  const int g = s.groups > 1 ? 1 : 0;
  dnnl_dims_t dims = {};
  dnnl_dims_t strides = {};
  const int64_t in_per_group = s.in_channels / s.groups;
  const int64_t out_per_group = s.out_channels / s.groups;
  if (g == 1) {
    dims[0] = s.groups;
    strides[0] = out_per_group;
  }
  dims[g] = out_per_group;
  strides[g] = 1;
  dims[g + 1] = in_per_group;
  strides[g + 1] = s.out_channels;
  int64_t stride = in_per_group * s.out_channels;
  for (int i = s.dims - 1; i >= 0; --i) {
    dims[g + 2 + i] = s.filter[i];
    strides[g + 2 + i] = stride;
    stride *= s.filter[i];
  }
  dnnl_memory_desc_t desc = {};
  dnnl_memory_desc_init_by_strides(&desc, g + 2 + s.dims, dims, dnnl_f32, strides);
  return desc;
}

dnnl_memory_desc_t Images(const ConvSizes& s, int64_t batch, int64_t channels, const ConvSizes::Dims& sizes) {
  dnnl_dims_t dims = {batch, channels};
  for (int i = 0; i < s.dims; ++i) dims[2 + i] = sizes[i];
  const dnnl_format_tag_t tag =
      s.channels_first ? (s.dims == 2 ? dnnl_nchw : dnnl_ncdhw) : (s.dims == 2 ? dnnl_nhwc : dnnl_ndhwc);
  dnnl_memory_desc_t desc = {};
  dnnl_memory_desc_init_by_tag(&desc, 2 + s.dims, dims, dnnl_f32, tag);
  return desc;
}

class OneDnnConvolution final : public Convolution {
 public:
  OneDnnConvolution(ConvPass pass, const ConvSizes& sizes) : pass_(pass), sizes_(sizes) {}

  Status Prepare(int threads) {
    const OneOpenMpThread one;
    dnnl_engine_t engine = nullptr;
    WEIR_TRY(Checked(dnnl_engine_create(&engine, dnnl_cpu, 0), "engine"));
    engine_.reset(engine);
    plain_filter_ = PlainFilter(sizes_);
    constexpr double kNanosPerMultiplication = 0.02;
    const bool split = sizes_.multiplications() * kNanosPerMultiplication > 30000;
    // Parts of this size are still in the cache when `finish` gets them.
    constexpr int64_t kPartBytes = 256 << 10;
    const int64_t bytes = sizes_.batch * sizes_.out_elements() * static_cast<int64_t>(sizeof(float));
    const int64_t parts = pass_ == ConvPass::kForward ? std::max<int64_t>(threads, bytes / kPartBytes) : threads;
    parts_ = split ? std::clamp<int64_t>(parts, 1, sizes_.batch) : 1;
    larger_parts_ = sizes_.batch % parts_;
    const int64_t least = sizes_.batch / parts_;
    dnnl_memory_desc_t any = plain_filter_;
    dnnl_memory_desc_init_by_tag(&any, plain_filter_.ndims, plain_filter_.dims, dnnl_f32, dnnl_format_tag_any);
    WEIR_TRY(PreparePass(least, any, &small_, &small_descriptors_));
    if (larger_parts_ > 0) WEIR_TRY(PreparePass(least + 1, packed_filter_, &larger_, &larger_descriptions_));
    filter_is_packed_ = dnnl_memory_desc_equal(&packed_filter_, &plain_filter_) != 0;
    if (!filter_is_packed_) {
      const bool packs = pass_ != ConvPass::kFilterGradient;
      dnnl_primitive_desc_t desc = nullptr;
      WEIR_TRY(
          Checked(dnnl_reorder_primitive_desc_create(&desc, packs ? &plain_filter_ : &packed_filter_, engine_.get(),
                                                     packs ? &packed_filter_ : &plain_filter_, engine_.get(), nullptr),
                  "reorder"));
      WEIR_TRY(Finish(PrimitiveDescPtr(desc), &reorder_));
    }
    return OkStatus();
  }

  Status Run(ThreadPool* pool, const float* a, const float* b, float* to, const RowEpilogue* finish) const override {
    if (pass_ == ConvPass::kFilterGradient) return RunFilterGradient(pool, a, b, to);
    const bool forward = pass_ == ConvPass::kForward;
    const float* filter = forward ? b : a;
    const float* from = forward ? a : b;
    const int64_t from_step = forward ? sizes_.in_elements() : sizes_.out_elements();
    const int64_t to_step = forward ? sizes_.out_elements() : sizes_.in_elements();
    return ForParts(pool, [&](int64_t, int64_t image, const Primitive& primitive, const MemoryDescriptors& d) {
      const float* x = from + image * from_step;
      float* y = to + image * to_step;
      if (forward) {
        WEIR_TRY(Execute(primitive, {{DNNL_ARG_SRC, &d.images, x},
                                     {DNNL_ARG_WEIGHTS, &packed_filter_, filter},
                                     {DNNL_ARG_DST, &d.results, y}}));
        if (finish != nullptr) {
          const int64_t channels = sizes_.out_channels;
          (*finish)(y, d.results.dims[0] * to_step / channels, channels, 0, channels);
        }
        return OkStatus();
      }
      return Execute(primitive, {{DNNL_ARG_DIFF_DST, &d.results, x},
                                 {DNNL_ARG_WEIGHTS, &packed_filter_, filter},
                                 {DNNL_ARG_DIFF_SRC, &d.images, y}});
    });
  }

  bool packs_filter() const override { return !filter_is_packed_; }

  Result<Tensor> PackFilter(ThreadPool*, const float* filter) const override {
    WEIR_ASSIGN(Tensor packed, Scratch(PackedBytes()));
    WEIR_TRY(
        Execute(reorder_, {{DNNL_ARG_FROM, &plain_filter_, filter}, {DNNL_ARG_TO, &packed_filter_, packed.raw()}}));
    return packed;
  }

 private:
  // Each part sums over its images. The sums are added in a fixed order, so that the result is deterministic.
  Status RunFilterGradient(ThreadPool* pool, const float* images, const float* gradients, float* to) const {
    const int64_t bytes = PackedBytes();
    const bool direct = parts_ == 1 && filter_is_packed_;
    Tensor sums;
    if (!direct) {
      WEIR_ASSIGN(const int64_t all, CheckedMultiply(bytes, parts_));
      WEIR_ASSIGN(sums, Scratch(all));
    }
    auto sum_of = [&](int64_t part) {
      return direct ? to : reinterpret_cast<float*>(static_cast<char*>(sums.raw()) + part * bytes);
    };
    WEIR_TRY(ForParts(pool, [&](int64_t part, int64_t image, const Primitive& primitive, const MemoryDescriptors& d) {
      return Execute(primitive, {{DNNL_ARG_SRC, &d.images, images + image * sizes_.in_elements()},
                                 {DNNL_ARG_DIFF_DST, &d.results, gradients + image * sizes_.out_elements()},
                                 {DNNL_ARG_DIFF_WEIGHTS, &packed_filter_, sum_of(part)}});
    }));
    if (direct) return OkStatus();
    float* total = sum_of(0);
    const int64_t count = bytes / static_cast<int64_t>(sizeof(float));
    for (int64_t part = 1; part < parts_; ++part) {
      const float* more = sum_of(part);
      for (int64_t i = 0; i < count; ++i) total[i] += more[i];
    }
    if (filter_is_packed_) {
      std::copy_n(total, sizes_.filter_elements(), to);
      return OkStatus();
    }
    return Execute(reorder_, {{DNNL_ARG_FROM, &packed_filter_, total}, {DNNL_ARG_TO, &plain_filter_, to}});
  }

  // Creates a primitive for `batch` images. The layout of `filter` may be dnnl_format_tag_any; sets packed_filter_.
  Status PreparePass(int64_t batch, const dnnl_memory_desc_t& filter, Primitive* primitive, MemoryDescriptors* d) {
    d->images = Images(sizes_, batch, sizes_.in_channels, sizes_.in);
    d->results = Images(sizes_, batch, sizes_.out_channels, sizes_.out);
    dnnl_dims_t strides = {}, dilates = {}, before = {}, after = {};
    for (int i = 0; i < sizes_.dims; ++i) {
      strides[i] = sizes_.stride[i];
      dilates[i] = sizes_.dilation[i] - 1;
      before[i] = sizes_.before[i];
      const int64_t reach = (sizes_.out[i] - 1) * sizes_.stride[i] + (sizes_.filter[i] - 1) * sizes_.dilation[i] + 1;
      after[i] = reach - sizes_.in[i] - before[i];
    }
    dnnl_convolution_desc_t desc = {};
    const dnnl_alg_kind_t algorithm = dnnl_convolution_direct;
    dnnl_query_t asks_filter = dnnl_query_weights_md;
    if (pass_ == ConvPass::kForward) {
      WEIR_TRY(Checked(
          dnnl_dilated_convolution_forward_desc_init(&desc, dnnl_forward_training, algorithm, &d->images, &filter,
                                                     nullptr, &d->results, strides, dilates, before, after),
          "forward"));
    } else if (pass_ == ConvPass::kInputGradient) {
      WEIR_TRY(Checked(dnnl_dilated_convolution_backward_data_desc_init(&desc, algorithm, &d->images, &filter,
                                                                        &d->results, strides, dilates, before, after),
                       "gradient of the input"));
    } else {
      asks_filter = dnnl_query_diff_weights_md;
      WEIR_TRY(
          Checked(dnnl_dilated_convolution_backward_weights_desc_init(&desc, algorithm, &d->images, &filter, nullptr,
                                                                      &d->results, strides, dilates, before, after),
                  "gradient of the filter"));
    }
    dnnl_primitive_attr_t made = nullptr;
    WEIR_TRY(Checked(dnnl_primitive_attr_create(&made), "attributes"));
    const AttrPtr attr(made);
    WEIR_TRY(Checked(dnnl_primitive_attr_set_scratchpad_mode(attr.get(), dnnl_scratchpad_mode_user), "attributes"));
    dnnl_primitive_desc_t found = nullptr;
    WEIR_TRY(Checked(dnnl_primitive_desc_create(&found, &desc, attr.get(), engine_.get(), nullptr), "description"));
    PrimitiveDescPtr owned(found);
    packed_filter_ = *dnnl_primitive_desc_query_md(found, asks_filter, 0);
    return Finish(std::move(owned), primitive);
  }

  static Status Finish(PrimitiveDescPtr desc, Primitive* primitive) {
    if (const dnnl_memory_desc_t* scratch = dnnl_primitive_desc_query_md(desc.get(), dnnl_query_scratchpad_md, 0)) {
      primitive->scratch = *scratch;
      primitive->scratch_bytes = static_cast<int64_t>(dnnl_memory_desc_get_size(scratch));
    }
    dnnl_primitive_t made = nullptr;
    WEIR_TRY(Checked(dnnl_primitive_create(&made, desc.get()), "primitive"));
    primitive->primitive.reset(made);
    return OkStatus();
  }

  int64_t PackedBytes() const { return static_cast<int64_t>(dnnl_memory_desc_get_size(&packed_filter_)); }

  static Result<Tensor> Scratch(int64_t bytes) { return Tensor::Allocate(kUint8, Shape{bytes}); }

  Status Execute(const Primitive& primitive, std::initializer_list<Argument> arguments) const {
    const OneOpenMpThread one;
    dnnl_stream_t made = nullptr;
    WEIR_TRY(Checked(dnnl_stream_create(&made, engine_.get(), dnnl_stream_default_flags), "stream"));
    const StreamPtr stream(made);
    constexpr int kMost = 4;
    MemoryPtr memories[kMost];
    dnnl_exec_arg_t args[kMost];
    int count = 0;
    auto add = [&](int index, const dnnl_memory_desc_t* desc, const void* data) {
      dnnl_memory_t memory = nullptr;
      // const_cast is safe: oneDNN writes only to outputs.
      WEIR_TRY(Checked(dnnl_memory_create(&memory, desc, engine_.get(), const_cast<void*>(data)), "memory"));
      memories[count].reset(memory);
      args[count++] = {index, memory};
      return OkStatus();
    };
    for (const Argument& a : arguments) WEIR_TRY(add(a.index, a.desc, a.data));
    Tensor scratch;
    if (primitive.scratch_bytes > 0) {
      WEIR_ASSIGN(scratch, Scratch(primitive.scratch_bytes));
      WEIR_TRY(add(DNNL_ARG_SCRATCHPAD, &primitive.scratch, scratch.raw()));
    }
    WEIR_TRY(Checked(dnnl_primitive_execute(primitive.primitive.get(), stream.get(), count, args), "run"));
    return Checked(dnnl_stream_wait(stream.get()), "run");
  }

  // Calls work(part, first image, primitive, descriptions) for every part of the batch.
  template <class F>
  Status ForParts(ThreadPool* pool, F work) const {
    const int64_t least = sizes_.batch / parts_;
    auto run = [&](int64_t part) {
      const bool larger = part < larger_parts_;
      const int64_t image = part * least + std::min(part, larger_parts_);
      return work(part, image, larger ? larger_ : small_, larger ? larger_descriptions_ : small_descriptors_);
    };
    if (parts_ == 1) return run(0);
    std::atomic<bool> failed{false};
    Status error;
    auto range = [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        Status status = run(part);
        if (!status.ok() && !failed.exchange(true)) error = std::move(status);
      }
    };
    if (pool == nullptr) {
      range(0, parts_);
    } else {
      pool->ParallelFor(parts_, 1000000, range);
    }
    return error;
  }

  const ConvPass pass_;
  const ConvSizes sizes_;
  EnginePtr engine_;
  dnnl_memory_desc_t plain_filter_ = {};
  dnnl_memory_desc_t packed_filter_ = {};
  bool filter_is_packed_ = false;
  Primitive reorder_;  // converts the filter to or from the packed layout
  int64_t parts_ = 1;
  int64_t larger_parts_ = 0;  // the first larger_parts_ parts have one more image than the others
  Primitive small_, larger_;
  MemoryDescriptors small_descriptors_, larger_descriptions_;
};

}  // namespace

int64_t ConvSizes::in_elements() const {
  int64_t n = in_channels;
  for (int i = 0; i < dims; ++i) n *= in[i];
  return n;
}
int64_t ConvSizes::out_elements() const {
  int64_t n = out_channels;
  for (int i = 0; i < dims; ++i) n *= out[i];
  return n;
}
int64_t ConvSizes::filter_elements() const {
  int64_t n = in_channels / groups * out_channels;
  for (int i = 0; i < dims; ++i) n *= filter[i];
  return n;
}
double ConvSizes::multiplications() const {
  double n = static_cast<double>(batch) * static_cast<double>(filter_elements());
  for (int i = 0; i < dims; ++i) n *= static_cast<double>(out[i]);
  return n;
}

Result<std::shared_ptr<const Convolution>> MakeConvolution(ConvPass pass, const ConvSizes& sizes, int threads) {
  if (UseWinograd(pass, sizes)) return MakeWinogradConvolution(pass, sizes, threads);
  auto convolution = std::make_shared<OneDnnConvolution>(pass, sizes);
  WEIR_TRY(convolution->Prepare(threads));
  return std::shared_ptr<const Convolution>(std::move(convolution));
}

Result<std::shared_ptr<const Convolution>> ConvolutionCache::Get(ConvPass pass, const ConvSizes& sizes, int threads) {
  constexpr size_t kMost = 16;
  const std::lock_guard lock(mu_);
  for (auto it = entries_.begin(); it != entries_.end(); ++it) {
    if (it->pass != pass || it->threads != threads || !(it->sizes == sizes)) continue;
    std::rotate(entries_.begin(), it, it + 1);
    return entries_.front().convolution;
  }
  WEIR_ASSIGN(std::shared_ptr<const Convolution> made, MakeConvolution(pass, sizes, threads));
  if (entries_.size() == kMost) entries_.pop_back();
  entries_.insert(entries_.begin(), Entry{pass, sizes, threads, made});
  return made;
}

Result<Tensor> ConvolutionCache::Packed(ThreadPool* pool, const std::shared_ptr<const Convolution>& convolution,
                                        const float* filter, int64_t elements) {
  const size_t bytes = static_cast<size_t>(elements) * sizeof(float);
  Filter last;
  {
    const std::lock_guard lock(mu_);
    last = filter_;
  }
  if (last.convolution == convolution && std::memcmp(last.plain.raw(), filter, bytes) == 0) return last.packed;
  // Pack the copy, because another step may be changing the filter.
  WEIR_ASSIGN(Tensor plain, Tensor::Allocate(kFloat, Shape{elements}));
  std::memcpy(plain.raw(), filter, bytes);
  WEIR_ASSIGN(Tensor packed, convolution->PackFilter(pool, plain.data<float>()));
  const std::lock_guard lock(mu_);
  filter_ = {convolution, std::move(plain), packed};
  ++filters_packed_;
  return packed;
}

Status ConvolutionCache::Run(ThreadPool* pool, ConvPass pass, const ConvSizes& sizes, const float* a, const float* b,
                             float* to, const RowEpilogue* finish) {
  const int threads = pool == nullptr ? 1 : std::max(1, pool->num_threads());
  WEIR_ASSIGN(const std::shared_ptr<const Convolution> convolution, Get(pass, sizes, threads));
  if (pass == ConvPass::kFilterGradient || !convolution->packs_filter())
    return convolution->Run(pool, a, b, to, finish);
  const float*& filter = pass == ConvPass::kForward ? b : a;
  WEIR_ASSIGN(const Tensor packed, Packed(pool, convolution, filter, sizes.filter_elements()));
  filter = static_cast<const float*>(packed.raw());
  return convolution->Run(pool, a, b, to, finish);
}

int64_t ConvolutionCache::filters_packed() const {
  const std::lock_guard lock(mu_);
  return filters_packed_;
}

}  // namespace weir
