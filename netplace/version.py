"""The version of netplace, which its compiled part has to be of, too."""

__all__ = ["__version__"]

__version__ = "1.0.0rc1"
