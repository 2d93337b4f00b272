/* A recursive-descent parser: expression, term and factor call each other in a ring. */
#include <stdio.h>
#include <string.h>

static const char *at;

static long expression(void);

__attribute__((noipa)) static long number(void) {
  long value = 0;
  while (*at >= '0' && *at <= '9')
    value = value * 10 + (*at++ - '0');
  return value;
}

__attribute__((noipa)) static long factor(void) {
  if (*at != '(') return number();
  at++;
  long value = expression();
  at++;
  return value;
}

__attribute__((noipa)) static long term(void) {
  long value = factor();
  while (*at == '*') {
    at++;
    value *= factor();
  }
  return value;
}

__attribute__((noipa)) static long expression(void) {
  long value = term();
  while (*at == '+' || *at == '-') {
    char sign = *at++;
    long other = term();
    value += sign == '+' ? other : -other;
  }
  return value;
}

int main(void) {
  static char text[100000];
  for (int depth = 0; depth < 200; depth++)
    strcat(text, "(1+2*(33-");
  strcat(text, "7");
  for (int depth = 0; depth < 200; depth++)
    strcat(text, ")*4-5)");
  long sum = 0;
  for (int i = 0; i < 8000; i++) {
    at = text;
    sum ^= expression();
  }
  printf("%ld\n", sum & 15);
  return 0;
}
