import Foundation
import Logging
import WeirBoards
import WeirPages
import WeirStandard
import WeirStates

/// The served runbooks: one store per file, named after it.
struct Runbooks: Sendable {
    private let checklists: [(id: String, checklist: RunbookState)]
    /// Why files are not served, and what is no step in those that are.
    let problems: [TemplateProblem]

    /// Reads the files.
    init(files: [String]) {
        var checklists: [(id: String, checklist: RunbookState)] = []
        var problems: [TemplateProblem] = []
        for path in files {
            let file = URL(filePath: path)
            let id = Self.id(for: file)
            do {
                guard !checklists.contains(where: { $0.id == id }) else {
                    let name = file.deletingPathExtension().lastPathComponent
                    throw RunbookFileError("another runbook is called \(name); rename one of the files", file: path)
                }
                let (checklist, remarks) = try RunbookState.read(contentsOf: file)
                checklists.append((id, checklist))
                problems += remarks.map { TemplateProblem($0, in: file) }
            } catch {
                problems.append(TemplateProblem(error, in: file))
            }
        }
        (self.checklists, self.problems) = (checklists, problems)
    }

    func report(to logger: Logger) {
        for problem in problems { logger.error("A runbook has a mistake. \(problem)") }
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

extension TemplateProblem {
    fileprivate init(_ error: any Error, in file: URL) {
        let known = error as? RunbookFileError
        self.init(
            file: file.lastPathComponent, line: known?.line ?? 0,
            message: "The runbook: \(known?.detail ?? error.explanation).")
    }
}
