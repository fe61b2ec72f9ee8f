import Foundation
import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirPages

/// A catalog, its pages, and runs of it at hand.
struct Fixture {
    let catalog: Catalog
    let pages: PageRenderer
    var script: BoardScript

    init(
        overlay: [String: String] = [:], mountPath: String = "/", schedule: Schedule? = nil,
        scheduledInput: JSONValue = [:]
    ) throws {
        var catalog = Catalog()
        catalog.add(
            CopyOperation(), id: "copy", title: "Copy", summary: "Copies things.", timeout: .seconds(90),
            schedule: schedule, scheduledInput: scheduledInput)
        catalog.add(
            WatchOperation(), id: "watch", title: "Watch", summary: "Watches a gauge.", lifetime: .whileWatched())
        catalog.add(store: Door(), id: "door", title: "Door", summary: "Opens and closes.")
        self.catalog = catalog
        pages = PageRenderer(
            catalog: catalog, templates: try Self.templates(overlay), mountPath: mountPath)
        script = BoardScript(catalog)
    }

    /// The bundled templates with these texts laid over them.
    static func templates(_ overlay: [String: String]) throws -> TemplateSet {
        guard !overlay.isEmpty else { return try TemplateSet() }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer {
            do {
                try FileManager.default.removeItem(at: folder)
            } catch {
                print("\(folder.path) stays behind: \(error)")
            }
        }
        for (path, text) in overlay {
            let file = folder.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        return try TemplateSet(overlay: folder)
    }

    static let cursor = PageCursor(
        epoch: "k3f9", sequence: 7, next: "/live/1/board/k3f9/7/1", now: "/live/1/board/k3f9/7/now",
        snap: "/live/1/board/snap", after: "/after/k3f9.7")

    /// Runs of both operations in several states.
    mutating func fill() throws {
        for (index, sample) in CopyState.samples.enumerated() {
            _ = script.open("c\(index)", "copy", try StateRecord(CopyState.waiting), input: ["name": "x", "count": 3])
            _ = script.move("c\(index)", try StateRecord(sample), cause: "cancelled by somebody", after: 1_234)
        }
        _ = script.open("w1", "watch", try StateRecord(WatchState.starting), retryOf: "w0")
        _ = script.move("w1", try StateRecord(WatchState.samples[1]))
        for (index, sample) in DoorState.samples.enumerated() {
            let action = RecordedAction(name: "open", payload: ["by": "Ana", "width": .integer(Int64(index))])
            let step = StoreStep(.action, action: action, actor: "Rui", effects: Self.effects)
            _ = script.act("door", try StateRecord(sample), step)
        }
    }

    /// One effect of every kind.
    static let effects = [
        RecordedEffect(.toast(message: "It is open."), audience: ["Ana", "Rui"]),
        RecordedEffect(.navigation(path: "/runs")),
        RecordedEffect(.download(filename: "door.md", mediaType: "text/markdown", text: "# Door")),
        RecordedEffect(.other(name: "bell", payload: [:])),
    ]

    /// Every page there is, by a name for messages.
    func everyPage(_ frame: PageFrame = PageFrame(), draft: FormDraft? = nil) -> [(name: String, html: String)] {
        let view = script.board
        var all: [(String, String)] = [
            ("board", pages.document(.board(view), cursor: Self.cursor, frame: frame)),
            ("runs", pages.document(.runs(view), cursor: Self.cursor, frame: frame)),
            ("stores", pages.document(.stores(view), cursor: Self.cursor, frame: frame)),
            ("gallery", pages.gallery(frame: frame)),
            (
                "problem",
                pages.problem(
                    PageProblem(status: 418, title: "Tea", detail: Message(verbatim: "No coffee.")), frame: frame)
            ),
        ]
        for store in view.stores {
            all.append((store.id, pages.document(.store(store), cursor: Self.cursor, frame: frame, draft: draft)))
            all.append((store.id + " past", pages.past(store, latest: store, next: 3, frame: frame)))
        }
        for operation in view.operations {
            let content = PageContent.operation(operation)
            all.append((operation.id, pages.document(content, cursor: Self.cursor, frame: frame, draft: draft)))
        }
        for (id, run) in script.runs.sorted(by: { $0.key < $1.key }) {
            all.append(("run \(id)", pages.document(.run(run), cursor: Self.cursor, frame: frame)))
            let moment = RunMoment(run: run, newest: run, previous: 1, next: 2)
            all.append(("past \(id)", pages.document(.run(moment), ahead: 9, frame: frame)))
            if let other = script.runs.values.first(where: { $0.record.operation == run.record.operation }) {
                all.append(("pair \(id)", pages.comparison(RunComparison(other, run), frame: frame)))
            }
        }
        return all
    }
}

extension PageRenderer {
    /// The page of an operation that was never started, whose form has a draft.
    func startForm(operation: String, draft: FormDraft) -> String {
        document(
            .operation(OperationView(id: operation)), cursor: Fixture.cursor, frame: PageFrame(), draft: draft)
    }
}
