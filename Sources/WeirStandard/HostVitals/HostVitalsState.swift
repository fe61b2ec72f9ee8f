import WeirOperations
package import WeirStates

/// The states of watching this machine.
package enum HostVitalsState: OperationState {
    /// Nothing has been measured.
    case none
    /// The machine at that time.
    ///
    /// Values that its system does not provide are nil.
    case measured(
        at: String, cpu: CPUVitals?, memory: MemoryVitals?, load: LoadVitals?, disk: DiskVitals?,
        network: NetworkVitals?)
    /// Nothing at all can be measured here.
    case error(message: String)
    /// Nobody watches any more.
    case stopped

    /// Nothing has been measured.
    package static var initial: Self { .none }
    /// The error in a sentence.
    package static func failed(_ error: any Error) -> Self { .error(message: error.explanation) }
    /// Stopped, whatever was measured.
    package static func cancelled(from last: Self) -> Self { .stopped }

    /// The phase of the state.
    package var phase: Phase {
        switch self {
        case .none: .idle
        case .measured: .active
        case .error: .failed
        case .stopped: .cancelled
        }
    }

    /// One state of every case at least.
    package static var samples: [Self] {
        let wave = (0..<60).map { 35 + ($0 * 7) % 40 }
        return [
            .none,
            .measured(
                at: "2026-11-20T12:03:04.000Z",
                cpu: CPUVitals(busyPercent: 41.5, perCorePercent: [38, 45], history: wave),
                memory: MemoryVitals(usedBytes: 6_442_450_944, totalBytes: 17_179_869_184, history: wave),
                load: LoadVitals(one: 0.52, five: 0.58, fifteen: 0.59, history: wave),
                disk: DiskVitals(usedBytes: 537_888_000_000, freeBytes: 412_316_860_416, totalBytes: 1_000_204_886_016),
                network: NetworkVitals(
                    receivedPerSecond: 125_000, sentPerSecond: 8_400, receivedHistory: wave, sentHistory: wave)),
            .measured(
                at: "2026-11-20T12:03:05.000Z", cpu: nil, memory: nil,
                load: LoadVitals(one: 0, five: 0, fifteen: 0, history: [0]), disk: nil, network: nil),
            failed(HostUnreadable()), .stopped,
        ]
    }
}
