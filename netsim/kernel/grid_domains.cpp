// The cycle of grids that are cut into domains.
#include "domain_loop.hpp"

namespace netplace {

template Exit run_domains<Grid<0>, false>(Network<Grid<0>>&, Cycle);
template Exit run_domains<Grid<0>, true>(Network<Grid<0>>&, Cycle);
template Exit run_domains<Grid<2>, false>(Network<Grid<2>>&, Cycle);
template Exit run_domains<Grid<3>, false>(Network<Grid<3>>&, Cycle);
template Exit run_domains<Grid<4>, false>(Network<Grid<4>>&, Cycle);
template Exit run_domains<Grid<5>, false>(Network<Grid<5>>&, Cycle);

}  // namespace netplace
