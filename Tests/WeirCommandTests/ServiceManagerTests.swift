import Foundation
import Testing
@testable import WeirCommand

@Suite struct ServiceManagerTests {
    @Test func `the watchdog counts only for the process that it names`() {
        func watchdog(_ variables: [String: String]) -> Duration? {
            ServiceManager(environment: variables, process: 7).watchdog
        }
        #expect(watchdog(["WATCHDOG_USEC": "60000000"]) == .seconds(60))
        #expect(watchdog(["WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "7"]) == .seconds(60))
        #expect(watchdog(["WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "8"]) == nil)
        for text in ["0", "-1", "", "1e6", "99999999999999999999"] { #expect(watchdog(["WATCHDOG_USEC": text]) == nil) }
    }

    @Test func `sockets count only for the process that they are passed to`() throws {
        func passed(_ variables: [String: String]) throws -> PassedSocket? {
            try PassedSocket(environment: variables, process: 7, descriptor: -1)
        }
        #expect(try passed([:]) == nil)
        #expect(try passed(["LISTEN_PID": "8", "LISTEN_FDS": "1"]) == nil)
        for text in ["0", "-1", "", "x"] { #expect(try passed(["LISTEN_PID": "7", "LISTEN_FDS": text]) == nil) }
        let refusal = #expect(throws: StartError.self) { try passed(["LISTEN_PID": "7", "LISTEN_FDS": "1"]) }
        #expect(refusal?.exitCode == 78)
    }
}
