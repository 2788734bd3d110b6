// The cycle of trees that are cut into domains.
#include "domain_loop.hpp"

namespace netplace {

template Exit run_domains<Tree<false>, false>(Network<Tree<false>>&, Cycle);
template Exit run_domains<Tree<false>, true>(Network<Tree<false>>&, Cycle);
template Exit run_domains<Tree<true>, false>(Network<Tree<true>>&, Cycle);

}  // namespace netplace
