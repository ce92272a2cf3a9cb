// Cells that wrap another cell: dropout, residual connections, a device. They have no variables of their own. Nodes
// have TensorFlow's names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "weir/graph/compose/random.h"
#include "weir/graph/compose/rnn.h"

namespace weir {

// --- Dropout ---
// The tensors of a cell that a wrapper drops elements of.
enum class CellPart { kInput, kState, kOutput };

struct CellDropout {
  CellPart part = CellPart::kInput;
  Input keep_prob = 1.0;  // a number in [0, 1], or a scalar tensor
  OpSeed seed = {};       // each tensor of the part gets its own seed, derived from this one
};
// False if the probability is known to be 1.
bool DropsElements(const Input& keep_prob);
// Applies dropout to `value`, tensor number `index` of the inputs, the state or the outputs of a cell. With `noise`
// (from CellDropoutNoise), every step drops the same elements.
Result<Output> DropoutOfCell(const CellDropout& how, int64_t index, Output value, Output noise = {});
// Noise of shape [1, size...] for dropout of the tensor at `index`.
Result<Output> CellDropoutNoise(Graph& graph, const CellDropout& how, int64_t index, const PartialShape& size,
                                DType dtype);

// --- Residual connections ---
// The sums of inputs and outputs, which must have compatible shapes.
Result<OutputList> ResidualOutputs(const OutputList& inputs, const OutputList& outputs);

// --- Cells ---

// A cell with the sizes and the state of another one.
class WrapperRnnCell : public RnnCell {
 public:
  Result<std::vector<PartialShape>> StateSizes() const final { return cell_->StateSizes(); }
  Result<std::vector<PartialShape>> OutputSizes() const final { return cell_->OutputSizes(); }
  Result<std::vector<bool>> DroppableState() const final { return cell_->DroppableState(); }
  Result<OutputList> ZeroState(Graph& graph, const Input& batch_size, DType dtype) override;

 protected:
  explicit WrapperRnnCell(std::shared_ptr<RnnCell> cell) : cell_(std::move(cell)) {}

  const std::shared_ptr<RnnCell> cell_;
};

struct DropoutCellOptions {
  Input input_keep_prob = 1.0;
  Input state_keep_prob = 1.0;  // drops elements of DroppableState only
  Input output_keep_prob = 1.0;
  OpSeed seed = {};
  // Drops the same elements in every step. Needs the type and, for dropout of the inputs, their sizes.
  bool variational_recurrent = false;
  DType dtype = kInvalidType;
  std::vector<PartialShape> input_sizes = {};
};
class DropoutRnnCell final : public WrapperRnnCell {
 public:
  // Draws the noise of variational dropout: call it outside of loops.
  static Result<std::shared_ptr<DropoutRnnCell>> Create(Graph& graph, std::shared_ptr<RnnCell> cell,
                                                        const DropoutCellOptions& options);
  std::string name() const override { return "DropoutWrapper"; }
  Result<RnnStep> Step(Graph& graph, const OutputList& inputs, const OutputList& state) override;

 private:
  struct Part {
    CellDropout how;
    OutputList noise = {};  // variational: one per tensor
  };
  DropoutRnnCell(std::shared_ptr<RnnCell> cell, Part input, Part state, Part output)
      : WrapperRnnCell(std::move(cell)),
        input_(std::move(input)),
        state_(std::move(state)),
        output_(std::move(output)) {}
  static Result<OutputList> Dropped(const Part& part, OutputList values, const std::vector<bool>& wanted);

  const Part input_, state_, output_;
};

class ResidualRnnCell final : public WrapperRnnCell {
 public:
  explicit ResidualRnnCell(std::shared_ptr<RnnCell> cell) : WrapperRnnCell(std::move(cell)) {}
  std::string name() const override { return "ResidualWrapper"; }
  Result<RnnStep> Step(Graph& graph, const OutputList& inputs, const OutputList& state) override;
};

// Places the nodes of a cell on a device.
class DeviceRnnCell final : public WrapperRnnCell {
 public:
  DeviceRnnCell(std::shared_ptr<RnnCell> cell, std::string device)
      : WrapperRnnCell(std::move(cell)), device_(std::move(device)) {}
  std::string name() const override { return "DeviceWrapper"; }
  Result<RnnStep> Step(Graph& graph, const OutputList& inputs, const OutputList& state) override;
  Result<OutputList> ZeroState(Graph& graph, const Input& batch_size, DType dtype) override;

 private:
  const std::string device_;
};

}  // namespace weir
