import WeirJournals

extension PageWriter {
    /// The maximum number of segments of a strip; shorter moments are merged into the previous segment.
    static var stripPieces: Int64 { 120 }

    /// The reciprocal of the minimum share of a strip for the state in which a run ended.
    private static var endShare: Int64 { 50 }

    func scrubber(_ scrubber: Scrubber) -> Fields {
        let position = scrubber.position
        // By steps first, because idle time hides no states there; a scale of changes already is one of steps.
        let scales: [Scrubber.Scale] = scrubber.scale == .time ? [.steps, .time] : [scrubber.scale]
        let by = scrubber.isByTime ? "&by=time" : ""
        let first = scrubber.first ?? scrubber.moments.first?.sequence
        let isFirst = position.map { $0.previous == nil } ?? (first == nil)
        let at = { (sequence: SequenceNumber) in "\(scrubber.url)?at=\(sequence)\(by)" }
        let previous = position.map { $0.previous.map(at) } ?? "\(scrubber.url)?at=previous\(by)"
        let label = scrubber.moments.last { $0.sequence <= position?.sequence ?? .max }
        return [
            "isEmpty": scrubber.moments.isEmpty, "url": scrubber.url, "run": scrubber.run, "isPast": position != nil,
            "steps": [
                step(.scrubFirst, isFirst ? nil : first.map(at)),
                step(.scrubPrevious, isFirst ? nil : previous),
                step(.scrubNext, position?.next.map(at)),
                step(.scrubLast, position == nil ? nil : scrubber.url),
            ],
            "tracks": scales.map {
                track(scrubber, $0).merging(["valueText": label.map { words(for: $0, position) }])
            },
            "compareURL": scrubber.run == nil ? position.map { "\(scrubber.url)/moments?a=\($0.sequence)" } : nil,
            "hasScales": scales.count > 1, "isByTime": scrubber.isByTime,
            "moment": position.map { moment($0.at) }, "note": position?.note,
            "what": label.map { ["word": $0.label, "tone": $0.tone] as Fields },
            "offset": position.flatMap { offset(of: $0, in: scrubber) },
            "place": (position?.place).map { place -> Fields in
                ["number": format.integer(place.number), "count": format.integer(place.count)]
            },
        ]
    }

    private func track(_ scrubber: Scrubber, _ scale: Scrubber.Scale) -> Fields {
        let ruler = Ruler(scrubber, scale)
        let value = scrubber.position.map { ruler.place($0) } ?? ruler.length
        let (trackID, name) =
            switch scale {
            case .steps: ("scrub", "step")
            case .time: ("scrub-time", "offset")
            case .changes: ("scrub", "at")
            }
        let isPartial = scale == .steps && scrubber.moments.count > Self.stripLabels
        return [
            "trackID": trackID, "name": name, "isSteps": scale == .steps, "isTime": scale == .time,
            "strip": [
                "origin": String(ruler.start), "length": String(max(ruler.length, 1)),
                "pieces": pieces(scrubber.moments, ruler, id: trackID, isNamed: scale == .steps && !isPartial),
            ] as Fields,
            "minimum": String(ruler.start), "maximum": String(ruler.start + ruler.length),
            "value": String(ruler.start + value), "labels": labels(scrubber, scale, ruler, id: trackID),
            "isPartial": isPartial,
        ]
    }

    /// The maximum number of named states below a strip by steps; if there are more, only the first and last are named.
    private static var stripLabels: Int { 12 }

    private func labels(_ scrubber: Scrubber, _ scale: Scrubber.Scale, _ ruler: Ruler, id: String) -> [Fields] {
        switch scale {
        case .steps:
            let moments = scrubber.moments
            let shown = moments.count > Self.stripLabels ? [moments.first, moments.last].compactMap { $0 } : moments
            return shown.map { ["words": $0.label, "labelID": "\(id)-l\($0.sequence)"] }
        case .time where ruler.isOpen:
            // The length is that of the last change, and nothing changes while a run waits.
            return [format.duration(0), "", strings[.now]].enumerated().map { place, words in
                ["words": words, "labelID": "\(id)-l\(place)"]
            }
        case .time:
            return [0, ruler.length / 2, ruler.length].enumerated().map { place, length in
                ["words": format.duration(length), "labelID": "\(id)-l\(place)"]
            }
        case .changes:
            return []
        }
    }

    private func step(_ key: StringKey, _ url: String?) -> Fields {
        let shapes: [StringKey: String] = [
            .scrubFirst: "M2 2h2.4v12H2zM14 2v12L5.4 8z", .scrubPrevious: "M12.5 2v12L3.5 8z",
            .scrubNext: "M3.5 2v12l9-6z", .scrubLast: "M11.6 2H14v12h-2.4zM2 2v12l8.6-6z",
        ]
        let name = key.rawValue.split(separator: ".").last.map(String.init) ?? ""
        return ["name": name, "label": strings[key], "leads": url, "shape": shapes[key]]
    }

    private func words(for moment: Scrubber.Moment, _ position: Scrubber.Position?) -> String {
        guard let position else { return moment.label }
        let place = position.place.map { ", \(format.integer($0.number)) / \(format.integer($0.count))" } ?? ""
        return "\(moment.label)\(place), \(CivilTime(position.at).clock)"
    }

    private func offset(of position: Scrubber.Position, in scrubber: Scrubber) -> String? {
        guard scrubber.scale == .time, let first = scrubber.moments.first else { return nil }
        return format.duration(position.at - first.at)
    }

    private func pieces(_ moments: [Scrubber.Moment], _ ruler: Ruler, id: String, isNamed: Bool) -> [Fields] {
        let least = moments.count > Int(Self.stripPieces) ? max(ruler.length / Self.stripPieces, 1) : 0
        var shown: [(moment: Scrubber.Moment, x: Int64)] = []
        for moment in moments {
            let x = ruler.place(moment)
            if let last = shown.last, x - last.x < least { continue }
            shown.append((moment, x))
        }
        // The final state has no duration, but must be visible.
        if !ruler.isOpen, shown.count > 1, let last = shown.popLast() {
            shown.append((last.moment, min(last.x, ruler.length - ruler.length / Self.endShare)))
        }
        let ends = shown.dropFirst().map(\.x) + [ruler.length]
        return zip(shown, ends).map { piece, end in
            [
                "pieceID": "\(id)-\(piece.moment.sequence)", "x": String(ruler.start + piece.x),
                "width": String(max(end - piece.x, 0)), "tone": piece.moment.tone,
                // Segments named below the strip need no label of their own.
                "label": isNamed ? nil : piece.moment.label,
                "isOpen": end == ruler.length && ruler.isOpen && piece.x == shown.last?.x,
            ]
        }
    }
}
