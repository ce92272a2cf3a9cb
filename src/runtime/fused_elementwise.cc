// A region is compiled to a program, a sequence of loop calls. Intermediate values are stored in as few slots as
// possible. The last call writes the output, which may be the memory of an input, because nothing of the block is read
// after that.
#include "runtime/fused_elementwise.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>

#include "op/node_error.h"
#include "runtime/kernel_cache.h"

namespace weir {
namespace {

constexpr int64_t kVector = 64;      // elements: a multiple of every vector length
constexpr int64_t kMaxBlock = 1024;  // elements
constexpr int64_t kCacheBytes = 24 << 10;
constexpr int32_t kMaxSlots = 256;
constexpr size_t kManyCalls = 64;  // longer programs are measured instead of being declared cheap

// How an input is broadcast to the shape of the result: not at all, as a row that is repeated, or as a single element,
// which is a scalar or has dimensions of size 1.
enum BroadcastKind : uint8_t { kFull, kRow, kScalar, kOneElement };

// Whether `row` is broadcast along the leading dimensions of `rows`, like a bias.
bool IsRowOf(const Shape& row, const Shape& rows) {
  if (row.rank() > rows.rank() || row.num_elements() < 2) return false;
  int at = 1;
  while (at <= row.rank() && row[row.rank() - at] == rows[rows.rank() - at]) ++at;
  return std::all_of(row.begin(), row.end() - (at - 1), [](int64_t size) { return size == 1; });
}

struct LoopCall {
  UnaryLoop unary = nullptr;
  BinaryLoop binary = nullptr;
  TernaryLoop ternary = nullptr;
  int32_t operands[3] = {0, 0, 0};  // values; after PlaceValues, indices in the table of pointers
  int32_t result = 0;
  int32_t member = 0;
  uint8_t num_operands = 0;
  uint8_t may_be_scalar = 0;
};

// For each call: bit i is set if operand i is a single element; or kOnce if the call computes a single element.
using ScalarOperandBits = std::vector<uint8_t>;
constexpr uint8_t kOnce = 0x80;

class Program {
 public:
  explicit Program(const FusedRegion& region)
      : region_(region), num_inputs_(static_cast<int32_t>(region.input_types.size() + region.constants.size())) {
    Order();
    PlaceValues();
    for (const FusedRegion::Member& member : region.members)
      cost_ += member.loop.cost * static_cast<int64_t>(member.loop.folds ? member.operands.size() - 1 : 1);
  }

  const std::vector<LoopCall>& calls() const { return calls_; }
  int32_t num_inputs() const { return num_inputs_; }
  int32_t num_slots() const { return num_slots_; }
  int64_t slot_element() const { return slot_element_; }
  int64_t cost() const { return cost_; }  // nanoseconds per element, if nothing is in the cache
  int64_t input_size(int32_t input) const { return input_sizes_[input]; }

  // nullopt if a loop does not support its inputs. Also nullopt if the result, or an intermediate value that is not a
  // single element, would be smaller than the largest input.
  std::optional<ScalarOperandBits> Bind(absl::Span<const uint8_t> kinds) const {
    std::vector<uint8_t> known(kinds.begin(), kinds.end());  // of the inputs, then of the calls
    ScalarOperandBits scalar_bits(calls_.size(), 0);
    for (size_t c = 0; c < calls_.size(); ++c) {
      std::optional<BroadcastKind> kind = BindCall(calls_[c], values_[c], known, &scalar_bits[c]);
      if (!kind.has_value()) return std::nullopt;
      known.push_back(*kind);
    }
    return known.back() == kFull ? std::optional(std::move(scalar_bits)) : std::nullopt;
  }

 private:
  struct Visit {
    int32_t member;
    size_t next = 0;  // the next operand
    int32_t sum = 0;  // the intermediate result of a fold
  };

  // Operands before PlaceValues: inputs, then results of calls.
  using Operands = std::array<int32_t, 3>;

