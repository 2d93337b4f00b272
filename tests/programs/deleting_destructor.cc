/* A deleting destructor and the destructor proper have one definition and one name, but they are
 * two functions: the first calls the second, which is no recursion.
 * EXPECT calls-like Shape::~Shape% 20
 * EXPECT arc drop(Shape*) Shape::~Shape() 10
 * EXPECT output 10
 */
#include "program.h"

static int ended;

struct Shape {
  virtual ~Shape();
};

KEEP Shape::~Shape() {
  ended++;
}

KEEP void drop(Shape *shape) {
  delete shape;
  NOT_A_TAIL();
}

int main() {
  for (int i = 0; i < 10; i++)
    drop(new Shape);
  printf("%d\n", ended);
  return 0;
}
