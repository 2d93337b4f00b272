#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
struct Order {
  int id;
  std::string trader;
  double price;
};
template <typename T, int N> struct Matrix {
  T cell[N][N];
  Matrix operator*(const Matrix &b) const {
    Matrix r;
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        T s = 0;
        for (int k = 0; k < N; k++)
          s += cell[i][k] * b.cell[k][j];
        r.cell[i][j] = s;
      }
    return r;
  }
};
static std::vector<Order> make_orders(int n, int seed) {
  std::mt19937 random(seed);
  std::vector<Order> orders;
  for (int i = 0; i < n; i++)
    orders.push_back(
        {i, "trader-number-" + std::to_string(random() % 1000), (random() % 10000) / 100.0});
  return orders;
}
static std::map<std::string, double> by_trader(const std::vector<Order> &orders) {
  std::map<std::string, double> sums;
  for (auto &o : orders)
    sums[o.trader] += o.price;
  return sums;
}
static double sum_prices(const std::vector<Order> &orders) {
  double sum = 0;
  for (auto &o : orders) {
    try {
      if (o.id % 4 == 0) throw std::runtime_error("bad");
      sum += o.price;
    } catch (const std::exception &) {
      sum += 1;
    }
  }
  return sum;
}
static double worker(int n, int seed) {
  auto orders = make_orders(n, seed);
  std::sort(orders.begin(), orders.end(),
            [](const Order &a, const Order &b) { return a.trader < b.trader; });
  auto m = by_trader(orders);
  return m.size() + sum_prices(orders);
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 60000;
  double r[3];
  std::vector<std::thread> t;
  for (int i = 0; i < 3; i++)
    t.emplace_back([&r, i, n] { r[i] = worker(n, i); });
  for (auto &x : t)
    x.join();
  Matrix<double, 64> *a = new Matrix<double, 64>(), *b = new Matrix<double, 64>();
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++)
      a->cell[i][j] = b->cell[i][j] = i + j;
  for (int i = 0; i < 100; i++)
    *a = *a * *b;
  printf("%g %g\n", r[0] + r[1] + r[2], a->cell[3][4]);
}
