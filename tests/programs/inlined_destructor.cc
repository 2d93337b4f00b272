/* A map's destructor, with the first level of the recursion that frees its nodes, is inlined into
 * that of a class: what is called there is no recursion yet. tests/oracle compares with callgrind.
 * EXPECT levels -O2 -O3
 * EXPECT output 10000
 * EXPECT calls-like Members::~Members% 5
 * EXPECT unsampled it has no time to speak of
 */
#include "program.h"

template <class Key> struct Map {
  struct Node {
    Node *left, *right;
    Key key;
  };
  Node *root = nullptr;
  void insert(Key key);
  ~Map() { erase(root); }
  static void erase(Node *node) {
    while (node) { /* as in the trees of GNU's C++ library */
      erase(node->right);
      Node *left = node->left;
      delete node;
      node = left;
    }
  }
};

template <class Key> __attribute__((noinline)) void Map<Key>::insert(Key key) {
  Node **at = &root;
  while (*at)
    at = key < (*at)->key ? &(*at)->left : &(*at)->right;
  *at = new Node{nullptr, nullptr, key};
}

struct Members {
  Map<int> numbers;
  Map<long> larger;
  __attribute__((noinline)) ~Members() {}
};

int main() {
  int inserted = 0;
  for (int round = 0; round < 5; round++) {
    Members members;
    for (int i = 0; i < 1000; i++, inserted += 2) {
      members.numbers.insert(i * 83 % 1000);
      members.larger.insert(i * 57 % 1000);
    }
  }
  printf("%d\n", inserted);
  return 0;
}
