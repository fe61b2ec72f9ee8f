// `VirtualClock` comes with the tests of operations.
@_exported public import TestClocks
