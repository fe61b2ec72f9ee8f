import Hummingbird
import Logging
import ServiceLifecycle
import Testing
import WeirFlows

@testable import WeirWeb

extension TestServer {
    /// Runs a service that tells the port it is bound to, and gives the test that port and the way to shut it down.
    ///
    /// What binding throws, the test throws: nothing waits for a port that never comes.
    static func serve(
        _ makeService: (OneShot<Int?>) -> any Service, logger: Logger,
        _ test: @escaping @Sendable (_ port: Int, _ shutDown: @escaping @Sendable () async -> Void) async throws -> Void
    ) async throws {
        let bound = OneShot<Int?>()
        let services = ServiceGroup(configuration: .init(services: [makeService(bound)], logger: logger))
        let shutDown: @Sendable () async -> Void = { await services.triggerGracefulShutdown() }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { bound.send(nil) }
                try await services.run()
            }
            if let port = await bound.value() {
                do {
                    try await test(port, shutDown)
                } catch {
                    await shutDown()
                    throw error
                }
                await shutDown()
            }
            try await tasks.waitForAll()
        }
    }

    /// Runs an application of somebody else's on a free port of this machine.
    static func serve(
        _ router: Router<BasicRequestContext>,
        _ test: @escaping @Sendable (_ port: Int, _ shutDown: @escaping @Sendable () async -> Void) async throws -> Void
    ) async throws {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        try await serve(
            { bound in
                Application(
                    router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
                    onServerRunning: { channel in bound.send(channel.localAddress?.port) }, logger: logger)
            }, logger: logger, test)
    }
}
