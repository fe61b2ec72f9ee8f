import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    /// One of two moments: what a comparison shows of it.
    private struct Side {
        let sequence: SequenceNumber
        let at: Timestamp
        let chip: Fields
        let payload: JSONValue
    }

    /// Two moments of a run or a store, for `pages/moments`.
    func momentsPage(_ pair: MomentPair) -> Fields {
        let (first, second, subject, url, kind): (Side, Side, Fields, String, String)
        let choices: [Scrubber.Moment]
        var start: Timestamp?
        switch pair {
        case .run(let one, let other, let newest):
            (first, second) = (side(one), side(other))
            kind = newest.record.operation
            subject = operation(kind)
            url = "\(base)/runs/\(newest.record.id)"
            start = newest.record.startedAt
            choices = newest.transitions.map { state in
                .init(
                    sequence: state.sequence, at: state.at, label: label(of: state.caseName, state.phase, in: kind),
                    tone: state.phase.tone)
            }
        case .store(let one, let other, let newest):
            (first, second) = (side(one), side(other))
            kind = newest.entry.kind
            subject = store(newest.id)
            url = "\(base)/stores/\(newest.id)"
            choices = newest.log.reversed().map { line in
                .init(sequence: line.sequence, at: line.at, label: words(for: line.step, of: newest), tone: "")
            }
        }
        return [
            "subject": subject, "url": url, "action": "\(url)/moments",
            "sides": [fields(of: first, "A", url), fields(of: second, "B", url)],
            "apart": format.duration(abs(second.at - first.at)),
            "difference": difference(first.payload, second.payload, of: kind).merging(["before": "A", "after": "B"]),
            "firsts": options(choices, first, from: start),
            "seconds": options(choices, second, from: start),
            "swapURL": "\(url)/moments?a=\(second.sequence)&b=\(first.sequence)",
        ]
    }

    /// What differs between two payloads, for `partials/difference`.
    func difference(_ first: JSONValue, _ second: JSONValue, of kind: String) -> Fields {
        let values = PayloadValues(format: format, strings: strings, operation: kind)
        let difference = ValueDifference(first, second)
        let text = { (value: JSONValue?) in value.map { String(values.text($0).prefix(300)) } }
        return [
            "hasRows": !difference.rows.isEmpty,
            "rows": difference.rows.map { row -> Fields in
                let path = row.path.map { step in
                    switch step {
                    case .member(let name): values.label(name)
                    case .element(let name): String(name.prefix(80))
                    }
                }
                return [
                    "label": path.isEmpty ? strings[.momentsValue] : path.joined(separator: " \u{203A} "),
                    "first": text(row.first), "second": text(row.second),
                ]
            },
            "omitted": difference.omitted > 0 ? format.integer(Int64(difference.omitted)) : nil,
        ]
    }

    private func side(_ run: RunView) -> Side {
        Side(
            sequence: run.record.sequence, at: run.at, chip: chip(run.record), payload: run.record.state.payload)
    }

    private func side(_ view: StoreView) -> Side {
        Side(
            sequence: view.sequence, at: view.log.first?.at ?? Timestamp(milliseconds: 0),
            chip: storeChip(view.state, of: view.entry), payload: view.state.payload)
    }

    private func fields(of side: Side, _ letter: String, _ url: String) -> Fields {
        ["letter": letter, "chip": side.chip, "at": moment(side.at), "url": "\(url)?at=\(side.sequence)"]
    }

    /// The moments to choose from, with the chosen one among them, oldest first, each by how long after the start it was.
    private func options(_ moments: [Scrubber.Moment], _ chosen: Side, from start: Timestamp?) -> [Fields] {
        var moments = moments
        if !moments.contains(where: { $0.sequence == chosen.sequence }) {
            let place = moments.firstIndex { $0.sequence > chosen.sequence } ?? moments.endIndex
            let label = chosen.chip["word"] as? String ?? ""
            moments.insert(.init(sequence: chosen.sequence, at: chosen.at, label: label, tone: ""), at: place)
        }
        return moments.map { moment in
            let when = start.map { format.duration(moment.at - $0) } ?? CivilTime(moment.at).clock
            return [
                "value": String(moment.sequence), "isChosen": moment.sequence == chosen.sequence,
                "words": "\(when) \u{B7} \(String(moment.label.prefix(80)))",
            ]
        }
    }
}
