// One elementwise kernel: any number of inputs with broadcasting, any number of steps, one result. The host defines:
//   IN, RANK        the number of inputs, and of dimensions, after merging (see Walk in gpu/elementwise.cc)
//   V               elements per thread: the last dimension is a multiple of V, or RANK is 1
//   INDEX           uint32, or uint64 for 2^31 elements and more
//   OUT             the type of the result
//   PARAMS, BODY, RESULT   "float v0, bool v1"; the statements that compute the steps; the value of the last step
//   LOAD_PACKS      declares p0, p1, ... from the offsets o[0], o[1], ...
//   PACK_ARGS, ELEMENT_ARGS   the arguments of Compute for element j of the packs, and for a single element
// Inputs have a stride of 1 or 0 in the last dimension.
struct Args {
  const void* in[IN];
  void* out;
  uint64 n;
  Fault* fault;
  uint64 node;
  uint64 dims[RANK];
  int64 strides[IN][RANK];
};

template <class T, int N, bool kMoves>
__device__ __forceinline__ Pack<T, N> LoadPack(const void* from, INDEX offset) {
  if (kMoves) return *(const Pack<T, N>*)((const T*)from + offset);
  Pack<T, N> pack;
  const T x = ((const T*)from)[offset];
#pragma unroll
  for (int j = 0; j < N; ++j) pack.at[j] = x;
  return pack;
}

__device__ __forceinline__ OUT Compute(PARAMS, unsigned& fault) { BODY return RESULT; }

__device__ __forceinline__ void Offsets(const Args& args, INDEX element, INDEX* o) {
#pragma unroll
  for (int i = 0; i < IN; ++i) o[i] = 0;
#pragma unroll
  for (int d = RANK - 1; d >= 0; --d) {
    INDEX at = element;
    if (d > 0) {
      element = element / (INDEX)args.dims[d];
      at -= element * (INDEX)args.dims[d];
    }
#pragma unroll
    for (int i = 0; i < IN; ++i) o[i] += at * (INDEX)args.strides[i][d];
  }
}

extern "C" __global__ void Elementwise(const Args args) {
  const INDEX first = ((INDEX)blockIdx.x * blockDim.x + threadIdx.x) * V;
  if (first >= (INDEX)args.n) return;
  OUT* const out = (OUT*)args.out;
  unsigned fault = 0;
  INDEX o[IN];
  if (V == 1 || first + V <= (INDEX)args.n) {
    Offsets(args, first, o);
    LOAD_PACKS
    Pack<OUT, V> result;
#pragma unroll
    for (int j = 0; j < V; ++j) result.at[j] = Compute(PACK_ARGS, fault);
    *(Pack<OUT, V>*)(out + first) = result;
  } else {
    for (INDEX e = first; e < (INDEX)args.n; ++e) {
      Offsets(args, e, o);
      out[e] = Compute(ELEMENT_ARGS, fault);
    }
  }
  if (fault != 0) ReportFault(args.fault, fault, (unsigned)args.node, 0, 0, (int64)first);
}
