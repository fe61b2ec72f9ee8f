import Foundation
import WeirJournals

@testable import WeirPages
@testable import WeirStates

extension FuzzedParser {
    /// What programs print, as pages show it: well-formed, and nothing in it acts.
    static let output = FuzzedParser("output", upTo: 1_024) { input in
        var input = input
        let channel = [OutputChannel.standardOutput, .standardError, .notice][input.choice(3)]
        let text = input.text
        let line = OutputLine(
            number: SequenceNumber(clamping: input.number()),
            draft: OutputDraft(at: Timestamp(milliseconds: 0), channel: channel, text: text))
        let shown = AnsiText(line.text)
        expect(shown.pieces.reduce(0) { $0 + $1.text.unicodeScalars.count } <= 2_000, "more is shown than may be")
        expect(shown.pieces.allSatisfy { !$0.text.isEmpty }, "an empty piece")
        var markup = OutputMarkup(whole: ("/", ""))
        markup.add(line)
        for element in markup.elements { inert(element.html) }
    }

    /// What was recorded, as the sentence that it was made of: in English it says what it said.
    static let recorded = FuzzedParser("recorded", upTo: 256) { input in
        let sentences = RecordedSentences([
            "failed.refused": "Nothing listens at {address} port {port}.",
            "failed.itself": "{place} is {place} itself.",
            "failed.answer": "{server}: {reason}", "failed.two": "{a}{b}", "failed.end": "at {port",
            "failed.empty": "", "failed.place": "{only}", "input.words": "no answer",
        ])
        let text = input.text
        guard let message = sentences.message(text) else { return }
        expect(message.description == text, "it says “\(message)” for “\(text)”")
    }

    /// The beginning of a kept file: text that is as long as the file, or a table of a bounded size, or neither.
    static let tables = FuzzedParser("tables", upTo: 2_048) { input in
        var input = input
        let isCut = input.choice(2) == 1
        let separator: Character? = [nil, ",", "\t"][input.choice(3)]
        let bytes = Data(input.rest)
        switch PageArtifact.Body(bytes, isCut: isCut, separator: separator) {
        case .text(let text, let isShort):
            expect(isShort == isCut && separator == nil, "text for a table")
            expect(bytes.count - text.utf8.count <= 6, "a byte order mark, or the last character, at most")
        case .table(let rows, let isShort):
            expect(separator != nil && (isShort || !isCut), "a table for text")
            expect(rows.count <= 200 && rows.allSatisfy { (1...50).contains($0.count) }, "a table without bounds")
            let size = rows.joined().reduce(0) { $0 + $1.utf8.count }
            expect(size <= bytes.count, "cells of \(size) bytes")
        case .binary: expect(bytes.contains { $0 == 0 || $0 >= 0x80 }, "text that is none")
        case .image, .document: expect(false, "a kind that only a name decides")
        }
    }

    private nonisolated(unsafe) static let ourTag = /(li|span|a)( (id|class|value|href)="[a-z0-9\/ -]*")*/

    /// Markup is a list's item with spans in it, and all else is text without `<`, `&` but in entities, or controls.
    private static func inert(_ html: String) {
        var rest = html.unicodeScalars[...]
        var open = 0
        while let scalar = rest.popFirst() {
            switch scalar {
            case "<":
                let tag = String(String.UnicodeScalarView(rest.prefix { $0 != ">" }))
                rest = rest.dropFirst(tag.unicodeScalars.count + 1)
                if tag.hasPrefix("/") {
                    expect(["/li", "/span", "/a"].contains(tag), "an end tag <\(tag)>")
                    open -= 1
                } else {
                    let isOurs = tag.wholeMatch(of: ourTag) != nil
                    expect(isOurs, "a tag <\(tag)>")
                    open += 1
                }
                expect((0...2).contains(open), "tags are not nested as they should be: \(html)")
            case "&":
                let entity = String(String.UnicodeScalarView(rest.prefix { $0 != ";" }))
                expect(["lt", "gt", "amp", "quot"].contains(entity), "an entity &\(entity.prefix(10));")
            case ">", "\"": expect(false, "\(scalar) stands in the text of \(html)")
            default:
                expect(CleanText.isAllowed(scalar), "U+\(String(scalar.value, radix: 16)) stands in the text")
            }
        }
        expect(open == 0, "a tag has no end: \(html)")
    }

    /// Templates' own parser, and text on its way into them.
    static let templates = FuzzedParser("templates", upTo: 512) { input in
        let text = input.text
        let lines = text.count { $0.isNewline } + 1
        let scanner = TemplateScanner(text)
        for (tag, line) in scanner.forbidden {
            expect(tag.hasPrefix("{{") && (1...lines).contains(line), "\(tag) stands on line \(line) of \(lines)")
        }
        let clean = CleanText(text).text
        expect(CleanText(clean).text == clean, "clean text is cleaned again")
        for character in clean {
            let scalars = character.unicodeScalars
            let isMarkup = scalars.contains { ["<", ">", "&", "\"", "'"].contains($0) }
            expect(!isMarkup || scalars.count == 1, "markup hides in a character")
            expect(scalars.allSatisfy(CleanText.isAllowed), "what XML does not allow passed")
        }
        for url in [URLText(value: text).text, URLText(request: text).text] {
            expect(url.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x3c }, "\(url) is no URL")
        }
        expect(!URLText(request: text).text.hasPrefix("//"), "a path of another host")
    }
}
