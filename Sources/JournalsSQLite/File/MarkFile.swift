import Foundation
import Journals
import Synchronization

/// Keeps the mark of a journal that is open for writing (``JournalMark``).
final class MarkFile: Sendable {
    private struct State {
        var file: OpenFile
        var mark: JournalMark
    }

    private let state: Mutex<State>

    /// Writes a mark, replacing an existing one.
    init(path: String, _ mark: JournalMark) throws(JournalError) {
        do {
            let file = try OpenFile(path: path)
            try file.write(mark.bytes, at: 0)
            try file.synchronize()
            state = Mutex(State(file: file, mark: mark))
        } catch {
            throw JournalError.of(error, at: path)
        }
    }

    /// The mark at a path, whether any file exists there, and whether it is as it was written.
    static func read(_ path: String) throws(JournalError) -> (exists: Bool, mark: JournalMark?, isAsWritten: Bool) {
        guard let status = OpenFile.status(of: path) else { return (false, nil, true) }
        do {
            let bytes = try OpenFile(path: path).read(upTo: JournalMark.length + 1)
            return (true, JournalMark(bytes), status.isAsWritten)
        } catch {
            throw JournalError.of(error, at: path)
        }
    }

    /// The mark that was written last.
    var mark: JournalMark { state.withLock { $0.mark } }

    /// Makes sure that sequences up to this one can be assigned.
    func reserve(through sequence: SequenceNumber) throws(JournalError) {
        try change { mark in
            guard sequence > mark.reserved else { return false }
            mark.reserved = sequence.advanced(by: JournalMark.step)
            return true
        }
    }

    /// Records that sequences up to this one have been assigned.
    ///
    /// If this cannot be written, a loss becomes harder to detect, and nothing else: what was appended is recorded.
    func reached(_ sequence: SequenceNumber) {
        state.withLock { state in
            guard sequence > state.mark.head else { return }
            state.mark.head = sequence
            do {
                try state.file.write(JournalMark.headBytes(sequence), at: JournalMark.headOffset)
            } catch { _ = error }
        }
    }

    /// Whether more is reserved than was assigned.
    var isAhead: Bool { state.withLock { $0.mark.reserved > $0.mark.head } }

    /// Records that something else than a change may be written that the disk does not have.
    func unsettle() throws(JournalError) {
        guard !isAhead else { return }
        try reserve(through: mark.head.next)
    }

    /// Records that the disk has all changes, so that nothing is reserved beyond them.
    func settle() throws(JournalError) {
        try change { mark in
            mark.reserved = mark.head
            return true
        }
    }

    /// Records that the journal was closed normally, and closes the file.
    func close(isInOrder: Bool) throws(JournalError) {
        defer { state.withLock { $0.file.close() } }
        guard isInOrder else { return }
        try change { mark in
            mark.isClosed = true
            mark.reserved = mark.head
            return true
        }
    }

    /// Closes the file unchanged.
    func leave() { state.withLock { $0.file.close() } }

    /// Writes the file again if somebody removed it.
    func check() throws(JournalError) {
        guard !state.withLock({ $0.file.isInPlace }) else { return }
        let path = state.withLock { $0.file.path }
        do {
            let file = try OpenFile(path: path)
            state.withLock { $0.file = file }
        } catch {
            throw JournalError.of(error, at: path)
        }
        try change { _ in true }
    }

    /// Changes the mark and waits until the disk has it, if `body` returns that there is something to write.
    private func change(_ body: (inout JournalMark) -> Bool) throws(JournalError) {
        let failure = state.withLock { state -> JournalError? in
            var mark = state.mark
            guard body(&mark) else { return nil }
            do throws(POSIXError) {
                try state.file.write(mark.bytes, at: 0)
                try state.file.synchronize()
                state.mark = mark
                return nil
            } catch {
                return JournalError.of(error, at: state.file.path)
            }
        }
        if let failure { throw failure }
    }
}
