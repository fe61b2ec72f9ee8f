import Testing
import TestSupport
import WeirFlows
import WeirJournals
import WeirStates

@testable import WeirBoards

/// How a server carries out what others hand to it.
@Suite(.timeLimit(.minutes(15))) struct CommandReceiverTests {
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

    @Test(arguments: [true, false])
    func `a command for which there was no room is carried out as soon as there is, without another look`(
        lastEndsFirst: Bool
    ) async throws {
        let cluster = await ClusterDouble(recording: "a")
        let (first, second) = (SharedJournalDouble(cluster, node: "a"), SharedJournalDouble(cluster, node: "b"))
        let ids = (0...CommandReceiver.limit).map(String.init)
        for id in ids {
            let text = try JSONValue(encoding: BoardCommand.dismissNotice(id: id)).text()
            try await second.hand(HandedCommand(id: id, node: "b", text: text))
        }
        let last = ids[CommandReceiver.limit - 1]
        let receiver = CommandReceiver(first, clock: VirtualClock()) { command, _ in
            let isLast = if case .dismissNotice(last) = command { true } else { false }
            let ended = isLast == lastEndsFirst ? 0 : lastEndsFirst ? 1 : CommandReceiver.limit - 1
            try? await until { try await second.replies(to: ids).count >= ended }
            return .done(true)
        }
        try await receiver.look(of: ["b"])
        try await until { try await second.replies(to: ids).count == ids.count }
        await receiver.close()
    }
}
