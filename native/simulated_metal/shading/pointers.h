// Pointers into device and constant memory, which know their buffer's ends: an index beyond them is an error
// that names the buffer, the element and the thread, where a Mac's GPU would read or write something else. A
// raw pointer made from one (a threadgroup's, a thread's) is not watched.
#pragma once
#include "abi.h"
#include "scalars.h"

namespace mpslab_shader {

inline const Runtime* runtime = nullptr;

template <class T>
class pointer {
 public:
  pointer() = default;
  pointer(T* at) : at_(at), begin_(nullptr), end_(reinterpret_cast<const char*>(UINTPTR_MAX)) {}
  pointer(decltype(nullptr)) : pointer(static_cast<T*>(nullptr)) {}
  pointer(T* at, const char* begin, const char* end) : at_(at), begin_(begin), end_(end) {}
  template <class U>
    requires(std::is_same_v<const U, T> || std::is_same_v<volatile U, T>)
  pointer(const pointer<U>& other) : at_(other.at()), begin_(other.begin()), end_(other.end()) {}
  template <class U>
  explicit pointer(const pointer<U>& other) : at_((T*)other.at()), begin_(other.begin()), end_(other.end()) {}
  template <class U>
    requires(!std::is_same_v<U, T>)
  explicit pointer(U* other) : pointer((T*)other) {}

  T& operator[](ptrdiff_t index) const { return checked(at_ + index); }
  T& operator*() const { return checked(at_); }
  T* operator->() const { return &checked(at_); }
  operator T*() const { return at_; }
  template <class U>
  explicit operator U*() const {
    return (U*)at_;
  }
  template <class I>
    requires std::is_integral_v<I>
  explicit operator I() const {
    return (I)at_;
  }

  template <class I, class = std::enable_if_t<std::is_integral_v<I>>>
  pointer operator+(I by) const {
    return {at_ + by, begin_, end_};
  }
  template <class I, class = std::enable_if_t<std::is_integral_v<I>>>
  pointer operator-(I by) const {
    return {at_ - by, begin_, end_};
  }
  ptrdiff_t operator-(const pointer& other) const { return at_ - other.at_; }
  template <class I>
  pointer& operator+=(I by) {
    at_ += by;
    return *this;
  }
  template <class I>
  pointer& operator-=(I by) {
    at_ -= by;
    return *this;
  }
  pointer& operator++() { return *this += 1; }
  pointer& operator--() { return *this -= 1; }
  pointer operator++(int) {
    const pointer before = *this;
    at_ += 1;
    return before;
  }
  pointer operator--(int) {
    const pointer before = *this;
    at_ -= 1;
    return before;
  }

  T* at() const { return at_; }
  const char* begin() const { return begin_; }
  const char* end() const { return end_; }

 private:
  T& checked(T* element) const {
    const auto address = reinterpret_cast<uintptr_t>(element);
    if (address < reinterpret_cast<uintptr_t>(begin_) ||
        address + sizeof(T) > reinterpret_cast<uintptr_t>(end_)) [[unlikely]]
      runtime->outOfBounds(const_cast<const std::remove_cv_t<T>*>(element), begin_, end_, sizeof(T));
    return *element;
  }

  T* at_;
  const char* begin_;
  const char* end_;
};

template <class T, class I>
  requires std::is_integral_v<I>
pointer<T> operator+(I by, const pointer<T>& to) {
  return to + by;
}

/// `&p[i]`. The address may lie beyond the end, as long as it is not read.
template <class T, class I>
pointer<T> address(const pointer<T>& of, I index) {
  return of + index;
}
template <class T, class I>
T* address(T* of, I index) {
  return of + index;
}
template <class T, class I>
  requires requires(T& vector) { vector.lane; }
auto address(T& of, I index) {
  return &of[index];
}

/// `reinterpret_cast`, which also converts to and from pointers that know their ends.
template <class To, class From>
To reinterpret(From&& from) {
  if constexpr (std::is_reference_v<To>)
    return *(std::remove_reference_t<To>*)(&from);
  else
    return (To)from;
}

}  // namespace mpslab_shader
