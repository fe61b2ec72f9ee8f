import Foundation
import WeirBoards
import WeirJournals
import WeirStates
import WeirStores

@testable import WeirStandard

extension FuzzedParser {
    /// Runbooks in Markdown, and what is written of them.
    static let runbooks = FuzzedParser("runbooks", upTo: 4_096) { input in
        var input = input
        let isReadAgain = input.choice(4) == 0
        guard let state = read(input.text) else { return }
        written(state, isReadAgain: isReadAgain)
    }

    /// What people send to a runbook, one action a line.
    static let actions = FuzzedParser("actions", upTo: 1_024) { input in
        var input = input
        let isRead = input.choice(8) == 0
        guard let first = RunbookState.samples.first else { return }
        let runbook = Runbook(first)
        var state = first
        let ids = state.steps.map(\.id)
        for line in input.lines {
            guard let json = try? JSONValue(parsing: line), let sent = RecordedAction(json: json),
                let action = try? JSONValue.object([sent.name: sent.payload]).decode(RunbookAction.self)
            else { continue }
            let acted = action.acted(by: "Ana", at: Timestamp(milliseconds: 1_795_257_727_000))
            let reduced = runbook.reduce(acted, state, dispatch)
            expect(reduced.state.steps.map(\.id) == ids, "an action changes which steps there are")
            expect(reduced.effects.count <= 3, "\(reduced.effects.count) effects of one action")
            state = reduced.state
        }
        // Where no line was an action there is nothing to record.
        guard state != first else { return }
        expect((try? JSONValue(encoding: state).decode(RunbookState.self)) == state, "it is recorded as another state")
        expect((try? StateRecord(state).state(as: RunbookState.self)) == state, "it comes back as another state")
        // Reading it is slow, and most states are not new.
        guard isRead else { return }
        guard let again = read(state.markdown)?.steps else { return expect(false, "no runbook: \(state.markdown)") }
        expect(again.map(\.text) == state.steps.map(\.text), "as Markdown it has other steps: \(state.markdown)")
        expect(again.map(\.comments) == state.steps.map(\.comments), "comments come back as others: \(state.markdown)")
        expect(again.map(\.assignee) == state.steps.map(\.assignee), "names come back as others: \(state.markdown)")
        expect(again.map(\.mark) == state.steps.map(\.mark), "marks come back as others: \(state.markdown)")
    }

    private static let dispatch = Dispatcher<RunbookAction>(
        send: { _, _ in fatalError("a runbook sends nothing by itself") }, command: { _ in })

    private static func read(_ text: String) -> RunbookState? {
        do {
            let state = try RunbookState(markdown: text, file: "runbook.md", title: "runbook")
            expect((1...200).contains(state.steps.count), "\(state.steps.count) steps")
            expect(Set(state.steps.map(\.id)).count == state.steps.count, "two steps have one name")
            return state
        } catch let error as RunbookFileError {
            expectSentence(error.description)
            return nil
        } catch {
            expect(false, "a runbook was refused with \(error)")
            return nil
        }
    }

    private static func written(_ state: RunbookState, isReadAgain: Bool) {
        // Markdown has more ways to say a thing than anybody can keep apart, so that not every text comes back as it was;
        // but whatever is written can be read, is recorded as it is, and merging a file with itself changes no names.
        if isReadAgain { _ = read(state.markdown) }
        expect((try? JSONValue(encoding: state).decode(RunbookState.self)) == state, "it is recorded as another state")
        expect(state.taking(state).steps.map(\.id) == state.steps.map(\.id), "the same file changes the names of steps")
    }
}
