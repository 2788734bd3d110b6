"""Pictures, a function each; a file appears whole or not at all."""
