// The socket at which a store listens. Knows nothing of stores.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace mpslab {

struct ListeningSocket {
  int descriptor;
  /// The one that was free where 0 was asked for.
  uint16_t port;
};

/// A bound socket of this machine's address alone, where `host` is a literal address or "localhost". Nothing
/// for a name, which may mean another address to the other processes, and for an address that the machine
/// does not have itself, as behind a router. Throws c10::DistNetworkError where the port is in use or not
/// allowed.
std::optional<ListeningSocket> socketOf(const std::string& host, uint16_t port);

}  // namespace mpslab
