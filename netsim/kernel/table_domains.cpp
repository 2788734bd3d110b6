// The cycle of networks of any wiring that are cut into domains.
#include "domain_loop.hpp"

namespace netplace {

template Exit run_domains<Table<1, true>, false>(Network<Table<1, true>>&, Cycle);
template Exit run_domains<Table<1, false>, false>(Network<Table<1, false>>&, Cycle);
template Exit run_domains<Table<1, false>, true>(Network<Table<1, false>>&, Cycle);
template Exit run_domains<Table<2, false>, false>(Network<Table<2, false>>&, Cycle);
template Exit run_domains<Table<16, false>, false>(Network<Table<16, false>>&, Cycle);
template Exit run_domains<Table<16, false>, true>(Network<Table<16, false>>&, Cycle);

}  // namespace netplace
