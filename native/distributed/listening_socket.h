// The socket at which a store listens. Knows nothing of stores.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace mpslab {

struct ListeningSocket {
  int descriptor;
  /// The port; if 0 was asked for, a free port that the system chose.
  uint16_t port;
};

/// Returns a socket that is bound only to this address, if `host` is a literal address or "localhost".
/// Returns nothing for a name, which may mean another address to the other processes, and for an address that
/// the machine itself does not have, as behind a router. Throws c10::DistNetworkError if the port is in use
/// or not allowed.
std::optional<ListeningSocket> socketOf(const std::string& host, uint16_t port);

}  // namespace mpslab
