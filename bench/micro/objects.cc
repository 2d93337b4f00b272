// Makes and drops many small objects of C++'s library: strings in maps and vectors.
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct node {
  std::string name;
  std::vector<int> values;
  std::unique_ptr<node> next;
};

static std::unique_ptr<node> make(int depth) {
  auto made = std::make_unique<node>();
  made->name = "a name that is too long to be kept inside " + std::to_string(depth);
  for (int i = 0; i < 20; i++)
    made->values.push_back(i * depth);
  if (depth) made->next = make(depth - 1);
  return made;
}

int main() {
  size_t sum = 0;
  for (int round = 0; round < 8000; round++) {
    std::map<std::string, std::unique_ptr<node>> all;
    for (int i = 0; i < 40; i++)
      all["key of some length, number " + std::to_string(i)] = make(i % 12);
    for (const auto &[key, value] : all)
      sum += key.size() + value->name.size();
  }
  std::printf("%zu\n", sum);
}
