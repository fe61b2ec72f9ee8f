import ServiceLifecycle
import UnixSignals

/// Handles the signals that do not end a server: on SIGHUP it reads its settings again, on SIGUSR1 it logs its status.
struct SignalService: ServiceLifecycle.Service {
    /// The handled signals.
    static let signals: [UnixSignal] = [.sighup, .sigusr1]

    /// The signals received since this was created.
    let received: UnixSignalsSequence
    let reload: @Sendable () -> Void
    let report: @Sendable () -> Void

    func run() async throws {
        for await signal in received.cancelOnGracefulShutdown() {
            if signal == .sighup { reload() } else { report() }
        }
    }
}
