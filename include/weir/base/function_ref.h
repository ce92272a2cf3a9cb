// A non-owning reference to a callable: two words, no allocation. Valid only while the callable lives,
// so it is for parameters, never for members.
#ifndef WEIR_BASE_FUNCTION_REF_H_
#define WEIR_BASE_FUNCTION_REF_H_

#include <memory>
#include <type_traits>
#include <utility>

namespace weir {

template <class Signature>
class FunctionRef;

template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class F, class = std::enable_if_t<!std::is_same_v<std::decay_t<F>, FunctionRef>>>
  FunctionRef(F&& f)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
        }) {}

  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

}  // namespace weir

#endif  // WEIR_BASE_FUNCTION_REF_H_
