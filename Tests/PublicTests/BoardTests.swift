import Foundation
import Testing
import Weir

@Suite(.timeLimit(.minutes(15)))
struct BoardTests {
    private var catalog: Catalog {
        var catalog = Catalog()
        catalog.add(
            Backup(), id: "backup", title: "Backup", summary: "Copies files.", reentry: .queue,
            lifetime: Lifetime.onDemand,
            timeout: .seconds(60))
        catalog.addReported(id: "nightly", title: "Nightly", summary: "Reported from elsewhere.", tags: ["nightly"])
        catalog.add(store: Checklist(), id: "trip", title: "Trip", summary: "What to pack.")
        return catalog
    }

    @Test func `a board runs an operation, says how it went, and runs it again`() async throws {
        var configuration = Board.Configuration()
        configuration.tickInterval = .milliseconds(10)
        configuration.retention = RetentionPolicy(operations: ["backup": .init(maximumRuns: 5)])
        let board = try await Board.open(catalog: catalog, journal: MemoryJournal(), configuration: configuration)
        board.keep(RetentionPolicy())
        let receipt: StartReceipt = try await board.start(
            "backup", input: ["name": "home"], actor: "ana", idempotencyKey: "once")
        await board.outcome(of: receipt.run)
        let record: RunRecord = try await board.run(receipt.run)
        #expect(receipt.isNew)
        #expect(record.operation == "backup")
        let state: StateRecord = record.state
        #expect(state.caseName == "copied")
        #expect(record.state.payload["bytes"] == 0)
        #expect(record.state.phase == .succeeded)
        #expect(try #require(record.endedAt) >= record.startedAt)
        let again = try await board.retry(receipt.run, input: ["name": "full"], actor: "ana")
        await board.outcome(of: again.run)
        let failed = try await board.run(again.run)
        #expect(failed.state.payload["message"] == "The disk is full. Delete something.")
        await board.shutdown()
    }

    @Test func `a refusal says which kind it is, and what is wrong with which field`() async throws {
        let board = try await Board.open(catalog: catalog)
        await #expect(throws: BoardError.self) { try await board.cancel("nowhere", actor: "ana") }
        do {
            _ = try await board.start("backup", input: ["name": "NO"], actor: "ana")
            Issue.record("the name does not match")
        } catch {
            #expect(error.code == BoardError.Code.invalidInput)
            let mistakes: [InputMistake] = error.fields
            #expect(mistakes.map(\.field) == ["name"])
            #expect(mistakes.allSatisfy { !$0.detail.isEmpty })
            #expect(!error.description.isEmpty)
        }
        await board.shutdown()
    }

    @Test func `a store takes an action with who took it, and goes back to its first state`() async throws {
        let board = try await Board.open(catalog: catalog)
        let receipt: StoreReceipt = try await board.dispatch(
            ["type": "tick", "item": "pack"], to: "trip", actor: "ana")
        #expect(receipt.isNew)
        #expect(try await board.reset("trip", actor: "ana").isNew)
        await board.shutdown()
    }

    @Test func `a journal that cannot be opened says why in a sentence`() async {
        await #expect(throws: JournalError.self) { try await SQLiteJournal.open(at: "/nowhere/at/all/journal.sqlite") }
    }

    @Test func `what was recorded in a file is there when the file is opened again`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-public-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "journal.sqlite").path
        var run = ""
        for round in 0..<2 {
            let journal = try await SQLiteJournal.open(
                at: path, configuration: .init(durability: .process, busyTimeout: 500, maximumBytes: 10_000_000))
            let board = try await Board.open(catalog: catalog, journal: journal)
            if round == 0 {
                run = try await board.start("backup", input: ["name": "home"], actor: "ana").run
                await board.outcome(of: run)
            }
            #expect(try await board.run(run).id == run)
            await board.shutdown()
            await journal.close()
        }
    }

    @Test func `an operation is given a schedule, and a mistake in one is a sentence`() async throws {
        var catalog = catalog
        catalog.add(
            Backup(), id: "nightly", title: "Nightly backup", summary: "Copies files at night.",
            schedule: try Schedule(cron: "30 3 * * *", timezone: "Europe/Lisbon", randomDelay: "5m", catchUp: "skip"),
            scheduledInput: ["name": "home"])
        catalog.add(
            Backup(), id: "often", title: "Frequent backup", summary: "Copies files.",
            schedule: try Schedule(every: "6h"), scheduledInput: ["name": "home"])
        let board = try await Board.open(catalog: catalog, journal: MemoryJournal())
        await board.shutdown()
        let error = #expect(throws: ScheduleError.self) { try Schedule(cron: "61 * * * *") }
        #expect(error?.description.contains("0 to 59") == true)
    }
}
