import Journals

extension PageWriter {
    /// How many pieces a strip has at most; what is shorter than its share is drawn with its neighbour.
    static var stripPieces: Int64 { 120 }

    /// The scrubber of a page, for `partials/scrubber`.
    func scrubber(_ scrubber: Scrubber) -> Fields {
        let position = scrubber.position
        let ruler = Ruler(scrubber)
        let value = position.map { ruler.place($0) } ?? ruler.length
        let first = scrubber.first ?? scrubber.moments.first?.sequence
        let isFirst = position.map { $0.previous == nil } ?? (first == nil)
        let at = { (sequence: SequenceNumber) in "\(scrubber.url)?at=\(sequence)" }
        let previous = position.map { $0.previous.map(at) } ?? "\(scrubber.url)?at=previous"
        let label = scrubber.moments.last { $0.sequence <= position?.sequence ?? .max }
        return [
            "isEmpty": scrubber.moments.isEmpty, "url": scrubber.url, "run": scrubber.run, "isPast": position != nil,
            "steps": [
                step(.scrubFirst, isFirst ? nil : first.map(at)),
                step(.scrubPrevious, isFirst ? nil : previous),
                step(.scrubNext, position?.next.map(at)),
                step(.scrubLast, position == nil ? nil : scrubber.url),
            ],
            "strip": [
                "origin": String(ruler.start), "length": String(max(ruler.length, 1)),
                "pieces": pieces(scrubber.moments, ruler),
            ] as Fields,
            "name": scrubber.scale == .time ? "offset" : "at",
            "minimum": String(ruler.start), "maximum": String(ruler.start + ruler.length),
            "value": String(ruler.start + value), "valueText": label.map { words(for: $0, position) },
            "moment": position.map { moment($0.at) }, "note": position?.note,
            "what": label.map { ["word": $0.label, "tone": $0.tone] as Fields },
            "offset": position.flatMap { offset(of: $0, in: scrubber) },
            "place": (position?.place).map { place -> Fields in
                ["number": format.integer(place.number), "count": format.integer(place.count)]
            },
        ]
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

    /// How long after the beginning of the strip, where it is one of time.
    private func offset(of position: Scrubber.Position, in scrubber: Scrubber) -> String? {
        guard scrubber.scale == .time, let first = scrubber.moments.first else { return nil }
        return format.duration(position.at - first.at)
    }

    private func pieces(_ moments: [Scrubber.Moment], _ ruler: Ruler) -> [Fields] {
        let least = moments.count > Int(Self.stripPieces) ? max(ruler.length / Self.stripPieces, 1) : 0
        var shown: [(moment: Scrubber.Moment, x: Int64)] = []
        for moment in moments {
            let x = ruler.place(moment)
            if let last = shown.last, x - last.x < least { continue }
            shown.append((moment, x))
        }
        let ends = shown.dropFirst().map(\.x) + [ruler.length]
        return zip(shown, ends).map { piece, end in
            [
                "pieceID": "scrub-\(piece.moment.sequence)", "x": String(ruler.start + piece.x),
                "width": String(max(end - piece.x, 0)), "tone": piece.moment.tone,
                "label": piece.moment.label,
                "isOpen": end == ruler.length && ruler.isOpen && piece.x == shown.last?.x,
            ]
        }
    }
}
