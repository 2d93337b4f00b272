typedef int function(int);
int plain_each(function *called, int times);
int plain_jump(function *called, int n);
int plain_leaf(int n);
