import Testing
import TestSupport
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

@Suite(.timeLimit(.minutes(15))) struct DiskTests {
    private final class DiskDouble: DiskWatch {
        let isFull: Locked<Bool>
        let freed = Locked(0)

        init(isFull: Bool = false) { self.isFull = Locked(isFull) }

        var isAlmostFull: Bool { isFull.withLock { $0 } }
        var almostFullSince: ReadOnlyStateFlow<Timestamp?> { MutableStateFlow(nil).asStateFlow() }
        func freeReserve() { freed.withLock { $0 += 1 } }
    }

    private struct Limited: OutputOperation, LimitedOutput {
        let maximumOutput: ByteCount?

        func perform(_ input: TestInput, state: MutableStateFlow<TestState>, output: OutputWriter) async throws {
            for line in ["12345", "1234", "123", "1", ""] { await output.write(line) }
            state.value = .success(text: "")
        }
    }

    private func texts(of run: String, in board: Board) async throws -> [String] {
        await board.outcome(of: run)
        return try await board.output(of: run, limit: 100).map(\.text)
    }

    @Test(arguments: [nil, ByteCount(clamping: 20)])
    func `output beyond its maximum is counted and not kept, also if an operation has its own maximum`(own: ByteCount?)
        async throws
    {
        var catalog = Catalog()
        catalog.add(Limited(maximumOutput: own), id: "print", title: "print", summary: "A test.")
        var configuration = Board.Configuration()
        configuration.maximumOutput = 10
        let board = try await Board.open(catalog: catalog, journal: MemoryJournal(), configuration: configuration)
        let run = try await board.start("print", input: [:], actor: "tester").run
        #expect(
            try await texts(of: run, in: board)
                == (own == nil
                    ? [
                        "12345", "1234",
                        "… The output has reached its maximum of 10 bytes. Further lines are not kept.",
                        "… 3 lines were not kept: the output is longer than 10 bytes.",
                    ] : ["12345", "1234", "123", "1", ""]))
        await board.shutdown()
    }

    @Test func `on a disk that is almost full no run starts, and output is not kept until there is space`() async throws
    {
        let (disk, gate) = (DiskDouble(), Gate())
        let fixture = try await BoardFixture.open(
            printing: PrintingOperation { state, output in
                await output.write("before")
                disk.isFull.withLock { $0 = true }
                for _ in 1...2 { await output.write("during") }
                try await gate.pass(1)
                await output.write("after")
                state.value = .success(text: "")
            }
        ) {
            $0.retention = nil
            $0.disk = disk
        }
        let run = try await fixture.board.start("print", input: [:], actor: "tester").run
        try await until { disk.isAlmostFull }
        let refusal = await #expect(throws: BoardError.self) {
            try await fixture.board.start("print", input: [:], actor: "tester")
        }
        #expect(refusal?.code == .noSpace)
        disk.isFull.withLock { $0 = false }
        gate.open()
        #expect(
            try await texts(of: run, in: fixture.board) == [
                "before", "… The server's disk is almost full. Output is not kept until space is free.",
                "… 2 lines were not kept: the server's disk was almost full.", "after",
            ])
        await fixture.board.shutdown()
    }

    @Test func `on a disk that is almost full a reported run takes no lines, and ends`() async throws {
        let disk = DiskDouble()
        let fixture = try await BoardFixture.open {
            $0.retention = nil
            $0.reportsUndeclared = true
            $0.disk = disk
        }
        func report(_ opening: RunOpening? = nil, _ entries: [Report.Entry] = [], _ ending: Report.Ending = .none)
            -> Report
        {
            Report(run: "a", operation: "deploy", reporter: "anna", opening: opening, entries: entries, ending: ending)
        }
        let opening = RunOpening(actor: "anna", input: [:], report: RunReport(title: nil))
        _ = try await fixture.board.report(report(opening))
        disk.isFull.withLock { $0 = true }
        for refused in [report(opening), report(nil, [.line("x", .standardOutput)])] {
            let refusal = await #expect(throws: BoardError.self) { try await fixture.board.report(refused) }
            #expect(refusal?.code == .noSpace)
        }
        #expect(
            try await fixture.board.report(report(nil, [.line("x", .standardOutput)], .closed(nil))).outcome == .taken)
        await fixture.board.shutdown()
    }

    @Test func `space that was reserved is freed when the journal's disk is full`() async throws {
        let (disk, journal) = (DiskDouble(), JournalDouble())
        let fixture = try await BoardFixture.open(
            printing: PrintingOperation { state, _ in state.value = .success(text: "") }, on: journal
        ) {
            $0.retention = nil
            $0.disk = disk
        }
        journal.error = JournalError(.full, "Full.")
        async let receipt = fixture.board.start("print", input: [:], actor: "tester")
        try await until { disk.freed.withLock { $0 } > 0 }
        journal.error = nil
        fixture.clock.advance(by: .seconds(10))
        _ = try await receipt
        await fixture.board.shutdown()
    }
}
