import Testing
import WeirJournals

@testable import WeirBoards

@Suite struct LostServerTests {
    private let day: Int64 = 86_400_000

    private func view(_ name: String, isSilent: Bool = false, isThis: Bool = false) -> NodeView {
        NodeView(
            node: JournalNode(id: name, name: name, beat: 1, isRecording: isThis, standing: NodeStanding()),
            isThis: isThis, isSilent: isSilent)
    }

    private func lost(_ nodes: [NodeView], known: [ServerCondition] = [], at milliseconds: Int64 = 0) -> [String] {
        ServerCondition.lostServers(nodes, known: known, at: Timestamp(milliseconds: milliseconds)).keys.sorted()
    }

    @Test func `a silent server is lost, and one that was stopped is not`() {
        #expect(lost([view("a", isThis: true), view("b", isSilent: true), view("c")]) == ["b"])
        #expect(lost([view("a", isThis: true)]).isEmpty && lost([]).isEmpty)
    }

    @Test func `a lost server is missed for a day after it has left the list, or until it is heard`() {
        let known = [ServerCondition(.server, of: "b", since: Timestamp(milliseconds: 0), sentence: "It is gone.")]
        let alone = [view("a", isThis: true)]
        #expect(lost(alone, known: known, at: day - 1) == ["b"])
        #expect(lost(alone, known: known, at: day).isEmpty)
        #expect(lost(alone + [view("b")], known: known, at: 1_000).isEmpty)
    }

    @Test func `a server of the same name that is heard replaces the silent one`() {
        #expect(lost([view("b", isSilent: true), view("b")]).isEmpty)
    }
}
