// `VirtualClock` comes with the tests of operations and stores.
@_exported public import WeirFlows
