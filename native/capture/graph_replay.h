// Runs a program as one graph of the device, which reads its arguments and leaves its results at fixed
// addresses.
#pragma once
#include "capture/device_graph.h"
#include "capture/step.h"

namespace mpslab::capture {

class GraphReplay : public Step {
 public:
  /// `inputs` are the tensors that the graph reads, `results` those that it writes for JavaScript.
  GraphReplay(Environment& environment, Program program, std::unique_ptr<DeviceGraph> graph,
              std::vector<at::Tensor> inputs, std::vector<at::Tensor> results);

  bool fits(Environment& environment, const std::vector<at::Tensor>& inputs) const override;
  std::vector<at::Tensor> run(Environment& environment, const std::vector<at::Tensor>& inputs) override;

 protected:
  bool sharesMemoryAsCaptured(Environment& environment, const std::vector<at::Tensor>& inputs) const override;

 private:
  std::unique_ptr<DeviceGraph> graph_;
  std::vector<at::Tensor> inputs_;
  std::vector<at::Tensor> results_;
  /// The gradient that the graph leaves on each leaf of the program, undefined if it leaves none.
  std::vector<at::Tensor> gradients_;
  /// Whether the graph writes each input.
  std::vector<bool> writesInput_;
};

}  // namespace mpslab::capture
