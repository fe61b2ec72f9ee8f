import Journals
import States
import TestClocks
import Testing
import TestSupport

@testable import Boards

/// How a server carries out what others hand to it.
@Suite(.timeLimit(.minutes(5))) struct CommandReceiverTests {
    // K12
    @Test func `an answer that cannot be written is written as soon as it can, as somebody waits for it`() async throws
    {
        let cluster = await ClusterDouble(recording: "a")
        let (first, second) = (SharedJournalDouble(cluster, node: "a"), SharedJournalDouble(cluster, node: "b"))
        let text = try JSONValue(encoding: BoardCommand.dismissNotice(id: "n")).text()
        try await second.hand(HandedCommand(id: "1", node: "b", text: text))
        let clock = VirtualClock()
        let receiver = CommandReceiver(first, clock: clock) { _, _ in .done(true) }
        cluster.answerError = JournalError(.full, "The disk is full.")
        try await receiver.look(of: ["b"])
        await clock.sleepers(1)
        #expect(try await second.replies(to: ["1"]) == [:])
        cluster.answerError = nil
        clock.advance(by: .seconds(1))
        await receiver.close()
        let answer = try JSONValue(encoding: BoardCommand.Outcome.done(true)).text()
        #expect(try await second.replies(to: ["1"]) == ["1": .answered(answer)])
    }
}
