/* The program closes every descriptor, then writes to files that get the old numbers.
 * EXPECT levels -O0 -O2
 * EXPECT record --rate 4000
 * EXPECT output ok
 * EXPECT calls work 100000
 */
#include "program.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

KEEP int work(int n) {
  return n + 1;
}

int main(void) {
  for (int fd = 3; fd < 1024; fd++)
    close(fd);
  char path[] = "/tmp/close_all.XXXXXX";
  int first = mkstemp(path);
  if (first != 3 || unlink(path) != 0) return 1;
  int others[20];
  for (int i = 0; i < 20; i++)
    others[i] = dup(first);
  for (int i = 0; i < 100000; i++) {
    work(i);
    if (i % 100 == 0 && write(others[i / 100 % 20], "x", 1) != 1) return 2;
    burn(1000);
  }
  char text[2000];
  if (pread(first, text, sizeof text, 0) != 1000 || strspn(text, "x") < 1000) return 3;
  puts("ok");
  return 0;
}
