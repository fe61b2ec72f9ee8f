@testable import MarkupTesting
import Testing

struct HostileInputTests {
    // L2
    @Test func `a megabyte of text in content and attributes is checked`() {
        let text = String(repeating: "é&lt;script&gt; ", count: 60_000)
        #expect(Markup.check("<p title=\"\(text)\">\(text)</p>", as: .fragment) == [])
    }

    @Test func `text of more than ten megabytes is refused with a sentence`() {
        let problems = Markup.check("<p>\(String(repeating: "x", count: 11_000_000))</p>", as: .fragment)
        #expect(problems.map(\.sentence) == ["A text in the page is longer than 10 MB."])
    }

    @Test func `elements nested a hundred thousand deep are refused with a sentence`() {
        let html = String(repeating: "<div>", count: 100_000) + String(repeating: "</div>", count: 100_000)
        let sentences = Markup.check(html, as: .fragment).map(\.sentence)
        #expect(sentences == ["The elements are nested too deeply (more than 256 levels)."])
    }

    @Test func `elements nested two hundred deep are fine`() {
        let html = String(repeating: "<div>", count: 200) + String(repeating: "</div>", count: 200)
        #expect(Markup.check(html, as: .fragment) == [])
    }

    // L2
    @Test(arguments: [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]])
    func `bytes that are not UTF-8 are told with their place`(bytes: [UInt8]) {
        let problems = Markup.check(Array("<p>\né".utf8) + bytes + Array("</p>".utf8), as: .fragment)
        #expect(
            problems.map(\.description) == [
                "2:2: The text is not valid UTF-8 here. Encode the page in UTF-8. (well-formed)"
            ])
    }

    @Test func `bytes that are UTF-8 are checked as text is`() {
        #expect(Markup.check(Array("<p>é𝄞</p>".utf8), as: .fragment) == [])
    }

    @Test func `entities that multiply are not read`() {
        let levels = (1...9).map { level in
            "<!ENTITY l\(level) \"\(String(repeating: "&l\(level - 1);", count: 10))\">"
        }
        let html = "<!DOCTYPE html [<!ENTITY l0 \"ha\">\(levels.joined())]><html>&l9;</html>"
        let sentences = Markup.check(html, as: .document).map(\.sentence)
        #expect(sentences.first?.hasPrefix("Entities cannot be declared in a page (l0).") == true)
        #expect(sentences.count == 1)
    }

    @Test(arguments: ["SYSTEM \"file:///etc/hostname\"", "PUBLIC \"x\" \"http://127.0.0.1:9/x\""])
    func `an external entity is not loaded`(identifier: String) {
        for html in [
            "<!DOCTYPE html [<!ENTITY x \(identifier)>]><html>&x;</html>",
            "<!DOCTYPE html [<!ENTITY % x \(identifier)> %x;]><html></html>",
        ] {
            let sentences = Markup.check(html, as: .document).map(\.sentence)
            #expect(sentences.count == 1)
            #expect(sentences.first?.hasPrefix("Entities cannot be declared in a page (x).") == true)
        }
    }

    @Test func `an external document type is neither loaded nor accepted`() {
        let html = "<!DOCTYPE html SYSTEM \"http://127.0.0.1:9/x\"><html>&x;</html>"
        #expect(Markup.check(html, as: .document).allSatisfy { $0.rule == "well-formed" })
        #expect(!Markup.check(html, as: .document).isEmpty)
    }

    @Test(.timeLimit(.minutes(15)))
    func `the number of attributes does not multiply the work`() {
        let aria = """
            atomic="true" autocomplete="list" busy="true" checked="mixed" colcount="1" colindex="1" current="page" \
            disabled="true" expanded="true" haspopup="menu" invalid="true" level="1" live="off" modal="true" \
            orientation="vertical" pressed="true" readonly="true" required="true" selected="true" sort="none"
            """
        let attributes = aria.split(separator: " ").map { "aria-\($0)" }.joined(separator: " ")
        let html = "<p id=\"a\" class=\"b\" lang=\"en\" dir=\"ltr\" translate=\"no\" \(attributes)>x</p>"
        #expect(Markup.check(html, as: .fragment) == [])
    }

    @Test func `many documents are checked at once, each with its own problems`() async {
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<1000 {
                group.addTask {
                    let html = "<ul><li id=\"a\(number)\">x</li><p>y</p></ul>"
                    let isBroken = number.isMultiple(of: 2)
                    let problems = Markup.check(isBroken ? "<b>\(number)" : html, as: .fragment)
                    return problems.map(\.rule) == [isBroken ? "well-formed" : "schema"]
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test func `nothing is printed`() async throws {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent, \.standardOutputContent]
        ) {
            for html in ["<p>&nbsp;", "<foo/>", "<p>\u{1}", "<p x:y=''/>", "<ul><p>x</p></ul>", "<img/>"] {
                _ = Markup.check(html, as: .fragment)
                _ = Markup.check(
                    "<!DOCTYPE html SYSTEM 'http://127.0.0.1:9/x' [<!ENTITY a SYSTEM 'b'>]>" + html, as: .document)
            }
            let document = try MarkupDocument("<p>x</p>", as: .fragment)
            #expect(throws: MarkupError.self) { try document.elements("//[") }
        }
        #expect(result?.standardErrorContent.isEmpty == true)
    }
}
