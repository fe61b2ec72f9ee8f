import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    /// The page of a past moment: its content, and the scrubber at that moment.
    ///
    /// - Parameters:
    ///   - past: The moment.
    ///   - ahead: The requested change, if it does not exist yet.
    ///   - frame: The request.
    /// - Returns: The page's element.
    func region(_ past: PastContent, ahead: SequenceNumber?, frame: PageFrame) -> TrustedHTML {
        let position = position(past, note: ahead.map { strings(.scrubAhead, ["n": format.integer($0)]) })
        var fields: Fields
        let template: String
        switch past {
        case .operation(let moment):
            template = "pages/operation"
            fields = operationPage(moment.operation, draft: nil)
            fields["scrubber"] = scrubber(
                operation: moment.operation.id, moment.newest, position, isByTime: frame.isByTime)
        case .run(let moment):
            template = "pages/run"
            fields = runPage(moment.run)
            fields["scrubber"] = scrubber(run: moment.newest, position, isByTime: frame.isByTime)
        }
        fields["isPast"] = true
        fields["hasMistakes"] = false
        fields["apiURL"] = (fields["apiURL"] as? String).map { "\($0)?at=\(position.sequence)" }
        return region(template, fields, title: title(past.content), frame: frame)
    }

    private func position(_ past: PastContent, note: String?) -> Scrubber.Position {
        let frame = past.pastMoment
        var position = Scrubber.Position(sequence: frame.sequence, at: frame.at, note: note)
        switch past {
        case .operation(let moment):
            (position.previous, position.next) = (moment.previous, moment.next)
        case .run(let moment):
            (position.previous, position.next) = (moment.previous, moment.next)
            position.place = (moment.run.record.revision + 1, moment.newest.record.revision + 1)
        }
        return position
    }

    func scrubber(run: RunView, _ position: Scrubber.Position? = nil, isByTime: Bool = false) -> TrustedHTML {
        var strip = strip(run, url: "\(base)/runs/\(run.record.id)", position)
        strip.isByTime = isByTime
        return render("partials/scrubber", scrubber(strip))
    }

    /// The scrubber of an operation's page, which covers the run that is newest there.
    func scrubber(
        operation: String, _ run: RunView?, _ position: Scrubber.Position? = nil, isByTime: Bool = false
    ) -> TrustedHTML {
        let url = "\(base)/operations/\(operation)"
        var strip =
            run.map { self.strip($0, url: url, position) } ?? Scrubber(url: url, moments: [], position: position)
        strip.run = run?.record.id
        strip.isByTime = isByTime
        return render("partials/scrubber", scrubber(strip))
    }

    /// The length of a run's strip, which grows in steps.
    func stripLength(_ run: RunView) -> Int64 { Ruler(strip(run, url: "", nil), .time).length }

    private func strip(_ run: RunView, url: String, _ position: Scrubber.Position?) -> Scrubber {
        let record = run.record
        var moments = run.transitions.map { state in
            Scrubber.Moment(
                sequence: state.sequence, at: state.at,
                label: label(of: state.caseName, state.phase, in: record.operation),
                tone: state.phase.tone)
        }
        if run.omittedTransitions > 0 {
            let words = strings(.scrubOmitted, ["n": format.integer(Int64(run.omittedTransitions))])
            moments.insert(
                .init(sequence: record.openedSequence, at: record.startedAt, label: words, tone: "idle"), at: 0)
        }
        return Scrubber(url: url, moments: moments, end: record.endedAt, latest: run.at, position: position)
    }
}

extension PageWriter {
    struct StorePast {
        let latest: StoreView
        let next: SequenceNumber?
    }

    func storeScrubber(_ view: StoreView, past: StorePast?) -> Fields {
        // A moment that the current log no longer contains is shown among the changes before it.
        let known = past?.latest.log ?? view.log
        let lines = known.contains { $0.sequence == view.sequence } ? known : view.log
        return scrubber(
            Scrubber(
                url: "\(base)/stores/\(view.id)",
                moments: lines.reversed().map { line in
                    Scrubber.Moment(
                        sequence: line.sequence, at: line.at, label: words(for: line.step, of: view),
                        tone: line.phase.tone)
                },
                scale: .changes, head: (lines.first?.sequence).map(\.next),
                position: past.flatMap { position(view, $0) }))
    }

    private func position(_ view: StoreView, _ past: StorePast) -> Scrubber.Position? {
        guard let line = view.log.first else { return nil }
        return Scrubber.Position(
            sequence: line.sequence, at: line.at, place: (line.revision + 1, past.latest.revision + 1),
            previous: view.log.dropFirst().first?.sequence, next: past.next)
    }
}
