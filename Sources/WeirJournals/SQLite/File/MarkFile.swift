import Foundation
import Synchronization

/// Maintains the mark of a journal that is open for writing (``JournalMark``).
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

    /// The mark at a path, whether a file exists there, and whether it is unmodified since it was written.
    static func read(_ path: String) throws(JournalError) -> (exists: Bool, mark: JournalMark?, isAsWritten: Bool) {
        guard let status = OpenFile.status(of: path) else { return (false, nil, true) }
        do {
            let bytes = try OpenFile(readingFrom: path).read(upTo: JournalMark.length + 1)
            return (true, JournalMark(bytes), status.isAsWritten)
        } catch {
            throw JournalError.of(error, at: path)
        }
    }

    var mark: JournalMark { state.withLock { $0.mark } }

    /// Reserves the sequences up to this one, before they are assigned.
    func reserve(through sequence: SequenceNumber) throws(JournalError) {
        try change { mark in
            guard sequence > mark.reserved else { return false }
            mark.reserved = sequence.advanced(by: JournalMark.step)
            return true
        }
    }

    func reached(_ sequence: SequenceNumber, writes: Int64) {
        note { mark in
            mark.head = max(mark.head, sequence)
            mark.writes = max(mark.writes, writes)
        }
    }

    /// Records that the file is complete without its log.
    func filed() { note { $0.filed = $0.writes } }

    /// Changes the text after the check.
    ///
    /// A failed write only makes a later loss harder to detect: the append itself is recorded.
    private func note(_ body: (inout JournalMark) -> Void) {
        state.withLock { state in
            body(&state.mark)
            do {
                try state.file.write(state.mark.tail, at: JournalMark.tailOffset)
            } catch { _ = error }
        }
    }

    /// Whether more sequences are reserved than assigned.
    var isAhead: Bool { state.withLock { $0.mark.reserved > $0.mark.head } }

    /// Records that other data than a change may be written without waiting for the disk.
    func unsettle() throws(JournalError) {
        guard !isAhead else { return }
        try reserve(through: mark.head.next)
    }

    /// Records that all changes are on the disk, and ends the reservation.
    func settle() throws(JournalError) {
        try change { mark in
            mark.reserved = mark.head
            mark.filed = mark.writes
            return true
        }
    }

    /// Closes the file, recording a normal close if everything is in order.
    func close(isInOrder: Bool) throws(JournalError) {
        defer { state.withLock { $0.file.close() } }
        guard isInOrder else { return }
        try change { mark in
            mark.isClosed = true
            mark.reserved = mark.head
            mark.filed = mark.writes
            return true
        }
    }

    func leave() { state.withLock { $0.file.close() } }

    /// Closes the file, emptying it if it was moved away, because the file beside it no longer receives writes.
    func renounce() {
        state.withLock { state in
            do {
                if !state.file.isInPlace { try state.file.empty() }
            } catch { _ = error }
            state.file.close()
        }
    }

    /// Writes the file again if it was removed or moved away.
    func check() throws(JournalError) {
        guard !state.withLock({ $0.file.isInPlace }) else { return }
        let path = state.withLock { $0.file.path }
        do {
            let file = try OpenFile(path: path)
            renounce()
            state.withLock { $0.file = file }
        } catch {
            throw JournalError.of(error, at: path)
        }
        try change { _ in true }
    }

    /// Changes the mark and waits for the disk, if `body` returns true.
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
