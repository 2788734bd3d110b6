"""The network model phit by phit on SimPy, to be read together with docs/background/model.md.

This engine is the oracle: it executes the four steps of every cycle of the model, and shares only the
configuration, the random draws and the binning of delays with the compiled kernel.
"""

from __future__ import annotations

from netplace.netsim.reference.run import ReferenceEngine

__all__ = ["ReferenceEngine"]
