public import Operations
public import States

/// The states of watching this machine.
public enum HostVitalsState: OperationState {
    /// Nothing has been measured.
    case none
    /// How the machine was at that moment. What its system does not tell is nil.
    case measured(
        at: String, cpu: CPUVitals?, memory: MemoryVitals?, load: LoadVitals?, disk: DiskVitals?,
        network: NetworkVitals?)
    /// Nothing at all can be measured here.
    case error(message: String)
    /// Nobody watches any more.
    case stopped

    /// Nothing has been measured.
    public static var initial: Self { .none }
    /// The error in a sentence.
    public static func failed(_ error: any Error) -> Self { .error(message: sentence(for: error)) }
    /// Stopped, whatever was measured.
    public static func cancelled(from last: Self) -> Self { .stopped }

    /// Where it stands.
    public var phase: Phase {
        switch self {
        case .none: .idle
        case .measured: .active
        case .error: .failed
        case .stopped: .cancelled
        }
    }

    /// One state of every case at least.
    public static var samples: [Self] {
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
