import Foundation
import WeirBoards
import WeirStandard
import WeirStates

/// The served runbooks: one store per file, named after it.
struct Runbooks: Sendable {
    private let checklists: [(id: String, checklist: RunbookState)]

    /// Reads the files; throws `StartError` for the first invalid runbook.
    init(files: [String]) throws(StartError) {
        var checklists: [(id: String, checklist: RunbookState)] = []
        for path in files {
            let file = URL(filePath: path)
            let id = Self.id(for: file)
            guard !checklists.contains(where: { $0.id == id }) else {
                throw .misconfigured(
                    "Two runbooks are called \(file.deletingPathExtension().lastPathComponent); rename one of the files."
                )
            }
            do {
                checklists.append((id, try RunbookState(contentsOf: file, named: path)))
            } catch {
                throw .misconfigured("The runbook \(error)")
            }
        }
        self.checklists = checklists
    }

    func add(to catalog: inout Catalog) {
        for (id, checklist) in checklists { Self.add(checklist, id: id, to: &catalog) }
    }

    static func add(_ checklist: RunbookState, id: String, to catalog: inout Catalog) {
        catalog.add(
            store: Runbook(checklist), id: id, kind: "runbook", title: checklist.title,
            summary: "A checklist that several people work through together.")
    }

    /// Merges edits of the files into the existing stores.
    func takeInEdits(on board: Board) async throws {
        for (id, checklist) in checklists {
            guard let view = board.stores().first(where: { $0.id == id }) else { continue }
            let before = try view.state.state(as: RunbookState.self)
            let after = before.taking(checklist)
            guard after != before else { continue }
            _ = try await board.rehydrate(id, state: JSONValue(encoding: after), actor: "weir")
        }
    }

    private static func id(for file: URL) -> String {
        let words = file.deletingPathExtension().lastPathComponent.lowercased()
            .split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let name = words.joined(separator: "-").prefix(32)
        return "runbook" + (name.isEmpty ? "" : "-" + (name.hasSuffix("-") ? name.dropLast() : name))
    }
}
