// The cycle of networks of any wiring that are cut into domains.
#include "domain_loop.hpp"

namespace netplace {

template Exit run_domains(Network<Table<1>>&, Cycle);
template Exit run_domains(Network<Table<2>>&, Cycle);
template Exit run_domains(Network<Table<16>>&, Cycle);

}  // namespace netplace
