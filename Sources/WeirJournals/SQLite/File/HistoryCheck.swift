/// Compares a journal's file with the mark beside it, to decide whether its history can continue.
///
/// Pure.
struct HistoryCheck {
    /// What the file says about itself.
    struct Held: Equatable {
        let epoch: String
        let head: SequenceNumber
        /// How often it was written.
        let writes: Int64
        /// How many of these writes it has without its log; nil if that cannot be read.
        let filed: Int64?
        /// The file's number in its file system.
        let file: UInt64
        /// Whether it was written by a version that keeps marks.
        let isMarked: Bool
    }

    /// The state of the history.
    enum Outcome: Equatable {
        /// It is complete, and continues.
        case whole
        /// These changes have been shown, and are gone.
        case lost(ClosedRange<SequenceNumber>)
        /// Changes that have been shown may be gone.
        case uncertain
        /// It is unknown whether the file is the one that was written last.
        case unverified
    }

    let held: Held
    let mark: JournalMark?
    /// The current boot of the machine.
    let boot: String
    /// Whether another program wrote the file while it was in use.
    var isAltered = false
    /// Whether nobody has touched the mark since it was written.
    var isAsWritten = true

    /// Whether an older copy took the file's place, to which the log beside it does not belong.
    ///
    /// SQLite takes up a log whose parts are whole, whichever file it was written for.
    var isOlder: Bool {
        guard let mark, let filed = held.filed else { return false }
        return mark.epoch == held.epoch && filed < mark.filed
    }

    /// The state of the history.
    ///
    /// If it is not complete, a sequence that was shown might be used for another change, so it continues under a new
    /// epoch.
    var outcome: Outcome {
        guard let mark else { return held.isMarked ? .unverified : .whole }
        guard mark.epoch == held.epoch else { return .unverified }
        if held.head < mark.head { return .lost(held.head.next...mark.head) }
        guard mark.file == held.file, isAsWritten, !isAltered else { return .unverified }
        if isOlder { return .unverified }
        // What was written besides changes, such as lines of output.
        if held.writes < mark.writes { return .uncertain }
        // It was written by a program that does not keep the mark.
        if mark.isClosed || held.head > mark.reserved { return held.head == mark.head ? .whole : .unverified }
        // Only the process died: the system wrote to the disk what the process had written.
        if mark.boot == boot, !boot.isEmpty { return .whole }
        return mark.outlivesMachine || held.head >= mark.reserved ? .whole : .uncertain
    }
}
