import CInstallation
import Dispatch
import Foundation
import Logging
import ServiceLifecycle

/// The service manager that started the process, which learns of its state by sd_notify(3).
///
/// Without one, as in a terminal, messages are discarded.
struct ServiceManager: Sendable {
    enum Message: Sendable {
        case ready(status: String)
        case reloading
        /// The server stops, at the latest after the duration.
        case stopping(Duration)
        case alive
    }

    private let socket: String?
    /// The time without a sign of life after which the manager restarts the server; nil if it does not.
    let watchdog: Duration?
    private let logger: Logger

    /// Reads the variables that systemd sets, except those for another process.
    init(
        environment: [String: String], process: Int32 = ProcessInfo.processInfo.processIdentifier,
        logger: Logger = Logger(label: "weir")
    ) {
        socket = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isForThis = environment["WATCHDOG_PID"].map { $0 == String(process) } ?? true
        watchdog = environment["WATCHDOG_USEC"].flatMap { Int64($0) }
            .flatMap { isForThis && $0 > 0 ? .microseconds($0) : nil }
        self.logger = logger
    }

    func send(_ message: Message) {
        guard let socket else { return }
        let code = cinstallation_notify(socket, Self.text(of: message))
        guard code != 0 else { return }
        logger.debug(
            "The service manager was not told of the server's state.",
            metadata: ["error": "\(String(cString: strerror(code)))"])
    }

    private static func text(of message: Message) -> String {
        switch message {
        case .ready(let status): "READY=1\nSTATUS=\(status)"
        // `Type=notify-reload` compares the time with that of the READY=1 that ends the reload.
        case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(DispatchTime.now().uptimeNanoseconds / 1_000)"
        case .stopping(let time):
            "STOPPING=1\nSTATUS=Ending the runs\nEXTEND_TIMEOUT_USEC=\(time.components.seconds + 1)000000"
        case .alive: "WATCHDOG=1"
        }
    }
}

/// Sends signs of life while the server responds, until all other services have ended.
struct LivenessService: Service {
    let manager: ServiceManager
    let clock: any Clock<Duration>
    /// Returns when every event loop has run a task.
    let respond: @Sendable () async -> Void

    func run() async throws {
        guard let limit = manager.watchdog else { return try await gracefulShutdown() }
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await respond()
                manager.send(.alive)
                do { try await clock.sleep(for: limit / 2) } catch { return }
            }
        }
    }
}

/// Tells the service manager that the server stops, before any other service ends.
struct StopService: Service {
    let manager: ServiceManager
    /// How long the runs may take to end.
    let timeout: @Sendable () -> Duration

    func run() async throws {
        try await gracefulShutdown()
        manager.send(.stopping(timeout()))
    }
}
