import Observation

/// What the observation peer watches.
@Observable final class Model: @unchecked Sendable {
    var value = 0
}
