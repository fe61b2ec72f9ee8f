import Foundation
import Synchronization
import WeirStates

/// Stores the notices for an operator until they are dismissed: a JSON list in `journal.sqlite-notices`.
///
/// It is a separate file, because most notices report damage to the journal.
final class NoticeFile: Sendable {
    private struct State {
        var list: [JournalNotice]
        /// Whether the file contains the list.
        var isWritten = true
    }

    /// The maximum size of the file that is read, in bytes.
    private static let longest = 1 << 20

    private let path: String
    private let state: Mutex<State>

    /// Reads the list; an unreadable file is set aside, which is reported by a notice.
    init(path: String, now: Timestamp) {
        self.path = path
        guard let list = Self.read(path) else {
            let aside = JournalFile.aside(path, now)
            state = Mutex(State(list: []))
            var name: String? = URL(fileURLWithPath: aside).lastPathComponent
            do { try OpenFile.move(path, to: aside) } catch { name = nil }
            addWhenPossible(JournalNotice(.forgotten, at: now, file: name))
            return
        }
        state = Mutex(State(list: list))
    }

    var notices: [JournalNotice] { state.withLock { $0.list } }

    /// Adds a notice; throws if it cannot be written.
    func add(_ notice: JournalNotice) throws(JournalError) {
        try change { list in list = list.filter { $0.id != notice.id } + [notice] }
    }

    /// Adds a notice, and writes it now or later.
    func addWhenPossible(_ notice: JournalNotice) {
        do { try add(notice) } catch { return }  // See `writeWhatIsNew`.
    }

    /// Retries a write that failed earlier.
    func writeWhatIsNew() {
        guard !state.withLock({ $0.isWritten }) else { return }
        do { try change { _ in } } catch { return }  // The next call tries again.
    }

    func remove(_ id: String) throws(JournalError) -> Bool {
        guard notices.contains(where: { $0.id == id }) else { return false }
        try change { list in list.removeAll { $0.id == id } }
        return true
    }

    /// The list at a path, empty if there is no file; nil if the file cannot be read or contains no list.
    static func read(_ path: String) -> [JournalNotice]? {
        do {
            let bytes = try RegularFile.bytes(of: path, limit: longest)
            return try JSONValue(parsing: bytes).array?.compactMap { JournalNotice(json: $0) }
        } catch RegularFile.Failure.missing {
            return []
        } catch {
            return nil
        }
    }

    private func change(_ body: (inout [JournalNotice]) -> Void) throws(JournalError) {
        let failure = state.withLock { state -> JournalError? in
            body(&state.list)
            state.isWritten = false
            do {
                try write(state.list)
                state.isWritten = true
                return nil
            } catch let error as POSIXError {
                return JournalError.of(error, at: path)
            } catch {
                return JournalError(.unavailable, "The notices cannot be written.", cause: error)
            }
        }
        if let failure { throw failure }
    }

    /// Writes to a temporary file first, so that the list is always complete.
    private func write(_ list: [JournalNotice]) throws {
        let text = try JSONValue.array(list.map(\.json)).text() + "\n"
        let next = path + "-next"
        if FileManager.default.fileExists(atPath: next) { try FileManager.default.removeItem(atPath: next) }
        let file = try OpenFile(path: next)
        try file.write(Array(text.utf8), at: 0)
        try file.synchronize()
        file.close()
        try OpenFile.move(next, to: path)
    }
}
