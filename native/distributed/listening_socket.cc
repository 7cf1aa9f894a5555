// Binds a socket to one address: c10d's own listens on all of them, whatever address it is given.
#include "distributed/listening_socket.h"

#include <arpa/inet.h>
#include <c10/util/Exception.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace mpslab {
namespace {

[[noreturn]] void refuse(const std::string& host, uint16_t port, int error) {
  C10_THROW_ERROR(DistNetworkError, "The store cannot listen at " + host + ":" + std::to_string(port) + ": " +
                                        std::strerror(error) + ".");
}

uint16_t portOf(int descriptor) {
  sockaddr_storage bound{};
  socklen_t length = sizeof(bound);
  ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &length);
  const bool isSix = bound.ss_family == AF_INET6;
  return ntohs(isSix ? reinterpret_cast<sockaddr_in6&>(bound).sin6_port
                     : reinterpret_cast<sockaddr_in&>(bound).sin_port);
}

}  // namespace

std::optional<ListeningSocket> socketOf(const std::string& host, uint16_t port) {
  const std::string address = host == "localhost" ? "127.0.0.1" : host;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  addrinfo* list = nullptr;
  if (::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &list) != 0) return std::nullopt;
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> found(list, &::freeaddrinfo);

  const int descriptor = ::socket(found->ai_family, found->ai_socktype, found->ai_protocol);
  if (descriptor < 0) refuse(host, port, errno);
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  const int on = 1;
  // As c10d: a port whose last connections are still being closed can be taken again.
  ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  // Also listens, because a port in use may be refused only then, after it was bound.
  if (::bind(descriptor, found->ai_addr, found->ai_addrlen) == 0 && ::listen(descriptor, -1) == 0)
    return ListeningSocket{descriptor, portOf(descriptor)};
  const int error = errno;
  ::close(descriptor);
  if (error == EADDRNOTAVAIL) return std::nullopt;
  refuse(host, port, error);
}

}  // namespace mpslab
