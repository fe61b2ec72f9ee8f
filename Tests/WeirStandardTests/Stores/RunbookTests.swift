import Testing
import WeirBoards
@testable import WeirJournals
@testable import WeirStandard
import WeirStates
import WeirTesting

@Suite struct RunbookTests {
    private func store(_ text: String = "# Release\n- [ ] one\n- [ ] two\n") throws -> TestStore<Runbook> {
        TestStore(Runbook(try RunbookState(markdown: text, file: "release.md", title: "release")))
    }

    @Test func `a tick has a name and a time`() throws {
        let store = try store()
        #expect(store.state.phase == .idle)
        store.send(.tick(step: "one", signed: ana)) { $0.sections[0].steps[0].mark = .done(signed: ana) }
        #expect(store.state.phase == .active)
        #expect(store.state.progress == WorkProgress(1, of: 2))
        store.finish()
    }

    @Test func `of two who tick one step the first stands and the second is told`() throws {
        let store = try store()
        store.send(.tick(step: "one", signed: ana)) { $0.sections[0].steps[0].mark = .done(signed: ana) }
        store.send(.tick(step: "one", signed: bob))
        store.receiveEffect(.toast("“one” was done by Ana at 10:42 UTC already.", to: ["Bob"]))
        store.send(.skip(step: "one", reason: "no", signed: bob))
        store.receiveEffect(.toast("“one” was done by Ana at 10:42 UTC already.", to: ["Bob"]))
        store.finish()
    }

    @Test func `whoever waits is told once when the step is done, and not who did it`() throws {
        let store = try store()
        store.send(.wait(step: "one", signed: ana)) { $0.sections[0].steps[0].waiting = ["Ana"] }
        store.send(.wait(step: "one", signed: ana))
        store.send(.wait(step: "one", signed: bob)) { $0.sections[0].steps[0].waiting = ["Ana", "Bob"] }
        store.send(.tick(step: "one", signed: bob)) {
            $0.sections[0].steps[0].waiting = []
            $0.sections[0].steps[0].mark = .done(signed: bob)
        }
        store.receiveEffect(.toast("“one” was done by Bob at 10:43 UTC.", to: ["Ana"]))
        store.finish()
    }

    @Test func `whoever waits is told of a skip, with the reason, and who waits too late at once`() throws {
        let store = try store()
        store.send(.wait(step: "one", signed: ana)) { $0.sections[0].steps[0].waiting = ["Ana"] }
        store.send(.skip(step: "one", reason: " no \n need ", signed: bob)) {
            $0.sections[0].steps[0].waiting = []
            $0.sections[0].steps[0].mark = .skipped(reason: "no need", signed: bob)
        }
        store.receiveEffect(.toast("“one” was skipped by Bob at 10:43 UTC (no need).", to: ["Ana"]))
        store.send(.wait(step: "one", signed: ana))
        store.receiveEffect(.toast("“one” was skipped by Bob at 10:43 UTC (no need) already.", to: ["Ana"]))
        store.finish()
    }

    @Test func `who stops waiting is not told`() throws {
        let store = try store()
        store.send(.wait(step: "one", signed: ana)) { $0.sections[0].steps[0].waiting = ["Ana"] }
        store.send(.stopWaiting(step: "one", signed: ana)) { $0.sections[0].steps[0].waiting = [] }
        store.send(.tick(step: "one", signed: bob)) { $0.sections[0].steps[0].mark = .done(signed: bob) }
        store.finish()
    }

    @Test func `everybody is told when no step is open any more`() throws {
        let store = try store()
        store.send(.tick(step: "one", signed: ana)) { $0.sections[0].steps[0].mark = .done(signed: ana) }
        store.send(.tick(step: "two", signed: bob)) { $0.sections[0].steps[1].mark = .done(signed: bob) }
        store.receiveEffect(.toast("Release: all 2 steps are done.", to: nil))
        #expect(store.state.phase == .succeeded)
        store.send(.untick(step: "two", signed: ana)) { $0.sections[0].steps[1].mark = nil }
        store.send(.skip(step: "two", reason: "no", signed: bob)) {
            $0.sections[0].steps[1].mark = .skipped(reason: "no", signed: bob)
        }
        store.receiveEffect(
            .toast("Release: no steps are open; 1 of 2 are done, the others were skipped.", to: nil))
        store.finish()
    }

    @Test func `who is given a step by another is told`() throws {
        let store = try store()
        store.send(.take(step: "one", signed: ana)) { $0.sections[0].steps[0].assignee = "Ana" }
        store.send(.assign(step: "one", to: "Bob", signed: ana)) { $0.sections[0].steps[0].assignee = "Bob" }
        store.receiveEffect(.toast("Ana asks you to do “one”.", to: ["Bob"]))
        store.send(.assign(step: "one", to: "Bob", signed: ana))
        store.send(.assign(step: "one", to: nil, signed: ana)) { $0.sections[0].steps[0].assignee = nil }
        store.finish()
    }

