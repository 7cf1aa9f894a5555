// Cuts blocks of up to 2 MiB from regions of huge pages. Any thread may call it.
#pragma once
#include <cstddef>
#include <map>
#include <mutex>

namespace mpslab {

/// Activations of a training step are about 1 MiB each: too small for huge pages of their own, and on pages
/// of 4 KiB from the C heap the processor spends part of each pass over them in looking up addresses.
class HugePageBlocks {
 public:
  /// nullptr where the system has no memory. `bytes`: a multiple of 4 KiB, at most `kMostBytes`.
  void* take(size_t bytes);
  /// Pages that become free as a whole go back to the system at once.
  void give(void* block, size_t bytes);

  static constexpr size_t kMostBytes = size_t{2} * 1024 * 1024;

 private:
  /// Free ranges by address, never across the border of two regions: bytes of each.
  using Ranges = std::map<char*, size_t>;

  std::mutex mutex_;
  Ranges free_;
};

}  // namespace mpslab