  static std::optional<BroadcastKind> BindCall(const LoopCall& call, const Operands& values,
                                               const std::vector<uint8_t>& known, uint8_t* bits) {
    uint8_t smaller = 0;
    bool all_scalars = true;
    for (int i = 0; i < call.num_operands; ++i) {
      const uint8_t kind = known[values[i]];
      all_scalars = all_scalars && kind == kScalar;
      if (kind == kFull) continue;
      smaller |= static_cast<uint8_t>(1 << i);
      if (kind != kRow) *bits |= static_cast<uint8_t>(1 << i);
    }
    // A single element computed from single elements: computed again for each block.
    if (all_scalars || (call.num_operands == 1 && known[values[0]] == kOneElement)) {
      *bits = kOnce;
      return static_cast<BroadcastKind>(known[values[0]]);
    }
    if (smaller == (1 << call.num_operands) - 1 || (smaller & ~call.may_be_scalar) != 0) return std::nullopt;
    return kFull;
  }

  DType OperandType(int32_t member, int32_t operand) const {
    const NodeProps& props = *region_.members[member].props;
    return BaseType(props.input_types[operand]);
  }

  int32_t Emit(int32_t member, std::initializer_list<int32_t> operands) {
    const ElementLoop& loop = region_.members[member].loop;
    LoopCall call{.unary = loop.unary, .binary = loop.binary, .ternary = loop.ternary};
    for (int32_t operand : operands) call.operands[call.num_operands++] = operand;
    if (loop.swapped) std::swap(call.operands[0], call.operands[1]);
    call.member = member;
    call.may_be_scalar = loop.may_be_scalar;
    call.result = num_inputs_ + static_cast<int32_t>(calls_.size());
    calls_.push_back(call);
    values_.push_back({call.operands[0], call.operands[1], call.operands[2]});
    value_sizes_.push_back(static_cast<int64_t>(ElementSize(BaseType(region_.members[member].props->output_types[0]))));
    return call.result;
  }

  // Emits calls depth first from the result, so that operands come right before their consumers. Not recursive.
  void Order() {
    input_sizes_.assign(num_inputs_, 0);
    std::vector<int32_t> value_of(region_.members.size(), -1);
    std::vector<Visit> stack = {{static_cast<int32_t>(region_.members.size()) - 1}};
    while (!stack.empty()) {
      Visit& visit = stack.back();
      const FusedRegion::Member& member = region_.members[visit.member];
      auto value = [&](size_t i) {
        const int32_t operand = member.operands[i];
        return operand < 0 ? ~operand : value_of[operand];
      };
      if (visit.next < member.operands.size()) {
        const int32_t operand = member.operands[visit.next];
        if (operand >= 0 && value_of[operand] < 0) {
          stack.push_back({operand});
          continue;
        }
        if (operand < 0)
          input_sizes_[~operand] =
              static_cast<int64_t>(ElementSize(OperandType(visit.member, static_cast<int32_t>(visit.next))));
        if (member.loop.folds) {
          const int32_t taken = value(visit.next);
          visit.sum = visit.next == 0 ? taken : Emit(visit.member, {visit.sum, taken});
        }
        ++visit.next;
        continue;
      }
      int32_t result = visit.sum;
      if (member.loop.unary != nullptr) result = Emit(visit.member, {value(0)});
      if (member.loop.binary != nullptr && !member.loop.folds) result = Emit(visit.member, {value(0), value(1)});
      if (member.loop.ternary != nullptr) result = Emit(visit.member, {value(0), value(1), value(2)});
      value_of[visit.member] = result;
      stack.pop_back();
    }
  }

