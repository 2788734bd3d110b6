"""Whether contiguity pays when jobs share the network."""
