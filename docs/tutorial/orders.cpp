// The program of docs/TUTORIAL.md: adds up orders by customer, slowly.
//
//   g++ -O2 -g orders.cpp -o orders && ./orders
#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

struct Order {
  std::string customer;
  double price;
};

struct Customer {
  std::string name;
  double total = 0;
};

std::vector<Order> read_orders(int count) {
  std::mt19937 random(1);
  std::vector<Order> orders;
  for (int i = 0; i < count; i++)
    orders.push_back({"customer-" + std::to_string(random() % 4000), random() % 10000 / 100.0});
  return orders;
}

Customer &find_customer(std::vector<Customer> &customers, const std::string &name) {
  for (Customer &customer : customers)
    if (customer.name == name)
      return customer;
  customers.push_back({name});
  return customers.back();
}

std::vector<Customer> add_up(const std::vector<Order> &orders) {
  std::vector<Customer> customers;
  for (const Order &order : orders)
    find_customer(customers, order.customer).total += order.price;
  return customers;
}

bool spent_more(const Customer &a, const Customer &b) {
  return a.total > b.total;
}

int main() {
  std::vector<Order> orders = read_orders(300000);
  std::vector<Customer> customers = add_up(orders);
  std::sort(customers.begin(), customers.end(), spent_more);
  for (int i = 0; i < 3; i++)
    std::printf("%-14s %10.2f\n", customers[i].name.c_str(), customers[i].total);
}
