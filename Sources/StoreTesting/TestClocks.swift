// `VirtualClock` comes with the tests of stores.
@_exported public import TestClocks
