// The cycle of trees that are cut into domains.
#include "domain_loop.hpp"

namespace netplace {

template Exit run_domains(Network<Tree<false>>&, Cycle);
template Exit run_domains(Network<Tree<true>>&, Cycle);

}  // namespace netplace
