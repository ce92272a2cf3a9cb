// The semantics of x[1:3, ..., newaxis, 5, ::-1] as encoded by StridedSlice (three vectors and five bit masks),
// resolved against the shape of x.
#pragma once

#include "ops/array/int_inputs.h"
#include "ops/array/strided_copy.h"

namespace weir::ops {

struct SliceMasks {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t ellipsis = 0;
  int64_t new_axis = 0;
  int64_t shrink_axis = 0;
};

template <class Context>
Result<SliceMasks> MasksOf(const Context& from) {
  SliceMasks m;
  WEIR_ASSIGN(m.begin, from.template Attr<int64_t>("begin_mask"));
  WEIR_ASSIGN(m.end, from.template Attr<int64_t>("end_mask"));
  WEIR_ASSIGN(m.ellipsis, from.template Attr<int64_t>("ellipsis_mask"));
  WEIR_ASSIGN(m.new_axis, from.template Attr<int64_t>("new_axis_mask"));
  WEIR_ASSIGN(m.shrink_axis, from.template Attr<int64_t>("shrink_axis_mask"));
  return m;
}

struct SliceSpec {
  struct Dim {
    int64_t begin = 0;
    int64_t stride = 1;
    int64_t size = 0;  // -1 if unknown
  };
  std::vector<Dim> dims;     // one per dimension of the input
  PartialShape final_shape;  // including new axes, excluding shrunk ones
};

// In a shape function, begin and end may be null if unknown. REQUIRES: the input's rank is known.
Result<SliceSpec> ResolveSlice(const PartialShape& input, const Ints* begin, const Ints* end, const Ints& strides,
                               const SliceMasks& masks);

// The same at run time, where everything is known.
Result<SliceSpec> ResolveSlice(const Shape& input, const Tensor& begin, const Tensor& end, const Tensor& strides,
                               const SliceMasks& masks);

// The box of `spec` within a dense tensor of shape `whole`, and a dense tensor of the box's shape.
struct SliceBox {
  int64_t first = 0;  // offset of the box in the whole tensor
  DimVector whole_strides;
  DimVector box_strides;
  DimVector sizes;
};
SliceBox BoxOf(const SliceSpec& spec, const Shape& whole);

}  // namespace weir::ops
