"""The study ``training-placement``."""
