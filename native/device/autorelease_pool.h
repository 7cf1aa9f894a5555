// Releases what Objective-C objects a call leaves behind. Node's threads have no pool of their own: without
// one each such object would stay until the thread ends. PyTorch's operators bring theirs; calls around them
// do not.
#pragma once

// Objective-C's runtime has these. `@autoreleasepool` calls them too, but leaves the pool open
// when a C++ exception passes.
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
