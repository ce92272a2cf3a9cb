// Collections: named lists of items stored with a graph (names in graph_keys.h). The item type is up to the writer:
// Output, Node*, std::shared_ptr<Variable>, std::string, int64_t, a Python object. Thread-safe.
#ifndef WEIR_GRAPH_COLLECTIONS_H_
#define WEIR_GRAPH_COLLECTIONS_H_

#include <any>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "weir/base/function_ref.h"

namespace weir {

class Collections final {
 public:
  void Add(const std::string& name, std::any item);
  std::vector<std::any> Items(const std::string& name) const;
  // An empty list removes the collection.
  void Set(const std::string& name, std::vector<std::any> items);
  std::vector<std::string> Names() const;
  // The items of type T; items of other types are skipped.
  template <class T>
  std::vector<T> Of(const std::string& name) const {
    std::vector<T> result;
    for (std::any& item : Items(name))
      if (T* typed = std::any_cast<T>(&item)) result.push_back(std::move(*typed));
    return result;
  }
  // The first item of type T, which `make` creates if there is none. `make` must not use the collections.
  template <class T>
  T FirstOrAdd(const std::string& name, FunctionRef<T()> make) {
    std::lock_guard<std::mutex> lock(mu_);
    std::vector<std::any>& items = items_[name];
    for (std::any& item : items)
      if (T* typed = std::any_cast<T>(&item)) return *typed;
    return std::any_cast<T>(items.emplace_back(make()));
  }

 private:
  mutable std::mutex mu_;
  std::map<std::string, std::vector<std::any>> items_;
};

}  // namespace weir

#endif  // WEIR_GRAPH_COLLECTIONS_H_
