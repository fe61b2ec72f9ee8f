extension ReportStanding {
    /// The receipt of a report that is not recorded.
    package func receipt(_ outcome: ReportReceipt.Outcome, of report: Report) -> ReportReceipt {
        switch outcome {
        // Of a run that is not the reporter's nothing is said.
        case .unknownRun, .removedRun, .conflict: return ReportReceipt(outcome)
        case .taken, .known, .ended, .fenced, .gap, .badBeginning, .tooManyProducers:
            return ReportReceipt(
                outcome, place: place, isEnded: record?.endedAt != nil, producer: stamp(producer, of: report))
        }
    }

    /// The receipt of a report that was recorded.
    package func receipt(
        of report: Report, changes: [Change], lines: [OutputLine], producer: ProducerState?
    ) -> ReportReceipt {
        ReportReceipt(
            .taken, changes: changes, lines: lines,
            place: ReportPlace(
                sequence: changes.last?.sequence ?? record?.sequence ?? .zero, line: lines.last?.number ?? self.lines),
            isEnded: report.isEnding, producer: stamp(producer, of: report))
    }

    private func stamp(_ state: ProducerState?, of report: Report) -> ProducerStamp? {
        guard let state, let id = report.producer?.id else { return nil }
        return ProducerStamp(id: id, epoch: state.epoch, number: state.number)
    }
}

extension OutputLine {
    /// Drafts that were recorded, of which the last got that number.
    package static func numbered(_ drafts: [OutputDraft], through last: SequenceNumber) -> [OutputLine] {
        let first = last.advanced(by: -drafts.count)
        return drafts.enumerated().map { OutputLine(number: first.advanced(by: $0.offset).next, draft: $0.element) }
    }
}
