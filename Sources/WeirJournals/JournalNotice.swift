package import WeirStates

/// An event of a journal that an operator should know about, until they dismiss it.
package struct JournalNotice: Sendable, Hashable, Identifiable, CustomStringConvertible {
    package enum Kind: String, Sendable, CaseIterable {
        /// The file was damaged. It was set aside, and a new history began.
        case damaged
        /// The file was missing or empty. The remaining files were set aside, and a new history began.
        case missing
        /// Changes that had been recorded are gone. The rest continues as a new history.
        case lost
        /// The machine stopped unexpectedly, or the log was removed, so that the newest changes or lines of output may be
        /// gone. The rest continues as a new history.
        case uncertain
        /// The file was copied, restored or replaced. It continues as a new history.
        case unverified
        /// The file was removed or replaced while it was in use, and was restored with everything it held.
        case restored
        /// The list of notices could not be read. It was set aside, and a new one began.
        case forgotten
    }

    /// Letters, digits and hyphens.
    package let id: String
    package let kind: Kind
    /// When the event was detected.
    package let at: Timestamp
    /// The file with the saved remains; nil if nothing was set aside.
    package let file: String?
    /// The first and the last lost sequence, with ``Kind/lost``.
    package let lost: ClosedRange<SequenceNumber>?

    /// The id consists of the kind and the time.
    package init(_ kind: Kind, at moment: Timestamp, file: String? = nil, lost: ClosedRange<SequenceNumber>? = nil) {
        id = "\(kind.rawValue)-\(moment.milliseconds)"
        self.kind = kind
        at = moment
        self.file = file
        self.lost = lost
    }

    /// A message for users, without the folder.
    package var description: String {
        let kept = file.map { " What was left is saved as \($0)." } ?? ""
        return switch kind {
        case .damaged: "The journal was damaged, so a new one was started. Earlier runs are not shown.\(kept)"
        case .missing:
            "The journal's file was missing or empty, so a new one was started. Earlier runs are not shown.\(kept)"
        case .lost:
            "The journal has lost changes \(lost.map { "\($0.lowerBound) to \($0.upperBound)" } ?? "at its end"). "
                + "The rest continues as a new history.\(kept)"
        case .uncertain:
            "The machine stopped unexpectedly, or the journal's log was removed: the newest changes or lines of output may be "
                + "gone. The rest continues as a new history."
        case .unverified:
            "The journal's file, or the mark beside it, was copied, restored, replaced or removed. "
                + "The file's contents continue as a new history.\(kept)"
        case .restored:
            "The journal's files were removed or replaced while the server was running. They were restored, and nothing "
                + "that was recorded is lost."
                + (file.map { " What was found in their place is saved as \($0)." } ?? "")
        case .forgotten: "The list of these notices could not be read, so earlier ones may be missing.\(kept)"
        }
    }

    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(id), "kind": .string(kind.rawValue), "at": .string(at.description),
        ]
        if let file { members["file"] = .string(file) }
        if let lost { members["lost"] = [.integer(lost.lowerBound.rawValue), .integer(lost.upperBound.rawValue)] }
        return .object(members)
    }

    /// Returns nil for anything else, such as a kind of a newer version.
    package init?(json: JSONValue) {
        guard let kind = json["kind"]?.string.flatMap(Kind.init(rawValue:)),
            let at = json["at"]?.string.flatMap({ Timestamp($0) })
        else { return nil }
        let ends = json["lost"]?.array?.compactMap(\.sequenceNumber) ?? []
        self.init(
            kind, at: at, file: json["file"]?.string,
            lost: ends.count == 2 && ends[0] <= ends[1] ? ends[0]...ends[1] : nil)
    }
}