  // Assigns slots to values. The table of pointers has the inputs, then the slots, then the output.
  void PlaceValues() {
    const auto count = static_cast<int32_t>(calls_.size());
    std::vector<int32_t> last_use(count, 0);
    for (int32_t c = 0; c < count; ++c) {
      for (int i = 0; i < calls_[c].num_operands; ++i) {
        if (calls_[c].operands[i] >= num_inputs_) last_use[calls_[c].operands[i] - num_inputs_] = c;
      }
    }
    std::vector<int32_t> slot_of(count, -1);
    std::vector<int32_t> free;
    for (int32_t c = 0; c < count; ++c) {
      LoopCall& call = calls_[c];
      absl::InlinedVector<int32_t, 3> ending;
      for (int i = 0; i < call.num_operands; ++i) {
        int32_t& operand = call.operands[i];
        if (operand < num_inputs_) continue;
        const int32_t value = operand - num_inputs_;
        operand = num_inputs_ + slot_of[value];
        if (last_use[value] == c) {
          ending.push_back(value);
          last_use[value] = -1;  // release an operand that occurs twice only once
        }
      }
      // The result may reuse the slot of an operand only if their elements have the same size. Ternary loops may read a
      // single-element operand again after they have written, so their results do not reuse slots.
      auto release = [&](bool before) {
        for (int32_t value : ending) {
          const bool reusable = value_sizes_[value] == value_sizes_[c] && call.ternary == nullptr;
          if (reusable == before) free.push_back(slot_of[value]);
        }
      };
      release(/*before=*/true);
      if (c + 1 < count) {
        if (free.empty()) free.push_back(num_slots_++);
        slot_of[c] = free.back();
        free.pop_back();
        call.result = num_inputs_ + slot_of[c];
        slot_element_ = std::max(slot_element_, value_sizes_[c]);
      }
      release(/*before=*/false);
    }
    calls_.back().result = num_inputs_ + num_slots_;
  }

  const FusedRegion& region_;
  const int32_t num_inputs_;
  std::vector<LoopCall> calls_;
  std::vector<Operands> values_;      // by call
  std::vector<int64_t> value_sizes_;  // indexed by call: the element size of its result
  std::vector<int64_t> input_sizes_;
  int32_t num_slots_ = 0;
  int64_t slot_element_ = 1;
  int64_t cost_ = 0;
};

ScalarOperand ScalarOperandOf(uint8_t scalar_bits) {
  return scalar_bits == 0 ? ScalarOperand::kNone : scalar_bits == 1 ? ScalarOperand::kX : ScalarOperand::kY;
}

// The memory of one thread: the slots, and the table of pointers that calls refer to.
class Workspace {
 public:
  Workspace(absl::Span<char* const> inputs, int32_t num_slots, int64_t slot_bytes)
      : table_(inputs.begin(), inputs.end()) {
    char* slots = local_;
    if (num_slots * slot_bytes > kLocalBytes) {
      heap_ = std::make_unique<char[]>(num_slots * slot_bytes + kBufferAlignment);
      const auto at = reinterpret_cast<uintptr_t>(heap_.get());
      slots = heap_.get() + (kBufferAlignment - at % kBufferAlignment);
    }
    for (int32_t s = 0; s < num_slots; ++s) table_.push_back(slots + s * slot_bytes);
    table_.push_back(nullptr);
  }
  char** table() { return table_.data(); }
  char*& output() { return table_.back(); }

 private:
  static constexpr int64_t kLocalBytes = 8 << 10;
  absl::InlinedVector<char*, 32> table_;
  std::unique_ptr<char[]> heap_;
  alignas(64) char local_[kLocalBytes];
};

// The error of the failed call that comes first in the program. Thread-safe.
class FirstFault {
 public:
  void Report(size_t call, LoopError fault) {
    uint64_t found = (static_cast<uint64_t>(call) << 8) | static_cast<uint64_t>(fault);
    uint64_t known = first_.load(std::memory_order_relaxed);
    while (found < known && !first_.compare_exchange_weak(known, found, std::memory_order_relaxed)) {
    }
  }
  bool none() const { return first_.load(std::memory_order_relaxed) == kNone; }
  size_t call() const { return first_.load(std::memory_order_relaxed) >> 8; }
  LoopError fault() const { return static_cast<LoopError>(first_.load(std::memory_order_relaxed) & 0xff); }

