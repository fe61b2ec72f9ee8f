import Foundation
import Testing
import WeirOperations
import WeirStates

@testable import WeirStandard

struct SamplesTests {
    private func check<State: OperationState>(_ type: State.Type, _ cases: Set<String>) throws {
        let records = try State.samples.map { try StateRecord($0) }
        #expect(Set(records.map(\.caseName)) == cases)
        for (record, sample) in zip(records, State.samples) { #expect(try record.state(as: type) == sample) }
        #expect(State.initial.phase == .idle)
        #expect(State.cancelled(from: State.initial).phase == .cancelled)
    }

    @Test func `every case has a sample, and each reads back as it was written`() throws {
        try check(GreetingState.self, ["none", "loading", "success", "error", "cancelled"])
        try check(PeopleInSpaceState.self, ["none", "loading", "success", "error", "cancelled"])
        try check(HostVitalsState.self, ["none", "measured", "error", "stopped"])
        try check(ISSPositionState.self, ["none", "locating", "tracking", "stale", "error", "failed", "stopped"])
        try check(
            HTTPRequestState.self,
            ["none", "resolving", "connecting", "waiting", "receiving", "retrying", "success", "error", "cancelled"])
        try check(
            FileUploadState.self,
            [
                "none", "receiving", "compressing", "openingSession", "uploading", "closingSession", "success", "error",
                "cancelled",
            ])
    }

    @Test func `an error nobody knows gives nothing away`() {
        struct Secret: Error { let path = "/var/lib/secret" }
        let cocoa = CocoaError(.fileReadNoSuchFile, userInfo: ["NSFilePath": "/var/lib/secret"])
        for error in [Secret(), cocoa] as [any Error] {
            let states: [any OperationState] = [
                GreetingState.failed(error), PeopleInSpaceState.failed(error), HostVitalsState.failed(error),
                ISSPositionState.failed(error), HTTPRequestState.failed(error), FileUploadState.failed(error),
            ]
            for state in states { #expect(!"\(state)".contains("secret") && !"\(state)".contains("/var")) }
        }
    }

    @Test func `waits double, with jitter between half and whole, up to a maximum`() {
        let backoff = Backoff(base: .seconds(1), maximum: .seconds(10))
        #expect(backoff.delay(afterFailures: 1, random: 0) == .milliseconds(500))
        #expect(backoff.delay(afterFailures: 2, random: 1) == .seconds(2))
        #expect(backoff.delay(afterFailures: 3, random: 1) == .seconds(4))
        #expect(backoff.delay(afterFailures: 400, random: 1) == .seconds(10))
    }
}
