"""The network model phit by phit on SimPy, written to be read beside docs/background/model.md.

This is the oracle: every cycle of the model is gone through in its four steps, and nothing is shared with the
compiled kernel but the configuration, the random draws and the binning of delays.
"""

from __future__ import annotations

from netplace.netsim.reference.run import ReferenceEngine

__all__ = ["ReferenceEngine"]