 private:
  static constexpr uint64_t kNone = ~uint64_t{0};
  std::atomic<uint64_t> first_{kNone};
};

class FusedKernel {
 public:
  FusedKernel(std::shared_ptr<const FusedRegion> region, std::string device, Env& env)
      : region_(std::move(region)),
        device_(std::move(device)),
        env_(env),
        program_(*region_),
        num_given_(static_cast<int32_t>(region_->input_types.size())) {
    std::vector<uint8_t> kinds(program_.num_inputs(), kFull);
    bits_of_full_inputs_ = program_.Bind(kinds);
    std::fill(kinds.begin() + num_given_, kinds.end(), kScalar);
    bits_of_scalar_constants_ = program_.Bind(kinds);
    table_.assign(program_.num_inputs(), nullptr);
    for (int32_t i = num_given_; i < program_.num_inputs(); ++i) {
      const Tensor& constant = region_->constants[i - num_given_];
      table_[i] = static_cast<char*>(constant.raw());
      if (constant.rank() != 0) scalar_constants_ = false;
      if (i == num_given_ || IsLarger(constant.shape(), largest_constant_)) largest_constant_ = constant.shape();
    }
  }

  const Program& program() const { return program_; }

  Status Run(KernelContext& ctx) const {
    const Shape& shape = ResultShape(ctx);
    if (shape.num_elements() == 0) return RunSeparately(ctx);  // no blocks, but single-element members may still fail
    std::optional<ScalarOperandBits> bound;
    const ScalarOperandBits* scalar_bits = BindInputs(ctx, shape, &bound);
    return scalar_bits == nullptr ? RunSeparately(ctx) : RunInBlocks(ctx, *scalar_bits, Shape(shape));
  }

 private:
  // An input whose pointer depends on the block.
  struct BlockInput {
    int32_t input;
    int64_t element;  // element size
    const char* data;
    int64_t period = 0;   // for a row: its length
    bool splits = false;  // a block must end at the end of the row; otherwise `data` holds the row repeatedly
  };

  static bool IsLarger(const Shape& a, const Shape& b) {
    return a.num_elements() != b.num_elements() ? a.num_elements() > b.num_elements() : a.rank() > b.rank();
  }
  const Tensor& Input(const KernelContext& ctx, int32_t i) const {
    return i < num_given_ ? ctx.input(i) : region_->constants[i - num_given_];
  }

  const Shape& ResultShape(const KernelContext& ctx) const {
    const Shape* largest = &ctx.input(0).shape();
    for (int32_t i = 1; i < num_given_; ++i) {
      if (IsLarger(ctx.input(i).shape(), *largest)) largest = &ctx.input(i).shape();
    }
    return !scalar_constants_ && IsLarger(largest_constant_, *largest) ? largest_constant_ : *largest;
  }

  // Null if the inputs cannot be computed in blocks.
  const ScalarOperandBits* BindInputs(const KernelContext& ctx, const Shape& shape,
                                      std::optional<ScalarOperandBits>* bound) const {
    bool alike = scalar_constants_;
    for (int32_t i = 0; i < num_given_ && alike; ++i) alike = ctx.input(i).shape() == shape;
    if (alike) {
      const std::optional<ScalarOperandBits>& known =
          shape.rank() == 0 ? bits_of_full_inputs_ : bits_of_scalar_constants_;
      return known.has_value() ? &*known : nullptr;
    }
    std::vector<uint8_t> kinds(program_.num_inputs(), kFull);
    for (int32_t i = 0; i < program_.num_inputs(); ++i) {
      const Shape& own = Input(ctx, i).shape();
      if (own == shape) continue;
      const bool is_row = IsRowOf(own, shape);
      if (!is_row && (own.num_elements() != 1 || own.rank() > shape.rank())) return nullptr;
      kinds[i] = is_row ? kRow : own.rank() == 0 ? kScalar : kOneElement;
    }
    *bound = program_.Bind(kinds);
    return bound->has_value() ? &**bound : nullptr;
  }

