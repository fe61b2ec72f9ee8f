import WeirJournals
import WeirStates

/// Consecutive lines of output as inert markup.
///
/// A colour that is left on at the end of a line continues in the next line of its channel. A line that was recorded in
/// pieces is one item, up to ``limit``; its other pieces are items that pages hide.
struct OutputMarkup {
    /// The maximum number of characters of a line.
    static let limit = 2_000

    /// A line, with the markup of its text so far.
    struct Item {
        let number: SequenceNumber
        let channel: OutputChannel
        fileprivate(set) var text = ""
        fileprivate(set) var count = 0
        fileprivate(set) var isCut = false
    }

    private struct Channel {
        var style = AnsiStyle()
        /// The line that continues.
        var open: Item?
        /// Whether the previous line continues, even if its beginning is unknown.
        var continues = false
    }

    private enum Entry {
        case line(Item)
        case piece(SequenceNumber, of: SequenceNumber?)
    }

    /// The URL of a line's whole text, without its number, and the word that leads there; both as markup.
    private let whole: (url: String, word: String)
    private var channels: [OutputChannel: Channel] = [:]
    private var entries: [Entry] = []
    /// The items before the first entry that have grown since.
    private var grown: [SequenceNumber: Item] = [:]

    /// - Parameters:
    ///   - context: The lines right before the first one, which are already on the page.
    ///   - whole: The URL of a line's whole text, without its number, and the word that leads there.
    init(after context: some Sequence<OutputLine> = [], whole: (url: String, word: String)) {
        self.whole = (CleanText.escaped(whole.url), CleanText.escaped(whole.word))
        for line in context { take(line, isShown: false) }
        grown = [:]
    }

    mutating func add(_ line: OutputLine) { take(line, isShown: true) }

    private mutating func take(_ line: OutputLine, isShown: Bool) {
        var channel = channels[line.channel] ?? Channel()
        defer { channels[line.channel] = channel }
        let isPiece = channel.continues
        // Most lines of a context change nothing.
        guard isShown || isPiece || line.continues || line.text.utf8.contains(where: { $0 == 0x1B || $0 == 0xC2 })
        else {
            return
        }
        var item = channel.open ?? Item(number: line.number, channel: line.channel)
        let text = AnsiText(line.text, style: channel.style, limit: max(0, Self.limit - item.count))
        channel.style = text.style
        if !item.isCut { item.text += text.html }
        item.count += text.count
        item.isCut = item.isCut || text.isCut
        if isShown { show(line, item, isPiece: isPiece, open: channel.open) }
        channel.continues = line.continues
        // Without its beginning, the rest of a line is not known to belong to it.
        channel.open = line.continues && (!isPiece || channel.open != nil) ? item : nil
    }

    private mutating func show(_ line: OutputLine, _ item: Item, isPiece: Bool, open: Item?) {
        guard isPiece else { return entries.append(.line(item)) }
        entries.append(.piece(line.number, of: open?.number))
        guard let open, !open.isCut else { return }
        let place = entries.lastIndex { if case .line(let item) = $0 { item.number == open.number } else { false } }
        if let place { entries[place] = .line(item) } else { grown[item.number] = item }
    }

    /// The elements of the added lines.
    var elements: [(number: SequenceNumber, html: String)] {
        entries.map { entry in
            switch entry {
            case .line(let item): (item.number, html(item))
            case .piece(let number, of: let first):
                (
                    number,
                    #"<li id="line-\#(number)" value="\#(number)" class="piece">"#
                        + (first.map { ##"<a href="#line-\##($0)">…</a>"## } ?? "…") + "</li>"
                )
            }
        }
    }

    /// The elements of earlier lines of which further pieces were added.
    var grownElements: [(number: SequenceNumber, html: String)] {
        grown.values.sorted { $0.number < $1.number }.map { ($0.number, html($0)) }
    }

    private func html(_ item: Item) -> String {
        var html = #"<li id="line-\#(item.number)" value="\#(item.number)""#
        switch item.channel {
        case .standardOutput: break
        case .standardError: html += #" class="stderr""#
        case .notice: html += #" class="notice""#
        }
        html += ">" + item.text
        if item.isCut { html += #"<a class="cut" href="\#(whole.url)\#(item.number)">… \#(whole.word)</a>"# }
        return html + "</li>"
    }
}
