import Foundation
import Testing
import Weir

@Suite(.timeLimit(.minutes(15)))
struct OperationTests {
    @Test func `an operation runs without a board, with its states, its output and its file`() async throws {
        let runner = OperationRunner(Backup(), reentry: .concurrent, timeout: .seconds(30), clock: ContinuousClock())
        let file = FileInput(
            id: "f1", filename: "a.tar", length: 3, contentType: "application/x-tar", content: OnePiece("abc"))
        let lines = Lines()
        let run = try runner.start(.init(name: "home", rate: 1, archive: file), id: "r1") { $0.print(to: lines) }
        let outcome = await run.outcome()
        guard case .succeeded = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(run.id == "r1")
        #expect(run.state.value == .copied(bytes: 3))
        #expect(lines.lines.value == ["Copying home", "stderr: quickly"])
    }

    @Test func `a cancelled run says why`() async throws {
        let runner = OperationRunner(Backup())
        let run = try runner.start(.init(name: "home", rate: 1)) { $0.cancel(CancellationCause("not today")) }
        _ = await run.outcome()
        #expect(run.state.value == .stopped)
        #expect(run.cancellationCause?.description == "not today")
        runner.cancelAll(CancellationCause("tidying up"))
    }

    @Test func `an operation of this kind needs no input, and a second start is refused`() async throws {
        struct Wait: StateOperation {
            func perform(_ input: NoInput, state: MutableStateFlow<Backup.State>) async throws {
                try await Task.sleep(for: .seconds(600))
            }
        }
        let runner = OperationRunner(Wait(), reentry: ReentryPolicy.ignore)
        let run: Run<Backup.State> = try runner.start(NoInput())
        #expect(throws: OperationBusy.self) { try runner.start(NoInput()) }
        run.cancel(CancellationCause("enough"))
        let outcome: RunOutcome = await run.outcome()
        if case .cancelled = outcome { return }
        Issue.record("\(outcome)")
    }

    @Test func `states and actions are written without knowing whose they are`() {
        func samples<State: RecordableState>(_ type: State.Type) -> Int { State.samples.count }
        func forms<Action: StoreAction>(_ type: Action.Type) -> [ActionForm] { Action.forms }
        #expect(samples(Backup.State.self) == 5)
        #expect(forms(Checklist.Action.self).count == 1)
    }

    @Test func `values are JSON, sizes and progress`() throws {
        let value: JSONValue = ["name": "home", "count": 2, "ratio": 0.5, "is": true, "list": [nil]]
        #expect(value["name"] == "home")
        #expect(try value["count"]?.decode(Int.self) == 2)
        #expect(value["list"] == [.null])
        #expect(try JSONValue(encoding: ["a": 1]).decode([String: Int].self) == ["a": 1])
        let price = JSONNumber("1.10")
        #expect(price?.description == "1.10" && price?.value == 1.1 && price != JSONNumber(1.1))
        #expect(ByteCount("2 MB")?.bytes == 2_000_000)
        #expect(ByteCount(clamping: -1) < ByteCount(clamping: 1))
        let progress = WorkProgress(1, of: 4, unit: WorkProgress.Unit.percent)
        #expect(progress.fraction == 0.25)
        #expect(progress.completed == 1)
        #expect(progress.total == 4)
        #expect(Phase.failed.isEnded)
        #expect(Timestamp(Date(timeIntervalSince1970: 1)).date == Date(timeIntervalSince1970: 1))
    }
}
