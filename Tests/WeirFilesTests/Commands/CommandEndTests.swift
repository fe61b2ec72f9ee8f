import Testing

@testable import WeirFiles

struct CommandEndTests {
    @Test func `what a helper program could not finish telling counts as far as it goes`() {
        let nothing = CommandUsage([])
        #expect(nothing.user == .zero && nothing.system == .zero && nothing.memory == 0)
        #expect(CommandEnd(report: "exited 3\n") == .exited(3, nothing))
        guard case .exited(0, let some) = CommandEnd(report: "exited 0 5\n") else {
            Issue.record("what was told is not taken as far as it goes")
            return
        }
        #expect(some.user == .milliseconds(5) && some.system == .zero && some.memory == 0)
        guard case .signalled(.kill, let all) = CommandEnd(report: "signalled 9 5 6 7\n") else {
            Issue.record("what was told is not taken whole")
            return
        }
        #expect(all.user == .milliseconds(5) && all.system == .milliseconds(6) && all.memory == 7_168)
        #expect(CommandEnd(report: "outlived 2\nexited 0\n") == .exited(0, CommandUsage([], outlived: 2)))
        #expect(CommandEnd(report: "") == .lost)
        #expect(CommandEnd(report: "failed exec 2\n") == .notStarted(CommandFailure(step: "exec", error: 2)))
    }
}
