"""The version of netplace, which its compiled part has to be of, too, and of the files that it writes."""

__version__ = "1.0.0rc1"
FORMAT = 3  # of results, tables and stores; to be raised when any of them changes