  Status RunInBlocks(KernelContext& ctx, const ScalarOperandBits& scalar_bits, const Shape& shape) const {
    absl::InlinedVector<char*, 32> inputs(table_.begin(), table_.end());
    for (int32_t i = 0; i < num_given_; ++i) inputs[i] = static_cast<char*>(ctx.input(i).raw());
    const int64_t n = shape.num_elements();
    const int64_t block = BlockFor(ctx, n);
    std::vector<std::unique_ptr<char[]>> repeated;
    const std::vector<BlockInput> block_inputs = FindBlockInputs(ctx, shape, block, &repeated);
    WEIR_ASSIGN(Tensor out, MakeOutput(ctx, shape));
    FirstFault fault;
    auto run = [&](int64_t begin, int64_t end) {
      ComputeBlocks(scalar_bits, inputs, block_inputs, {begin * block, std::min(n, end * block), block}, out, &fault);
    };
    if (n <= block) {
      run(0, 1);
    } else {
      WEIR_TRY(ctx.ParallelFor((n + block - 1) / block, Cost(block), run));
    }
    if (fault.none()) return OkStatus();
    return ErrorOfMember(FaultStatus(fault.fault()), program_.calls()[fault.call()].member);
  }

  std::vector<BlockInput> FindBlockInputs(const KernelContext& ctx, const Shape& shape, int64_t block,
                                          std::vector<std::unique_ptr<char[]>>* repeated) const {
    std::vector<BlockInput> block_inputs;
    // The pointers of scalars do not advance between blocks, nor do those of full inputs that fit into one block. If
    // all constants are scalars, only the given inputs have to be checked.
    const int32_t count = scalar_constants_ ? num_given_ : program_.num_inputs();
    for (int32_t i = 0; i < count; ++i) {
      const Tensor& input = Input(ctx, i);
      BlockInput block_input{i, program_.input_size(i), static_cast<const char*>(input.raw())};
      if (input.shape() == shape) {
        if (shape.num_elements() > block) block_inputs.push_back(block_input);
      } else if (input.num_elements() > 1) {
        block_input.period = input.num_elements();
        block_input.splits = block_input.period >= block;
        if (!block_input.splits)
          block_input.data =
              repeated->emplace_back(Repeat(block_input, block_input.period + std::min(block, shape.num_elements())))
                  .get();
        block_inputs.push_back(block_input);
      }
    }
    return block_inputs;
  }

  // The row repeated up to `elements` elements.
  static std::unique_ptr<char[]> Repeat(const BlockInput& row, int64_t elements) {
    auto copies = std::make_unique<char[]>(elements * row.element);
    for (int64_t at = 0; at < elements; at += row.period)
      std::memcpy(copies.get() + at * row.element, row.data, std::min(row.period, elements - at) * row.element);
    return copies;
  }

  // Loops over data in the cache take about a quarter of their nominal cost.
  int64_t Cost(int64_t elements) const { return std::max<int64_t>(elements * program_.cost() / 4, 1); }

  // Small enough that all slots fit into the cache, and that every thread gets a block.
  int64_t BlockFor(const KernelContext& ctx, int64_t n) const {
    const int64_t fitting = kCacheBytes / (std::max(program_.num_slots(), 1) * program_.slot_element());
    int64_t block = std::clamp(fitting / kVector * kVector, 4 * kVector, kMaxBlock);
    const ThreadPool* pool = ctx.step().pool;
    if (pool != nullptr && static_cast<double>(Cost(n)) > kInlineNanos) {
      const int64_t share = n / std::max(pool->num_threads(), 1) / kVector * kVector;
      block = std::min(block, std::max(share, kVector));
    }
    return block;
  }

