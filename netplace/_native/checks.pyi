"""Compiled parts of netplace.checks."""

import types


class Border:
    def __repr__(self, /):
        """Return repr(self)."""

    def __call__(self, /, *args, **kwargs):
        """Call self as a function."""

    def __get__(self, instance, owner=None, /):
        """Return an attribute of instance, which is of type owner."""

    __reduce__: types.MethodDescriptorType = ...

    __vectorcalloffset__: types.MemberDescriptorType = ...

    unguarded: types.MemberDescriptorType = ...
