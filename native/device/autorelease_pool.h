// Releases the Objective-C objects that a call leaves behind. Node's threads have no autorelease pool of
// their own, so each such object would stay until the thread ends. PyTorch's operators open pools themselves;
// calls around them do not.
#pragma once

// Functions of the Objective-C runtime. `@autoreleasepool` calls them too, but leaves the pool open when a
// C++ exception passes.
extern "C" void* objc_autoreleasePoolPush(void);
extern "C" void objc_autoreleasePoolPop(void* pool);

namespace mpslab {

class AutoreleasePool {
 public:
  AutoreleasePool() : pool_(objc_autoreleasePoolPush()) {}
  ~AutoreleasePool() { objc_autoreleasePoolPop(pool_); }
  AutoreleasePool(const AutoreleasePool&) = delete;
  AutoreleasePool& operator=(const AutoreleasePool&) = delete;

 private:
  void* pool_;
};

}  // namespace mpslab
