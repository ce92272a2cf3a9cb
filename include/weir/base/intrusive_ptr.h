// IntrusivePtr: a shared pointer with the reference count in the object: one word, no control block. Objects derive
// from RefCounted. The count is atomic; the thread safety of the object itself is up to its class.
#ifndef WEIR_BASE_INTRUSIVE_PTR_H_
#define WEIR_BASE_INTRUSIVE_PTR_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace weir {

class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void Ref() const { count_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() const {
    if (count_.load(std::memory_order_acquire) == 1 || count_.fetch_sub(1, std::memory_order_acq_rel) == 1) Destroy();
  }
  bool RefCountIsOne() const { return count_.load(std::memory_order_acquire) == 1; }

 protected:
  virtual ~RefCounted() = default;
  virtual void Destroy() const { delete this; }

 private:
  mutable std::atomic<int32_t> count_{1};
};

template <class T>
class IntrusivePtr {
 public:
  IntrusivePtr() = default;
  IntrusivePtr(std::nullptr_t) {}
  // Takes over a reference, e.g. the initial one of a new object.
  static IntrusivePtr Adopt(T* object) {
    IntrusivePtr p;
    p.object_ = object;
    return p;
  }
  static IntrusivePtr Share(T* object) {
    if (object != nullptr) object->Ref();
    return Adopt(object);
  }
  IntrusivePtr(const IntrusivePtr& other) : object_(other.object_) {
    if (object_ != nullptr) object_->Ref();
  }
  IntrusivePtr(IntrusivePtr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
  IntrusivePtr(const IntrusivePtr<U>& other) : object_(other.get()) {
    if (object_ != nullptr) object_->Ref();
  }
  template <class U>
  IntrusivePtr(IntrusivePtr<U>&& other) noexcept : object_(other.release()) {}
  IntrusivePtr& operator=(IntrusivePtr other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~IntrusivePtr() {
    if (object_ != nullptr) object_->Unref();
  }

  T* get() const { return object_; }
  T* release() { return std::exchange(object_, nullptr); }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  bool operator==(const IntrusivePtr& other) const { return object_ == other.object_; }

 private:
  T* object_ = nullptr;
};

template <class T, class... Args>
IntrusivePtr<T> MakeIntrusive(Args&&... args) {
  return IntrusivePtr<T>::Adopt(new T(std::forward<Args>(args)...));
}

}  // namespace weir

#endif  // WEIR_BASE_INTRUSIVE_PTR_H_
