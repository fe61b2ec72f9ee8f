import Boards
import Journals

extension PageWriter {
    /// A page of the past: what was live then, and the scrubber that stands there.
    ///
    /// - Parameters:
    ///   - past: The moment.
    ///   - ahead: The change that was asked for, if there is none of that number yet.
    ///   - frame: The request.
    /// - Returns: The page's own element.
    func region(_ past: PastContent, ahead: Int64?, frame: PageFrame) -> Markup {
        let standing = standing(past, note: ahead.map { strings(.scrubAhead, ["n": format.integer($0)]) })
        var fields: Fields
        let template: String
        switch past {
        case .operation(let moment):
            template = "pages/operation"
            fields = operationPage(moment.operation, draft: nil)
            fields["scrubber"] = scrubber(operation: moment.operation.id, moment.newest, standing)
        case .run(let moment):
            template = "pages/run"
            fields = runPage(moment.run)
            fields["scrubber"] = scrubber(run: moment.newest, standing)
        }
        fields["isPast"] = true
        fields["apiURL"] = (fields["apiURL"] as? String).map { "\($0)?at=\(standing.sequence)" }
        return region(template, fields, title: title(past.content), frame: frame)
    }

    private func standing(_ past: PastContent, note: String?) -> Scrubber.Standing {
        let frame = past.standing
        var standing = Scrubber.Standing(sequence: frame.sequence, at: frame.at, note: note)
        switch past {
        case .operation(let moment):
            (standing.previous, standing.next) = (moment.previous, moment.next)
        case .run(let moment):
            (standing.previous, standing.next) = (moment.previous, moment.next)
            standing.place = (moment.run.record.revision + 1, moment.newest.record.revision + 1)
        }
        return standing
    }

    /// The scrubber of a run's page.
    func scrubber(run: RunView, _ standing: Scrubber.Standing? = nil) -> Markup {
        let url = "\(base)/runs/\(run.record.id)"
        return render("partials/scrubber", scrubber(strip(run, url: url, standing)))
    }

    /// The scrubber of an operation's page, which shows the run that is its newest there.
    func scrubber(operation: String, _ run: RunView?, _ standing: Scrubber.Standing? = nil) -> Markup {
        let url = "\(base)/operations/\(operation)"
        var strip =
            run.map { self.strip($0, url: url, standing) } ?? Scrubber(url: url, moments: [], standing: standing)
        strip.run = run?.record.id
        return render("partials/scrubber", scrubber(strip))
    }

    /// How long the strip of a run is, which stays so for a while.
    func stripLength(_ run: RunView) -> Int64 { Ruler(strip(run, url: "", nil)).length }

    private func strip(_ run: RunView, url: String, _ standing: Scrubber.Standing?) -> Scrubber {
        let record = run.record
        var moments = run.transitions.map { state in
            Scrubber.Moment(
                sequence: state.sequence, at: state.at, label: label(of: state.caseName, in: record.operation),
                tone: state.phase.tone)
        }
        if run.omittedTransitions > 0 {
            let words = strings(.scrubOmitted, ["n": format.integer(Int64(run.omittedTransitions))])
            moments.insert(
                .init(sequence: record.openedSequence, at: record.startedAt, label: words, tone: "idle"), at: 0)
        }
        return Scrubber(url: url, moments: moments, end: record.endedAt, latest: run.at, standing: standing)
    }
}
