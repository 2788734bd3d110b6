"""Does contiguity pay when jobs share the network?"""
