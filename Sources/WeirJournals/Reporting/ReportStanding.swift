import WeirStates

/// The state of a report's run and producer before the report is recorded, and the decision that follows from it.
///
/// Pure: every journal applies these rules.
///
/// States and lines are stored separately and merged by time, states before lines. Times within a run therefore never
/// decrease, and a state that follows a line is at least a millisecond later.
package struct ReportStanding: Sendable {
    package enum Decision: Sendable {
        /// Answer without recording anything.
        case answer(ReportReceipt.Outcome)
        case record(changes: [ChangeDraft], lines: [OutputDraft], producer: ProducerState?)
    }

    package var record: RunRecord?
    /// Whether retention has removed a reported run with this id.
    package var wasRemoved = false
    package var lines = SequenceNumber.zero
    package var lastLineAt: Timestamp?
    package var producer: ProducerState?
    package var producers = 0

    package init() {}

    package var place: ReportPlace? { record.map { ReportPlace(sequence: $0.sequence, line: lines) } }

    /// Decides about a report that arrives at a moment.
    package func decision(on report: Report, at now: Timestamp) -> Decision {
        if let opening = report.opening { return opened(report, opening, at: now) }
        guard let record, record.operation == report.operation, record.isReportedHere,
            report.reporter == nil || report.reporter == record.opening.actor
        else { return .answer(wasRemoved ? .removedRun : .unknownRun) }
        if let stamp = report.producer {
            if let outcome = refusal(of: stamp, by: record) { return .answer(outcome) }
        } else if record.endedAt != nil {
            return .answer(report.isEnding && report.entries.isEmpty && !report.hasEndState ? .known : .ended)
        }
        return recorded(report, after: record, at: now)
    }

    /// The reason to refuse a producer's request; nil to accept it.
    private func refusal(of stamp: ProducerStamp, by record: RunRecord) -> ReportReceipt.Outcome? {
        let decision = ProducerState.decision(on: stamp, after: producer)
        if decision == .fenced { return .fenced(epoch: producer?.epoch ?? .zero) }
        if record.endedAt != nil { return producer?.closed(by: stamp) == true ? .known : .ended }
        switch decision {
        case .known: return .known
        case .gap(let expected): return .gap(expected: expected)
        case .badBeginning: return .badBeginning
        case .fenced: return .fenced(epoch: producer?.epoch ?? .zero)
        case .next: return producer == nil && producers >= ProducerState.limit ? .tooManyProducers : nil
        }
    }

    private func opened(_ report: Report, _ opening: RunOpening, at now: Timestamp) -> Decision {
        guard let record else {
            guard !wasRemoved else { return .answer(.removedRun) }
            let begun = report.moment(of: 0, arrival: now)
            let first = ChangeDraft(
                stream: .run(report.run), subject: report.operation, revision: 0, at: begun,
                state: StateRecord(caseName: "opened", phase: .active).received(now, happened: begun),
                isTransition: true, opening: opening)
            guard report.isEnding else { return .record(changes: [first], lines: [], producer: nil) }
            let end = ChangeDraft(
                stream: .run(report.run), subject: report.operation, revision: 1, at: now,
                state: report.endState(after: first.state), isTransition: true, cause: report.cause)
            return .record(changes: [first, end], lines: [], producer: nil)
        }
        let isSame =
            record.isReportedHere && record.operation == report.operation && record.opening.actor == opening.actor
            && record.opening.input == opening.input && record.opening.report == opening.report
            && (record.endedAt != nil) == report.isEnding
        return .answer(isSame ? .known : .conflict)
    }

    private func recorded(_ report: Report, after record: RunRecord, at now: Timestamp) -> Decision {
        var changes: [ChangeDraft] = []
        var lines: [OutputDraft] = []
        var (state, changedAt, lineAt) = (record.state, record.changedAt, lastLineAt)
        func add(_ next: StateRecord, of entry: Int, cause: String? = nil) {
            let happened = report.moment(of: entry, arrival: now)
            changedAt = max(happened, changedAt, lineAt?.after(1) ?? happened)
            let next = next.received(now, happened: changedAt)
            let isTransition = next.caseName != state.caseName || next.phase != state.phase
            let revision = record.revision.addingReportingOverflow(Int64(changes.count) + 1).partialValue
            changes.append(
                ChangeDraft(
                    stream: .run(report.run), subject: report.operation, revision: revision, at: changedAt,
                    state: next, isTransition: isTransition, cause: cause))
            state = next
        }
        for (place, entry) in report.entries.enumerated() {
            switch entry {
            case .state(let next): add(next, of: place)
            case .line(let text, let channel, let continues):
                let happened = report.moment(of: place, arrival: now)
                let at = max(happened, changedAt, lineAt ?? happened)
                lines += OutputDraft.pieces(of: text, at: at, channel: channel, continues: continues)
                lineAt = at
            }
        }
        if report.isEnding {
            add(report.endState(after: state), of: report.entries.count, cause: report.cause)
        }
        let producer = report.producer.map {
            ProducerState(epoch: $0.epoch, number: $0.number, hasClosed: report.isEnding)
        }
        return .record(changes: changes, lines: lines, producer: producer)
    }
}

extension StateRecord {
    /// The delay, in milliseconds, from which a report is late.
    private static var late: Int64 { 1_000 }

    /// The state with the time of its arrival beside its own, if it arrived late.
    fileprivate func received(_ arrival: Timestamp, happened: Timestamp) -> StateRecord {
        guard arrival - happened >= Self.late, var members = payload.object, members["receivedAt"] == nil else {
            return self
        }
        members["receivedAt"] = .string(arrival.description)
        return StateRecord(caseName: caseName, payload: .object(members), phase: phase, progress: progress)
    }
}

extension RunRecord {
    /// Whether a program elsewhere executed and reported the run, to this journal or to the one it was imported from.
    package var isReported: Bool { opening.report != nil }

    /// Whether a program elsewhere executes the run and reports it to this journal.
    package var isReportedHere: Bool { isReported && origin == nil }
}

extension Report {
    fileprivate var hasEndState: Bool {
        if case .closed(.some) = ending { true } else { false }
    }

    fileprivate var cause: String? {
        switch ending {
        case .none, .closed: nil
        case .cancelled(let cause), .interrupted(let cause): cause.description
        }
    }

    fileprivate func endState(after last: StateRecord) -> StateRecord {
        let ended = { (name: String, phase: Phase) in
            StateRecord(caseName: name, payload: ["last": .string(last.caseName)], phase: phase)
        }
        switch ending {
        case .closed(let state?) where state.phase.isEnded: return state
        case .closed, .none: return ended("succeeded", .succeeded)
        case .cancelled: return ended("cancelled", .cancelled)
        case .interrupted: return ended("interrupted", .interrupted)
        }
    }
}

extension ReportStanding {
    package func receipt(_ outcome: ReportReceipt.Outcome, of report: Report) -> ReportReceipt {
        switch outcome {
        // Reveals nothing about a run of another reporter.
        case .unknownRun, .removedRun, .conflict: return ReportReceipt(outcome)
        case .taken, .known, .ended, .fenced, .gap, .badBeginning, .tooManyProducers:
            return ReportReceipt(
                outcome, place: place, isEnded: record?.endedAt != nil, producer: stamp(producer, of: report))
        }
    }

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
    /// Numbers recorded drafts, given the number of the last one.
    package static func numbered(_ drafts: [OutputDraft], through last: SequenceNumber) -> [OutputLine] {
        let first = last.advanced(by: -drafts.count)
        return drafts.enumerated().map { OutputLine(number: first.advanced(by: $0.offset).next, draft: $0.element) }
    }
}
