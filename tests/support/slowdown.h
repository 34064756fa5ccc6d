// How much more time than the product a test's program may take: sanitizers make everything several times slower, the limits hold
// for the product.
#pragma once

namespace trefoil::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int kSlowdown = 10;
#else
inline constexpr int kSlowdown = 1;
#endif

}  // namespace trefoil::test
