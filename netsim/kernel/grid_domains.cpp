// The cycle of grids that are cut into domains.
#include "domain_loop.hpp"

namespace netplace {

template Exit run_domains(Network<Grid<0>>&, Cycle);
template Exit run_domains(Network<Grid<2>>&, Cycle);
template Exit run_domains(Network<Grid<3>>&, Cycle);
template Exit run_domains(Network<Grid<4>>&, Cycle);
template Exit run_domains(Network<Grid<5>>&, Cycle);

}  // namespace netplace