  // Reuses the memory of an input if it has no other reference.
  Result<Tensor> MakeOutput(KernelContext& ctx, const Shape& shape) const {
    const size_t size = ElementSize(ctx.output_type(0));
    for (int32_t i = 0; i < num_given_; ++i) {
      const Tensor& input = ctx.input(i);
      if (!(input.shape() == shape) || ElementSize(input.dtype()) != size || !input.OwnsMemoryAlone()) continue;
      return ctx.ForwardOrAllocate(i, 0);
    }
    return ctx.Allocate(0, shape);
  }

  struct Range {
    int64_t begin;
    int64_t end;
    int64_t block;
  };
  void ComputeBlocks(const ScalarOperandBits& scalar_bits, absl::Span<char* const> inputs,
                     const std::vector<BlockInput>& block_inputs, Range range, const Tensor& out,
                     FirstFault* fault) const {
    const int64_t elements = std::min(range.block, (range.end - range.begin + kVector - 1) / kVector * kVector);
    const auto out_size = static_cast<int64_t>(ElementSize(out.dtype()));
    Workspace workspace(inputs, program_.num_slots(), elements * program_.slot_element());
    int64_t n = 0;
    for (int64_t at = range.begin; at < range.end; at += n) {
      n = std::min(range.block, range.end - at);
      for (const BlockInput& block_input : block_inputs) {
        const int64_t offset = block_input.period == 0 ? at : at % block_input.period;
        workspace.table()[block_input.input] = const_cast<char*>(block_input.data) + offset * block_input.element;
        if (block_input.splits) n = std::min(n, block_input.period - offset);
      }
      workspace.output() = static_cast<char*>(out.raw()) + at * out_size;
      ComputeBlock(scalar_bits, workspace.table(), n, fault);
    }
  }

  void ComputeBlock(const ScalarOperandBits& scalar_bits, char* const* table, int64_t elements,
                    FirstFault* fault) const {
    const std::vector<LoopCall>& calls = program_.calls();
    for (size_t c = 0; c < calls.size(); ++c) {
      const LoopCall& call = calls[c];
      const uint8_t bits = scalar_bits[c] & ~kOnce;
      const int64_t n = scalar_bits[c] == kOnce ? 1 : elements;
      const char* first = table[call.operands[0]];
      char* result = table[call.result];
      if (call.unary != nullptr) {
        call.unary(first, result, n);
      } else if (call.binary != nullptr) {
        const LoopError f = call.binary(first, table[call.operands[1]], result, n, ScalarOperandOf(bits));
        if (f != LoopError::kNone) fault->Report(c, f);
      } else {
        const Strides strides = {bits & 1 ? 0 : 1, bits & 2 ? 0 : 1, bits & 4 ? 0 : 1};
        call.ternary(first, table[call.operands[1]], table[call.operands[2]], result, n, strides);
      }
    }
  }

  // The error of a member, as if it had run as its own node.
  Status ErrorOfMember(const Status& status, int32_t member) const {
    const NodeProps& props = *region_->members[member].props;
    return WithNode(status, props.name, props.op->name);
  }

  // The kernels of the single members, created on first use.
  struct MemberKernels {
    std::once_flag once;
    std::vector<NodeInfo> infos;
    std::vector<Kernel> kernels;
    std::vector<int32_t> last_use;  // indexed by member: the last member that uses its value
    Status status;
  };
  void MakeOwnKernels() const {
    MemberKernels& own = *member_kernels_;
    const size_t count = region_->members.size();
    own.infos.reserve(count);
    own.last_use.assign(count, -1);
    for (size_t m = 0; m < count; ++m) {
      const FusedRegion::Member& member = region_->members[m];
      const NodeInfo& info = own.infos.emplace_back(MakeNodeInfo(*member.props, device_));
      KernelSetup setup(info, env_, nullptr, nullptr);
      Result<const KernelDef*> def = FindKernel(info, "CPU");
      Result<Kernel> kernel = def.ok() ? MakeKernel(**def, setup) : Result<Kernel>(def.status());
      if (!kernel.ok()) {
        own.status = ErrorOfMember(kernel.status(), static_cast<int32_t>(m));
        return;
      }
      own.kernels.push_back(*std::move(kernel));
      for (int32_t operand : member.operands) {
        if (operand >= 0) own.last_use[operand] = static_cast<int32_t>(m);
      }
    }
  }

