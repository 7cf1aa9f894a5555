// Lets c10d's reducer work with tensors of a device that no backend of the group carries: mps always, CUDA
// without NCCL. They are copied to the host, gloo works there, and results are copied back.
#pragma once
#include <memory>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/comm.hpp>
#include <vector>

namespace mpslab {

/// Whether tensors of the device must be staged for this group.
bool stages(const c10d::ProcessGroup& group, at::Device device);

/// Returns a group with the two collectives that reducers use for other data than gradients: the assignment
/// of new buckets, and which parameters were used. That data is on the device.
c10::intrusive_ptr<c10d::ProcessGroup> stagedGroup(c10::intrusive_ptr<c10d::ProcessGroup> group);

/// Averages the gradients of a bucket on the host. A device takes one thread, so all copies are made on
/// JavaScript's: to the host when backward has filled the bucket, back at the end of backward. Gloo works
/// meanwhile.
std::unique_ptr<c10d::CommHookInterface> stagingHook(c10::intrusive_ptr<c10d::ProcessGroup> group);

/// Copies the tensors that must be staged to the host, and returns the others as they are.
std::vector<at::Tensor> toHost(const c10d::ProcessGroup& group, const std::vector<at::Tensor>& tensors);

/// Copies the tensors that `toHost` made back to their originals.
void fromHost(const std::vector<at::Tensor>& hosts, const std::vector<at::Tensor>& tensors);

}  // namespace mpslab
