import WeirJournals

/// A document with places left open for what belongs to one request, so that it is rendered once for many.
///
/// What is left open are the server's time and the names of who asks: everything else is the same for an audience, in the
/// same second.
package struct PageDocument: Sendable {
    /// What belongs to one request.
    package enum Place: String, Sendable, CaseIterable {
        /// The server's time, by which a browser corrects its own.
        case clock
        /// Who looks, as what they do is recorded.
        case viewer
        /// Who else has the page open, as markup.
        case others
        /// Who is signed in.
        case account
    }

    /// A part of the document, in order.
    package enum Piece: Sendable, Hashable {
        /// Markup that everybody gets.
        case markup(String)
        /// What `markup(of:in:)` gives for a request.
        case place(Place)
    }

    /// All parts, in order.
    package let pieces: [Piece]

    /// Parts a document that was rendered with marks where the places are.
    init(marked html: String) {
        var pieces: [Piece] = []
        var rest = html[...]
        var unread = html.utf8[...]
        // By the mark's first byte, which is rare in markup: a search for all of it takes dozens of times as long.
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

    /// What a request has in a place.
    package static func markup(of place: Place, in frame: PageFrame) -> String {
        let text: String?
        switch place {
        case .clock: text = frame.clockText
        case .viewer: text = frame.viewer?.name
        case .account: text = frame.account?.name
        case .others: return frame.viewers ?? ""
        }
        // As Mustache escapes it, for which an apostrophe is markup too.
        return text.map { CleanText($0).markup.replacing("'", with: "&#39;") } ?? ""
    }

    /// The text that stands in a place while the document is rendered.
    static func mark(_ place: Place) -> String { prefix + place.rawValue }

    private static let firstByte = UInt8(ascii: "~")
    /// Nobody outside can know it, so that no text which is shown can be taken for a place.
    private static let prefix = "~place-\(String(UInt64.random(in: .min ... .max), radix: 16))-"
}

extension PageFrame {
    /// The frame that documents are rendered with which leave places open.
    var open: PageFrame {
        var frame = self
        if frame.clock != nil { frame.clockMark = PageDocument.mark(.clock) }
        frame.viewer?.name = PageDocument.mark(.viewer)
        if frame.account?.name != nil { frame.account?.name = PageDocument.mark(.account) }
        if frame.viewers != nil { frame.viewers = PageDocument.mark(.others) }
        return frame
    }

    /// What of the frame a document with open places depends on: with equal ones, one document serves both.
    package var closed: PageFrame {
        var frame = self
        frame.clock = frame.clock?.wholeSecond
        frame.viewer?.name = ""
        if frame.account?.name != nil { frame.account?.name = "" }
        if frame.viewers != nil { frame.viewers = "" }
        return frame
    }

    /// The time that the page's element carries.
    var clockText: String? { clockMark ?? (pastMoment?.at ?? clock).map { CivilTime($0).iso } }
}

extension Timestamp {
    /// The second that the moment lies in.
    var wholeSecond: Timestamp { Timestamp(milliseconds: milliseconds - milliseconds % 1_000) }
}
