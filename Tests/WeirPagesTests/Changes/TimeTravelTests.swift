import Foundation
import MarkupTesting
import Synchronization
import Testing
@testable import WeirBoards
import WeirJournals
@testable import WeirPages
import WeirStates

/// Pages of the past, held against what was live.
@Suite(.timeLimit(.minutes(15))) struct TimeTravelTests {
    enum Kind: CaseIterable {
        case memory, sqlite

        func with(_ body: (any Journal) async throws -> Void) async throws {
            switch self {
            case .memory: try await body(MemoryJournal())
            case .sqlite:
                let folder = FileManager.default.temporaryDirectory.appendingPathComponent("past-\(UUID().uuidString)")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                let journal = try await SQLiteJournal.open(
                    at: folder.appendingPathComponent("journal.sqlite").path, now: Timestamp(milliseconds: 0))
                let result: Result<Void, any Error>
                do { result = .success(try await body(journal)) } catch { result = .failure(error) }
                await journal.close()
                try FileManager.default.removeItem(at: folder)
                try result.get()
            }
        }
    }

    private let catalog: Catalog
    private let pages: PageRenderer

    init() throws {
        var catalog = Catalog()
        catalog.add(TourOperation(), id: "tour", title: "Tour", summary: "Goes round.")
        self.catalog = catalog
        pages = PageRenderer(catalog: catalog, templates: try TemplateSet())
    }

    private func board(on journal: any Journal, tail: Int = 10_000) async throws -> Board {
        var configuration = Board.Configuration()
        configuration.tickInterval = .zero
        configuration.tailLimit = tail
        configuration.retention = nil
        let time = Mutex(Int64(1_795_262_400_000))
        return try await Board.open(
            catalog: catalog, journal: journal, configuration: configuration,
            now: {
                Timestamp(
                    milliseconds: time.withLock { time in
                        time += 137
                        return time
                    })
            })
    }

    /// How many changes ``lived(on:)`` leaves at least: five runs begin, travel and end, however few ticks a slow machine takes.
    private static let fewest: SequenceNumber = 15

    /// A journal in which runs went on side by side, with the board on which they were live.
    private func lived(on journal: any Journal) async throws -> Board {
        let board = try await board(on: journal)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (label, stops) in [("a", 9), ("lost", 5), ("b", 3)] {
                group.addTask {
                    let input: JSONValue = ["label": .string(label), "stops": .integer(Int64(stops))]
                    await board.outcome(of: try await board.start("tour", input: input, actor: "anna").run)
                }
            }
            try await group.waitForAll()
        }
        for label in ["c", "lost"] {
            let receipt = try await board.start("tour", input: ["label": .string(label), "stops": 4], actor: "anna")
            await board.outcome(of: receipt.run)
        }
        return board
    }

    /// What a page shows of the moment, without the furniture that tells which moment it is and forbids to act.
    private func shown(_ html: String, in locale: PageLocale) throws -> String {
        let main = try #require(html.firstRange(of: "<main "))
        let end = try #require(html.firstRange(of: "</main>"))
        var text = html[main.upperBound..<end.lowerBound].drop { $0 != ">" }
        let scrubber = try #require(text.firstRange(of: "<section class=\"card scrubber\""))
        let after = try #require(text[scrubber.upperBound...].firstRange(of: "</section>"))
        text.removeSubrange(scrubber.lowerBound..<after.upperBound)
        let words = locale == .english ? "Showing a past state" : "Mostrando um estado anterior"
        return String(text)
            .replacing("<fieldset class=\"then\" disabled=\"disabled\" aria-label=\"\(words)\">", with: "")
            .replacing("</fieldset>", with: "")
            .replacing("id=\"past\" open=\"open\"", with: "id=\"past\"")
            .replacing("<span class=\"muted\">Imported from another journal.</span>", with: "")
            .replacing(/(\/api\/v1\/[a-z0-9\/-]+)\?at=[0-9]+/) { $0.output.1 }
            .replacing(/\n+/, with: "\n")
    }

    private func live(_ content: PageContent, _ frame: PageFrame) -> String {
        pages.document(content, cursor: Fixture.cursor, frame: frame)
    }

    // K8
    @Test(arguments: Kind.allCases, [PageLocale.english, .brazilianPortuguese])
    func `a page as of any change is the page that was live at it, byte for byte`(
        kind: Kind, locale: PageLocale
    ) async throws {
        try await kind.with { journal in
            let board = try await lived(on: journal)
            let later = try await self.board(on: journal, tail: 1)
            var frame = PageFrame(locale: locale)
            let head = board.feed.head(of: .board)
            #expect(head >= Self.fewest)
            for sequence in 1...head {
                let publication = try #require(board.feed.publication(at: sequence))
                // Then, and not when somebody looks, is what "5 s ago" counts from.
                frame.clock = publication.change.at
                let run = try #require(publication.run)
                let operation = try #require(publication.board.operation("tour"))
                for source in [board, later] {
                    let moment = try await source.moment(of: run.record.id, at: sequence)
                    let tour = try await source.moment(ofOperation: "tour", at: sequence)
                    let pasts: [(PastContent, PageContent)] = [
                        (.run(moment), .run(run)), (.operation(tour), .operation(operation)),
                    ]
                    for (past, content) in pasts {
                        let html = pages.document(past, frame: frame)
                        try #require(
                            try shown(html, in: locale) == shown(live(content, frame), in: locale), "change \(sequence)"
                        )
                        #expect(html.contains("data-paused=\"\(sequence)\""))
                        #expect(Markup.check(html, as: .document) == [])
                    }
                    try fragments(publication, .run(moment), frame)
                    try fragments(publication, .operation(tour), frame)
                }
            }
        }
    }

    /// Every fragment that was sent to a live page stands in the page of the past.
    private func fragments(_ publication: Publication, _ past: PastContent, _ frame: PageFrame) throws {
        let html = pages.document(past, frame: frame)
        for patch in pages.patches(for: publication, page: LivePage(past.content.topic, frame.locale)) {
            // What a page shows of other runs is as of now.
            guard case .morph(let id, let fragment) = patch, !id.hasPrefix("scrub"), id != "run-around" else {
                continue
            }
            try #require(html.contains(fragment.trimmingCharacters(in: .whitespacesAndNewlines)), "\(id)")
        }
    }

    // K10
    @Test(arguments: Kind.allCases, Kind.allCases)
    func `an imported run has the pages it had where it was recorded, at every change`(
        from: Kind, to: Kind
    ) async throws {
        try await from.with { source in
            let board = try await lived(on: source)
            var lines: [String] = []
            _ = try await JournalExport(of: source, created: Timestamp(milliseconds: 1)).runs(RunQuery()) {
                lines.append($0)
            }
            try await to.with { target in
                // Something is there already, so that no sequence is what it was.
                _ = try await lived(on: target)
                let before = try await target.head()
                _ = try await JournalImport(into: target, at: Timestamp(milliseconds: 2)).lines { [lines] in
                    let rest = Mutex(lines[...])
                    return { rest.withLock { $0.popFirst() } }
                }
                let there = try await self.board(on: target, tail: 1)
                var count = 0
                for change in try await target.changes(of: .board, after: before, through: nil, limit: 1_000) {
                    let origin = try #require(change.origin).sequence
                    guard case .run(let id) = change.stream else { continue }
                    let here = pages.document(.run(try await board.moment(of: id, at: origin)), frame: PageFrame())
                    let copy = pages.document(
                        .run(try await there.moment(of: id, at: change.sequence)), frame: PageFrame())
                    try #require(try shown(here, in: .english) == shown(copy, in: .english))
                    count += 1
                }
                #expect(count >= Int(Self.fewest.rawValue))
            }
        }
    }

    @Test func `a page of the past says where it stands, leads on, and lets nothing be done`() async throws {
        let board = try await lived(on: MemoryJournal())
        // The run with the most stops: the shortest, if its ticks are taken together, has no step behind its fourth.
        let run = try #require(board.view().recentRuns.map(\.record).first { $0.opening.input["label"] == "a" })
        let changes = try await board.changes(of: .run(run.id), after: nil, limit: 100).changes.map(\.sequence)
        let moment = try await board.moment(of: run.id, at: changes[3])
        let html = pages.document(.run(moment), frame: PageFrame(path: "/runs/\(run.id)?at=\(changes[3])"))
        #expect(html.contains("step 4 of \(changes.count)"))
        #expect(html.contains("id=\"scrub-first\" data-step=\"first\" href=\"/runs/\(run.id)?at=\(changes[0])\""))
        #expect(html.contains("id=\"scrub-previous\" data-step=\"previous\" href=\"/runs/\(run.id)?at=\(changes[2])\""))
        #expect(html.contains("id=\"scrub-next\" data-step=\"next\" href=\"/runs/\(run.id)?at=\(changes[4])\""))
        #expect(html.contains("id=\"scrub-live\" href=\"/runs/\(run.id)\""))
        #expect(html.contains("data-state=\"paused\""))
        #expect(html.contains("<fieldset class=\"then\" disabled=\"disabled\""))
        #expect(!html.contains("data-next=") && !html.contains("http-equiv"))
        #expect(html.contains("href=\"/runs/\(run.id)?at=\(changes[3])&amp;lang=pt-BR\""))
    }

    @Test func `where there is nothing before or after, the step leads nowhere`() async throws {
        let board = try await lived(on: MemoryJournal())
        let run = try #require(board.view().recentRuns.last).record
        let first = pages.document(
            .run(try await board.moment(of: run.id, at: run.openedSequence)), frame: PageFrame())
        let last = pages.document(.run(try await board.moment(of: run.id, at: run.sequence)), frame: PageFrame())
        let nowhere = "role=\"link\" aria-disabled=\"true\" tabindex=\"-1\""
        #expect(first.contains("id=\"scrub-previous\" data-step=\"previous\" \(nowhere)"))
        #expect(first.contains("id=\"scrub-first\" data-step=\"first\" \(nowhere)"))
        #expect(last.contains("id=\"scrub-next\" data-step=\"next\" \(nowhere)"))
    }

    @Test func `the strip of a very long run stays small`() async throws {
        var fixture = try Fixture()
        _ = fixture.script.open("r", "copy", try StateRecord(CopyState.waiting))
        for index in 0..<5_000 {
            _ = fixture.script.move("r", try StateRecord(CopyState.samples[index % 2 == 0 ? 1 : 3]))
        }
        let run = try #require(fixture.script.runs["r"])
        let moment = RunMoment(run: run, newest: run, previous: 1, next: nil)
        let html = fixture.pages.document(.run(moment), frame: PageFrame())
        #expect(html.utf8.count < 90_000)
        #expect(html.contains("step 5,001 of 5,001"))
    }
}
