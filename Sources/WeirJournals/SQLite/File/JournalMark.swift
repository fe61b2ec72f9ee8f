import WeirStates

/// The state of a journal stored outside its file: a text of fixed length beside it, `journal.sqlite-mark`.
///
/// ```
/// weir journal mark 2
/// epoch 0123456789abc                                 the history the file holds
/// file 00000000000000004711                           the file's number in its file system, which a copy does not have
/// state open                                          open while a process writes, or died doing so; closed otherwise
/// keeps process                                       whether a change outlives the process only, or the machine
/// boot 0b0f6bb0-9bd8-4a3e-8a9d-0d8e6c1d8f4b           which run of the machine wrote last
/// reserved 00000000000000008192                       no sequence beyond has been given out
/// check 8f14e45fceea167a                              over all lines above (FNV-1a, 64 bits)
/// head 00000000000000000042                           the last sequence that has been given out
/// writes 00000000000000000057                         how often the journal has been written
/// filed 00000000000000000050                          how many of these writes the file has without its log
/// ```
///
/// The lines through `check` are on the disk before they take effect: `reserved` is raised in steps, before a
/// sequence beyond it is assigned. The lines below are written after each write and before it is published, without
/// waiting for the disk: they survive the process, and usually the machine. Version 1 had none below `head`.
struct JournalMark: Equatable {
    /// The increment of `reserved`: small enough to reserve little in vain, large enough to cost nothing.
    static let step = 8_192
    /// The offset of the text after the check.
    static let tailOffset = 192
    static let length = tailOffset + 26 + 28 + 27

    private static let title = "weir journal mark "
    private static let bootLength = 40

    var epoch: String
    /// The file's number in its file system.
    var file: UInt64
    var isClosed: Bool
    /// Whether each change waits for the disk.
    var outlivesMachine: Bool
    /// The boot of the machine that wrote last.
    var boot: String
    /// The highest sequence that may have been assigned.
    var reserved: SequenceNumber
    /// The highest sequence known to have been assigned.
    var head: SequenceNumber

    var writes: Int64
    /// The number of writes that the file contains without its log.
    var filed: Int64

    init(
        epoch: String, file: UInt64, isClosed: Bool, outlivesMachine: Bool, boot: String, reserved: SequenceNumber,
        head: SequenceNumber, writes: Int64 = 0, filed: Int64 = 0
    ) {
        self.epoch = epoch
        self.file = file
        self.isClosed = isClosed
        self.outlivesMachine = outlivesMachine
        self.boot = String(boot.filter { $0.isASCII && !$0.isWhitespace }.prefix(Self.bootLength))
        self.reserved = reserved
        self.head = head
        self.writes = writes
        self.filed = filed
    }

