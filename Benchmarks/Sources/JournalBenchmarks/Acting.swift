import Foundation
import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates
import WeirStores

/// Sends one store actions from many sides, each waiting until its own is recorded, and holds the journal to the order.
enum Acting {
    private struct Counter: Reducer {
        struct State: RecordableState {
            var count = 0
            static var samples: [State] { [State()] }
            var phase: Phase { .active }
        }

        enum Action: StoreAction {
            case add(step: Int)
            static var forms: [ActionForm] {
                [ActionForm("add", "Add", fields: [InputField("step", "Step", .integer(1...9), default: 1)])]
            }
        }

        var initialState: State { State() }

        func reduce(_ action: Action, _ state: State, _ dispatch: Dispatcher<Action>) -> Reduced<State, Never> {
            guard case .add(let step) = action else { return Reduced(state) }
            return Reduced(State(count: state.count + step))
        }
    }

    static func run() async throws {
        for senders in [1, 8, 64, 512] { try await withFolder { try await run(in: $0, senders: senders) } }
    }

    private static func run(in folder: URL, senders: Int) async throws {
        let journal = try await SQLiteJournal.open(
            at: folder.appendingPathComponent("journal.sqlite").path, now: Timestamp(Date()))
        var catalog = Catalog()
        catalog.add(store: Counter(), id: "counter", title: "Counter", summary: "Counts.")
        let board = try await Board.open(catalog: catalog, journal: journal)
        let each = max(1, (senders == 1 ? 5_000 : 100_000) / senders)
        var times: [Double] = []
        var work = 0.0
        let seconds = try await timed {
            work = try await worked {
                try await withThrowingTaskGroup(of: [Double].self) { group in
                    for number in 0..<senders {
                        group.addTask { try await send(each, to: board, as: "sender \(number)") }
                    }
                    for try await own in group { times += own }
                }
            }
        }
        let count = each * senders
        try await check(journal, count)
        print(
            """
            \(senders) at once: \(Int(Double(count) / seconds)) actions/s recorded (\(Int(Double(count) / work)) per \
            second of processor time), from sent to recorded \(summary(times)); \(residentMegabytes()) MB resident
            """)
        await board.shutdown()
        await journal.close()
    }

    private static func send(_ count: Int, to board: Board, as actor: String) async throws -> [Double] {
        var times: [Double] = []
        var last = SequenceNumber.zero
        for _ in 0..<count {
            var receipt: StoreReceipt?
            times.append(
                try await timed {
                    receipt = try await board.dispatch(["type": "add"], to: "counter", actor: actor)
                } * 1_000)
            guard let sequence = receipt?.sequence, sequence > last else {
                fail("a receipt is not after the one before")
            }
            last = sequence
        }
        return times
    }

    /// Every action has its change, and each state follows from the one before.
    private static func check(_ journal: SQLiteJournal, _ count: Int) async throws {
        var expected: Int64 = 0
        var after: SequenceNumber = 0
        while true {
            let changes = try await journal.changes(of: .store("counter"), after: after, through: nil, limit: 5_000)
            guard let last = changes.last else { break }
            for change in changes {
                guard change.revision == expected, change.state.payload["count"]?.integer == expected else {
                    fail("revision \(change.revision) stands where \(expected) should")
                }
                expected += 1
            }
            after = last.sequence
        }
        guard expected == Int64(count) + 1 else { fail("\(expected - 1) of \(count) actions are recorded") }
    }

    private static func fail(_ words: String) -> Never {
        print(words)
        exit(1)
    }
}
