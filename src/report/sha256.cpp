#include "report/sha256.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace gwatch::report {

namespace {

using Words8 = std::array<std::uint32_t, 8>;
constexpr std::size_t kBlockBytes = 64;

struct Constants {
    Words8 initial;                        ///< fractions of the square roots of the first 8 primes
    std::array<std::uint32_t, 64> rounds;  ///< fractions of the cube roots of the first 64 primes
};

std::uint32_t fraction_bits(long double root) {
    return static_cast<std::uint32_t>(std::floor((root - std::floor(root)) * 4294967296.0L));
}

bool is_prime(int number) {
    for (int divisor = 2; divisor * divisor <= number; ++divisor) {
        if (number % divisor == 0) return false;
    }
    return true;
}

Constants make_constants() {
    Constants constants{};
    std::size_t found = 0;
    for (int number = 2; found < constants.rounds.size(); ++number) {
        if (!is_prime(number)) continue;
        const auto prime = static_cast<long double>(number);
        if (found < constants.initial.size())
            constants.initial[found] = fraction_bits(std::sqrt(prime));
        constants.rounds[found++] = fraction_bits(std::cbrt(prime));
    }
    return constants;
}

std::array<std::uint32_t, 64> expand(const unsigned char* block) {
    std::array<std::uint32_t, 64> words{};
    for (std::size_t i = 0; i < 16; ++i) {
        for (std::size_t byte = 0; byte < 4; ++byte) words[i] = words[i] << 8 | block[4 * i + byte];
    }
    for (std::size_t i = 16; i < 64; ++i) {
        const std::uint32_t a = words[i - 15];
        const std::uint32_t b = words[i - 2];
        words[i] = words[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) + words[i - 7] +
                   (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
    }
    return words;
}

void add_block(Words8& state, const unsigned char* block, const Constants& constants) {
    const auto words = expand(block);
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < 64; ++i) {
        const std::uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                    ((e & f) ^ (~e & g)) + constants.rounds[i] + words[i];
        const std::uint32_t second =
            (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + second;
    }
    const Words8 added = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < state.size(); ++i) state[i] += added[i];
}

std::string padded(std::string_view bytes) {
    std::string text(bytes);
    text += '\x80';
    while (text.size() % kBlockBytes != kBlockBytes - 8) text += '\0';
    const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
    for (int shift = 56; shift >= 0; shift -= 8) text += static_cast<char>(bits >> shift);
    return text;
}

}  // namespace

std::string sha256(std::string_view bytes) {
    static const Constants constants = make_constants();
    Words8 state = constants.initial;
    const std::string text = padded(bytes);
    for (std::size_t at = 0; at < text.size(); at += kBlockBytes)
        add_block(state, reinterpret_cast<const unsigned char*>(text.data()) + at, constants);
    std::string digest;
    for (const std::uint32_t word : state) {
        for (int shift = 24; shift >= 0; shift -= 8) digest += static_cast<char>(word >> shift);
    }
    return digest;
}

}  // namespace gwatch::report
