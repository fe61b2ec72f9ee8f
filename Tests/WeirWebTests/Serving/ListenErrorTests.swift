import Foundation
import NIOCore
import NIOPosix
import ServiceLifecycle
import Testing
import WeirBoards
import WeirJournals

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct ListenErrorTests {
    private struct Unresolved: Error {}

    @Test func `each reason is said in a sentence of its own, with what to do`() {
        func said(_ code: Int32) -> ListenError {
            ListenError(IOError(errnoCode: code, reason: "bind(descriptor:ptr:bytes:)"), host: "10.0.0.1", port: 80)
        }
        #expect(said(EADDRINUSE).reason == .inUse)
        #expect(said(EADDRINUSE).description.hasPrefix("Another program listens on port 80 of 10.0.0.1."))
        #expect(said(EADDRNOTAVAIL).reason == .notThisMachine)
        #expect(said(EADDRNOTAVAIL).description.hasPrefix("The address 10.0.0.1 is not an address of this machine."))
        #expect(said(EACCES).reason == .notAllowed)
        #expect(said(EACCES).description.contains("ports below 1024 are for privileged programs"))
        #expect(said(ENOMEM).reason == .other)
        let unknown = ListenError(Unresolved(), host: "nosuch.invalid", port: 8_080)
        #expect(unknown.reason == .unknownHost)
        #expect(unknown.description.hasPrefix("The host name nosuch.invalid is unknown."))
    }

    @Test func `a server on a port that is taken says so`() async throws {
        try await TestServer.run { server in
            let second = DashboardServer(
                dashboard: server.dashboard, access: .open, host: "127.0.0.1", port: server.port,
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton
            ) { _ in Issue.record("it listens") }
            let error = await #expect(throws: ListenError.self) {
                try await ServiceGroup(services: [second], logger: server.dashboard.logger).run()
            }
            #expect(error?.reason == .inUse)
        }
    }

    @Test func `a folder of files that is none is refused by its name`() {
        let missing = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        #expect(throws: AssetLibraryError.self) { try AssetLibrary(overlay: missing) }
        let error = #expect(throws: AssetLibraryError.self) { try AssetLibrary(overlay: URL(filePath: #filePath)) }
        #expect(error?.folder == #filePath)
        #expect(error?.description.contains("Use a folder with the layout of Public") == true)
    }
}