    /// Parses a text; nil if it is incomplete.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.length else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        var values: [Substring: String] = [:]
        for line in lines.dropFirst() {
            let words = line.split(separator: " ")
            guard let name = words.first else { return nil }
            values[name] = words.dropFirst().first.map(String.init) ?? ""
        }
        guard let epoch = values["epoch"], let file = values["file"].flatMap({ UInt64($0) }),
            let reserved = Self.sequence(values["reserved"]), let head = Self.sequence(values["head"])
        else { return nil }
        self.init(
            epoch: epoch, file: file, isClosed: values["state"] == "closed",
            outlivesMachine: values["keeps"] == "machine", boot: values["boot"] ?? "", reserved: reserved, head: head,
            writes: values["writes"].flatMap { Int64($0) } ?? 0, filed: values["filed"].flatMap { Int64($0) } ?? 0)
        guard bytes == self.bytes || bytes == text(version: 1) else { return nil }
    }

    var bytes: [UInt8] { text(version: 2) }

    /// The text after the check.
    var tail: [UInt8] {
        Array(
            "head \(Self.digits(head.rawValue))\nwrites \(Self.digits(writes))\nfiled \(Self.digits(filed))\n".utf8)
    }

    private func text(version: Int) -> [UInt8] {
        let fields = [
            ("epoch", Self.padded(epoch, 13)), ("file", Self.digits(file)),
            ("state", isClosed ? "closed" : "open  "), ("keeps", outlivesMachine ? "machine" : "process"),
            ("boot", Self.padded(boot, Self.bootLength)), ("reserved", Self.digits(reserved.rawValue)),
        ]
        let text = fields.reduce(Self.title + "\(version)\n") { $0 + "\($1.0) \($1.1)\n" }
        let check = String(StableHash(text.utf8).value, radix: 16)
        let zeros = String(repeating: "0", count: 16 - check.count)
        let checked = Array("\(text)check \(zeros)\(check)\n".utf8)
        return checked + (version == 1 ? Array("head \(Self.digits(head.rawValue))\n".utf8) : tail)
    }

    private static func sequence(_ digits: String?) -> SequenceNumber? {
        digits.flatMap { Int64($0) }.flatMap { SequenceNumber(exactly: $0) }
    }

    private static func digits(_ number: some BinaryInteger) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 20 - digits.count)) + digits
    }

    private static func padded(_ text: String, _ count: Int) -> String {
        text + String(repeating: " ", count: max(0, count - text.count))
    }
}

/// Compares a journal's file with its mark, to decide whether its history can continue; pure.
struct HistoryCheck {
    /// The contents of the file.
    struct Held: Equatable {
        let epoch: String
        let head: SequenceNumber
        let writes: Int64
        /// The number of writes that the file contains without its log; nil if that cannot be read.
        let filed: Int64?
        /// The file's number in its file system.
        let file: UInt64
        /// Whether a version that keeps marks has written it.
        let isMarked: Bool
    }

    enum Outcome: Equatable {
        /// Complete: the history continues.
        case whole
        /// These changes were published and are lost.
        case lost(ClosedRange<SequenceNumber>)
        /// Published changes may be lost.
        case uncertain
        /// The file may not be the one that was written last.
        case unverified
    }

    let held: Held
    let mark: JournalMark?
    let boot: String
    /// Whether another program wrote the file while it was in use.
    var isAltered = false
    /// Whether the mark is unmodified since it was written.
    var isAsWritten = true

    /// Whether an older copy has replaced the file, to which the log beside it does not belong.
    ///
    /// SQLite applies a log whose frames are intact, even if it was written for another file.
    var isOlder: Bool {
        guard let mark, let filed = held.filed else { return false }
        return mark.epoch == held.epoch && filed < mark.filed
    }

    /// Whether the file is a copy, or an older state that was put back, rather than the file that was written last.
    ///
    /// A loss after a power cut is not one: the file is then the same, and the mark is of an earlier boot.
    var isCopy: Bool {
        switch outcome {
        case .whole, .uncertain: false
        case .lost: isOlder || (mark?.boot == boot && !boot.isEmpty)
        case .unverified: !isAltered
        }
    }

    /// The state of the history.
    ///
    /// Unless it is complete, a published sequence could be assigned again, so the journal continues under a new
    /// epoch.
    var outcome: Outcome {
        guard let mark else { return held.isMarked ? .unverified : .whole }
        guard mark.epoch == held.epoch else { return .unverified }
        if held.head < mark.head { return .lost(held.head.next...mark.head) }
        guard mark.file == held.file, isAsWritten, !isAltered else { return .unverified }
        if isOlder { return .unverified }
        // Writes other than changes, such as lines of output.
        if held.writes < mark.writes { return .uncertain }
        // A program that does not keep the mark has written the file.
        if mark.isClosed || held.head > mark.reserved { return held.head == mark.head ? .whole : .unverified }
        // Only the process ended: the system has written its data to the disk.
        if mark.boot == boot, !boot.isEmpty { return .whole }
        return mark.outlivesMachine || held.head >= mark.reserved ? .whole : .uncertain
    }
}
