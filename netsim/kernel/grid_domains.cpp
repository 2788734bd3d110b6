// The cycle of grids that are cut into domains.
#include "domain_loop.hpp"

namespace netplace {

template Exit run_domains(Network<Grid<0>>&, Cycle);
template Exit run_domains(Network<Grid<2>>&, Cycle);
template Exit run_domains(Network<Grid<3>>&, Cycle);

}  // namespace netplace
