// CUDA's graph of a step, through PyTorch's own class: it has the memory pool, and advances the generator's
// seeds.
#include <ATen/cuda/CUDAGraph.h>

#include "capture/device_graph.h"

namespace mpslab::capture {
namespace {

class CudaGraph : public DeviceGraph {
 public:
  // In the default mode, a forbidden CUDA call of any other thread, such as freeing memory, would end the
  // capture.
  void begin() override { graph_.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal); }
  void end() override { graph_.capture_end(); }
  void replay() override { graph_.replay(); }

 private:
  at::cuda::CUDAGraph graph_;
};

}  // namespace
}  // namespace mpslab::capture

extern "C" __attribute__((visibility("default"))) mpslab::capture::DeviceGraph* makeCudaGraph() {
  return std::make_unique<mpslab::capture::CudaGraph>().release();
}
