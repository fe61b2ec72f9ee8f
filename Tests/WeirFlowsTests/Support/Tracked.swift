import WeirFlows

/// A value that tells how many of its kind are alive.
final class Tracked: Sendable {
    let number: Int
    private let alive: MutableStateFlow<Int>

    init(_ number: Int, _ alive: MutableStateFlow<Int>) {
        self.number = number
        self.alive = alive
        alive.update { $0 + 1 }
    }

    deinit {
        alive.update { $0 - 1 }
    }
}