    @Test func `who takes a step is not asked to do it, and who gives one away unnamed is somebody`() throws {
        let store = try store()
        store.send(.assign(step: "one", to: "Ana", signed: ana)) { $0.sections[0].steps[0].assignee = "Ana" }
        store.send(.assign(step: "one", to: "Bob", signed: nil)) { $0.sections[0].steps[0].assignee = "Bob" }
        store.receiveEffect(.toast("Somebody asks you to do “one”.", to: ["Bob"]))
        store.finish()
    }

    @Test func `comments stay in order, each with a name and a time`() throws {
        let store = try store()
        store.send(.comment(step: "one", text: "a\nb", signed: ana)) {
            $0.sections[0].steps[0].comments = [RunbookComment("a b", signed: ana)]
        }
        store.send(.comment(step: "one", text: "c", signed: bob)) {
            $0.sections[0].steps[0].comments.append(RunbookComment("c", signed: bob))
        }
        store.finish()
    }

    @Test func `comments end where each change would record more and more of them`() throws {
        let store = try store()
        let half = String(repeating: "a", count: Runbook.commentLimit / 2)
        for (index, step) in ["one", "two"].enumerated() {
            store.send(.comment(step: step, text: half, signed: ana)) {
                $0.sections[0].steps[index].comments = [RunbookComment(half, signed: ana)]
            }
        }
        store.send(.comment(step: "one", text: "b", signed: bob))
        store.receiveEffect(.toast("The checklist holds no more comments. Begin another one.", to: ["Bob"]))
        store.finish()
    }

    @Test func `what cannot be done is told to who tried it and changes nothing`() throws {
        let store = try store()
        store.send(.tick(step: "three", signed: ana))
        store.receiveEffect(.toast("The step “three” no longer exists.", to: ["Ana"]))
        store.send(.untick(step: "one", signed: ana))
        store.receiveEffect(.toast("“one” is already open.", to: ["Ana"]))
        store.send(.skip(step: "one", reason: " ", signed: ana))
        store.receiveEffect(.toast("Say why “one” is skipped.", to: ["Ana"]))
        store.send(.comment(step: "one", text: "\n", signed: ana))
        store.receiveEffect(.toast("The comment was empty.", to: ["Ana"]))
        store.finish()
    }

    @Test func `an export is a file for who asked for it`() throws {
        let store = try store()
        store.send(.export(signed: ana))
        store.receiveEffect(
            .download(filename: "release.md", markdown: "# Release\n\n- [ ] one\n- [ ] two\n", to: ["Ana"]))
        let effect = RunbookEffect.download(filename: "release.md", markdown: "x", to: ["Ana"]).presentation
        #expect(effect.audience == ["Ana"])
        store.finish()
    }

    @Test func `each action is signed with who takes it and when`() throws {
        let store = try store()
        let actions: [RunbookAction] = [
            .tick(step: "one"), .untick(step: "one"), .skip(step: "one", reason: "x"), .take(step: "one"),
            .assign(step: "one", to: "Bob"), .comment(step: "one", text: "x"), .wait(step: "one"),
            .stopWaiting(step: "one"), .export(),
        ]
        #expect(actions.count == RunbookAction.forms.count)
        for action in actions {
            let signed = try JSONValue(encoding: action.acted(by: "Ana", at: ana.at)).object?.first?.value["signed"]
            #expect(signed == ["by": "Ana", "at": "2026-11-21T10:42:07.000Z"])
        }
        store.finish()
    }

    @Test func `a step offers what can be done with it as it stands`() throws {
        let store = try store("- [x] one\n- [ ] two\n")
        func offered(_ step: String?) -> [String] { store.state.offers.filter { $0.anchor == step }.map(\.form) }
        #expect(offered("one") == ["untick", "comment"])
        #expect(offered("two") == ["tick", "take", "wait", "skip", "assign", "comment"])
        #expect(offered(nil) == ["export"])
        store.finish()
    }

    @Test func `its declarations agree with each other`() throws {
        var catalog = Catalog()
        catalog.add(store: Runbook(RunbookState.samples[0]), id: "runbook", title: "Runbook", summary: "A checklist.")
        let entry = try #require(catalog.store("runbook"))
        #expect(entry.problems == [])
        #expect(entry.samples.count == 3)
        #expect(Set(entry.samples.map(\.phase)) == [.idle, .active, .succeeded])
    }
}
