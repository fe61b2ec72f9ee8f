import WeirJournals

/// A document with places for what differs between requests, so that one rendering serves many.
///
/// The places are the server's time and the requester's names; everything else is equal for one audience within one second.
package struct PageDocument: Sendable {
    /// A value that differs between requests.
    package enum Place: String, Sendable, CaseIterable {
        /// The server's time, by which a browser corrects its own.
        case clock
        /// The name under which the viewer's actions are recorded.
        case viewer
        /// The other viewers of the page, as markup.
        case others
        case account
    }

    package enum Piece: Sendable, Hashable {
        case markup(String)
        /// A place, filled with the result of `markup(of:in:)`.
        case place(Place)
    }

    package let pieces: [Piece]

    /// Splits a document that was rendered with marks at the places.
    init(marked html: String) {
        var pieces: [Piece] = []
        var rest = html[...]
        var unread = html.utf8[...]
        // Searches for the mark's first byte, which is rare in markup: a search for the whole mark takes dozens of times as
        // long.
        while let start = unread.firstIndex(of: Self.firstByte) {
            unread = unread[start...]
            guard unread.starts(with: Self.prefix.utf8) else {
                unread = unread.dropFirst()
                continue
            }
            unread = unread.dropFirst(Self.prefix.utf8.count)
            guard let place = Place.allCases.first(where: { unread.starts(with: $0.rawValue.utf8) }) else { continue }
            pieces += [.markup(String(rest[..<start])), .place(place)]
            unread = unread.dropFirst(place.rawValue.utf8.count)
            rest = html[unread.startIndex...]
        }
        self.pieces = pieces + [.markup(String(rest))]
    }

    /// The markup that fills a place for a request.
    package static func markup(of place: Place, in frame: PageFrame) -> String {
        let text: String?
        switch place {
        case .clock: text = frame.clockText
        case .viewer: text = frame.viewer?.name
        case .account: text = frame.account?.name
        case .others: return frame.viewers ?? ""
        }
        // Escapes as Mustache does, which also escapes apostrophes.
        return text.map { CleanText($0).markup.replacing("'", with: "&#39;") } ?? ""
    }

    static func mark(_ place: Place) -> String { prefix + place.rawValue }

    private static let firstByte = UInt8(ascii: "~")
    /// Random, so that no displayed text can be mistaken for a place.
    private static let prefix = "~place-\(String(UInt64.random(in: .min ... .max), radix: 16))-"
}

extension PageFrame {
    /// The frame that renders a document with places.
    var open: PageFrame {
        var frame = self
        if frame.clock != nil { frame.clockMark = PageDocument.mark(.clock) }
        frame.viewer?.name = PageDocument.mark(.viewer)
        if frame.account?.name != nil { frame.account?.name = PageDocument.mark(.account) }
        if frame.viewers != nil { frame.viewers = PageDocument.mark(.others) }
        return frame
    }

    /// The part of the frame on which a document with places depends: frames with equal parts share one document.
    package var closed: PageFrame {
        var frame = self
        frame.clock = frame.clock?.wholeSecond
        frame.viewer?.name = ""
        if frame.account?.name != nil { frame.account?.name = "" }
        if frame.viewers != nil { frame.viewers = "" }
        return frame
    }

    /// The time in the page's element.
    var clockText: String? { clockMark ?? (pastMoment?.at ?? clock).map { CivilTime($0).iso } }
}

extension Timestamp {
    var wholeSecond: Timestamp { Timestamp(milliseconds: milliseconds - milliseconds % 1_000) }
}
