import Dispatch
import Synchronization
import WeirJournals
import WeirStates

extension FuzzedParser {
    /// Files of exported runs: what one journal takes in, the next takes in from it, the same.
    static let exports = FuzzedParser("exports", upTo: 4_096) { input in
        let lines = input.lines
        let done = DispatchSemaphore(value: 0)
        Task {
            await hold(lines)
            done.signal()
        }
        done.wait()
    }

    private static let moment = Timestamp(milliseconds: 1_795_257_727_000)

    private static func hold(_ lines: [String]) async {
        let file = Lines(lines)
        let contents = try? ExportContents(reading: file.next)
        let first = MemoryJournal(epoch: "fuzz")
        guard let report = await taken(lines, into: first) else { return }
        expect(contents?.runs.map(\.record.id) == report.imported, "other runs are told of than come in")
        let export = await text(of: first)
        let second = MemoryJournal(epoch: "fuzz")
        let again = await taken(export, into: second)
        expect(again?.imported == report.imported, "an export is refused, or other runs come out of it: \(export)")
        let third = MemoryJournal(epoch: "fuzz")
        _ = await taken(await text(of: second), into: third)
        let (one, other) = (await text(of: second), await text(of: third))
        expect(one == other, "an export changes when it is taken in and written again: \(one) \(other)")
        let skipped = await taken(export, into: first)
        expect(skipped?.imported == [] && skipped?.skipped == report.imported, "an export is new where it comes from")
    }

    private static func taken(_ lines: [String], into journal: MemoryJournal) async -> ImportReport? {
        do {
            return try await JournalImport(into: journal, at: moment).lines {
                let file = Lines(lines)
                return { file.next() }
            }
        } catch let error as JournalError {
            expectSentence(error.description)
            return nil
        } catch {
            expect(false, "an import was refused with \(error)")
            return nil
        }
    }

    private static func text(of journal: MemoryJournal) async -> [String] {
        var lines: [String] = []
        do {
            _ = try await JournalExport(of: journal, created: moment).runs(RunQuery()) { lines.append($0) }
        } catch {
            expect(false, "what came in cannot be written: \(error)")
        }
        return lines
    }
}

/// Gives one line after the other, as a file does.
private final class Lines: Sendable {
    private let rest: Mutex<ArraySlice<String>>

    init(_ lines: [String]) { rest = Mutex(lines[...]) }

    func next() -> String? { rest.withLock { $0.popFirst() } }
}