  Status RunSeparately(KernelContext& ctx) const {
    std::call_once(member_kernels_->once, [this] { MakeOwnKernels(); });
    WEIR_TRY(member_kernels_->status);
    const auto count = static_cast<int32_t>(region_->members.size());
    std::vector<Tensor> values(count);
    for (int32_t m = 0; m < count; ++m) {
      const FusedRegion::Member& member = region_->members[m];
      absl::InlinedVector<EdgeValue, 2> inputs(member.operands.size());
      for (size_t i = 0; i < inputs.size(); ++i) {
        const int32_t operand = member.operands[i];
        inputs[i].tensor = operand < 0 ? Input(ctx, ~operand) : values[operand];
      }
      for (int32_t operand : member.operands) {
        if (operand >= 0 && member_kernels_->last_use[operand] == m) values[operand] = Tensor();
      }
      EdgeValue output;
      KernelContext inner(member_kernels_->infos[m], ctx.step(), absl::MakeSpan(inputs), absl::MakeSpan(&output, 1));
      if (Status status = member_kernels_->kernels[m].Run(inner); !status.ok()) return ErrorOfMember(status, m);
      values[m] = std::move(output.tensor);
    }
    ctx.set_output(0, std::move(values.back()));
    return OkStatus();
  }

  const std::shared_ptr<const FusedRegion> region_;
  const std::string device_;
  Env& env_;
  const Program program_;
  const int32_t num_given_;
  std::vector<char*> table_;  // pointers of the inputs; set for constants only
  bool scalar_constants_ = true;
  Shape largest_constant_;
  std::optional<ScalarOperandBits> bits_of_full_inputs_;
  std::optional<ScalarOperandBits> bits_of_scalar_constants_;
  std::unique_ptr<MemberKernels> member_kernels_ = std::make_unique<MemberKernels>();
};

// An op that belongs to a single node.
struct FusedOp : OpDef {
  std::shared_ptr<const FusedRegion> region;
};
struct FusedNode {
  FusedOp op;
  NodeProps props;
};

}  // namespace

const FusedRegion* RegionOf(const OpDef& op) {
  return op.is_fused ? static_cast<const FusedOp&>(op).region.get() : nullptr;
}

std::shared_ptr<const NodeProps> FuseRegion(FusedRegion region) {
  if (Program(region).num_slots() > kMaxSlots) return nullptr;
  auto node = std::make_shared<FusedNode>();
  std::vector<std::string> ops;
  for (const FusedRegion::Member& member : region.members) ops.push_back(member.props->op->name);
  AttrMap attrs;
  attrs.emplace("ops", AttrValue(AttrValue::Value(std::move(ops))));
  const NodeProps& last = *region.members.back().props;
  node->props.name = last.name;
  node->props.op = &node->op;
  node->props.attrs = std::make_shared<AttrMap>(std::move(attrs));
  node->props.input_types = region.input_types;
  node->props.output_types = last.output_types;
  node->op.name = kFusedOp;
  node->op.is_fused = true;
  auto shared = std::make_shared<const FusedRegion>(std::move(region));
  node->op.region = shared;
  node->op.kernels = CpuKernel([shared](KernelSetup& setup) -> Result<Kernel> {
    auto fused = std::make_shared<FusedKernel>(shared, setup.node().device, setup.env());
    const bool cheap = fused->program().calls().size() <= kManyCalls;
    Kernel kernel = Kernel::Sync([fused](KernelContext& ctx) { return fused->Run(ctx); });
    return cheap ? std::move(kernel).Cheap() : std::move(kernel);
  });
  return std::shared_ptr<const NodeProps>(node, &node->props);
}

}  // namespace weir
