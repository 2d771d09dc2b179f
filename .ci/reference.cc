// Takes as long to compile as so much work of the compiler does on this machine: the
// measure of a build in `.ci/run`. It stays as it is, so that figures can be compared.
#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <string>
#include <vector>

template <int n>
struct Key {
    std::string name;
    double value[n];
    bool operator<(const Key &other) const {
        return name < other.name || (name == other.name && value[0] < other.value[0]);
    }
};

template <int n>
double work(const std::vector<std::string> &names) {
    std::map<Key<n>, std::vector<double>> table;
    for (const std::string &name : names)
        table[Key<n>{name, {double(name.size())}}].push_back(double(n));
    std::vector<Key<n>> keys;
    double sum = 0;
    for (auto &item : table) {
        keys.push_back(item.first);
        std::sort(item.second.begin(), item.second.end(), std::greater<double>());
        for (double value : item.second)
            sum += value * item.first.value[0];
    }
    std::stable_sort(keys.begin(), keys.end());
    return keys.empty() ? sum : sum + keys.front().value[0];
}

double reference(const std::vector<std::string> &names) {
    const std::regex word("[a-z]+([0-9]*|_[a-z]+)");
    double sum = 0;
    for (const std::string &name : names)
        sum += std::regex_match(name, word);
    return sum + work<1>(names) + work<2>(names) + work<3>(names) + work<4>(names);
}
