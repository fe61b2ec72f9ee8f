package import WeirJournals

/// Messages of a reported run in the order in which they were sent.
package struct ReportedMessages: Sendable {
    /// One message.
    package enum Message: Sendable, Hashable {
        /// The run was opened, or entered a state.
        case change(Change)
        /// The run printed this line; one that was longer than a line may be is several messages.
        case line(OutputLine)
    }

    /// The run as it stood.
    package let record: RunRecord
    /// How many lines it had.
    package let lines: SequenceNumber
    /// The messages, oldest first.
    package let messages: [Message]
    /// Where the next ones begin.
    package let next: ReportPlace

    /// Whether more follow already.
    package var more: Bool { next.sequence < record.sequence || next.line < lines }

    /// Merges changes and lines that follow a place, of each without gaps; what is not certain to come next stays out.
    ///
    /// Of a line beyond `head` it is not known which changes came before it.
    init(
        record: RunRecord, lines head: SequenceNumber, after place: ReportPlace, changes: [Change],
        newLines: [OutputLine]
    ) {
        var messages: [Message] = []
        var (changes, lines) = (changes[...], newLines[...])
        var (sequence, line) = (place.sequence, place.line)
        while true {
            // One list may end before what there is: then it is not known what comes next.
            let isChangeUnknown = changes.isEmpty && sequence < record.sequence
            let isLineUnknown = lines.isEmpty && line < head
            if isChangeUnknown || isLineUnknown { break }
            if let change = changes.first, lines.first.map({ change.at <= $0.at }) ?? true {
                messages.append(.change(change))
                sequence = change.sequence
                changes.removeFirst()
            } else if let next = lines.first, next.number <= head {
                messages.append(.line(next))
                line = next.number
                lines.removeFirst()
            } else {
                break
            }
        }
        self.record = record
        self.lines = head
        self.messages = messages
        next = ReportPlace(sequence: sequence, line: line)
    }
}
