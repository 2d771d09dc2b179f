// One byte through a socket, without waiting.
#pragma once

#ifdef _WIN32
#include <winsock2.h>
#ifdef _MSC_VER
#pragma comment(lib, "ws2_32.lib")
#endif
#else
#include <sys/socket.h>
#endif

namespace chainer_fast {

// The socket is non-blocking, as are Python's sockets with a timeout. A full buffer or
// a lost connection is detected elsewhere.
inline void send_byte(long long socket, char byte) {
#if defined(_WIN32)
  ::send(static_cast<SOCKET>(socket), &byte, 1, 0);
#elif defined(MSG_NOSIGNAL)
  static_cast<void>(
      ::send(static_cast<int>(socket), &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT));
#else
  static_cast<void>(::send(static_cast<int>(socket), &byte, 1, MSG_DONTWAIT));
#endif
}

}  // namespace chainer_fast
