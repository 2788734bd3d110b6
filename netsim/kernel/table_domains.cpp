// The cycle of networks of any wiring that are cut into domains.
#include "domain_loop.hpp"

namespace netplace {

template Exit run_domains(Network<Table<1, true>>&, Cycle);
template Exit run_domains(Network<Table<1, false>>&, Cycle);
template Exit run_domains(Network<Table<2, false>>&, Cycle);
template Exit run_domains(Network<Table<16, false>>&, Cycle);

}  // namespace netplace
