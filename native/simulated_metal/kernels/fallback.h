// Handles operators that the simulated device lacks. They fail with PyTorch's text, or run on the CPU with
// copies both ways, which are counted.
#pragma once
#include <torch/library.h>

#include <cstdint>
#include <string>
#include <vector>

namespace mpslab::metal {

struct FallbackCount {
  /// `aten::linalg_eig`, with its overload.
  std::string name;
  int64_t calls = 0;
  int64_t toCpuBytes = 0;
  int64_t fromCpuBytes = 0;
  double wallMs = 0;
};

std::vector<FallbackCount> fallbackCounts();

/// Reads `PYTORCH_ENABLE_MPS_FALLBACK`, as PyTorch does when it is loaded.
void registerFallback(torch::Library& aten);

}  // namespace mpslab::metal
