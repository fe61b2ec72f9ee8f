import Dispatch
import Foundation
import Testing
import WeirFlows
import WeirStates
@testable import WeirOperations

@Suite(.timeLimit(.minutes(15))) struct InputValidationTests {
    static let fields = [
        InputField("label", "Label", .text(maximumLength: 20, pattern: "[A-Za-z <>/]+"), required: true),
        InputField("body", "Body", .multiline(maximumLength: 50)),
        InputField("url", "URL", .url(), default: "http://localhost/"),
        InputField("attempts", "Attempts", .integer(1...10), default: 3),
        InputField("ratio", "Ratio", .number(0...1)),
        InputField("loud", "Loud", .boolean, default: true),
        InputField("method", "Method", .choice(["GET", "POST"]), default: "GET"),
        InputField("file", "File", .file),
    ]

    func mistakes(_ input: JSONValue, _ fields: [InputField] = Self.fields) -> [String: String] {
        do {
            _ = try InputField.validate(input, fields: fields)
            return [:]
        } catch {
            return Dictionary(error.mistakes.map { ($0.field, $0.detail) }) { $1 }
        }
    }

    @Test func `a number typed into a form is read up to 400 bytes, and left for the check to refuse beyond`() {
        let field = InputField("attempts", "Attempts", .integer(1...10))
        let spaces = String(repeating: " ", count: 399)
        #expect(field.value(fromForm: spaces + "7") == 7)
        #expect(field.value(fromForm: spaces + " 7") == .string(spaces + " 7"))
    }

    @Test func `a field whose name is a property of a form's element has another one in forms, and is read by both`() {
        let taken = ["id", "elements", "matches", "action", "submit", "title", "onclick"]
        let fields = (taken + ["label", "note_2"]).map { InputField($0, $0, .text()) }
        #expect(fields.map(\.controlName) == taken.map { "input.\($0)" } + ["label", "note_2"])
        for field in fields {
            for name in [field.name, field.controlName] {
                #expect(InputField.object(fromForm: [name: "x"], fields: fields) == .object([field.name: "x"]))
            }
        }
    }

    @Test func `what fits is given back with defaults, whole numbers and plain line ends`() throws {
        let input: JSONValue = [
            "label": "Ada", "body": "a\r\nb\rc\r\r\nd", "attempts": 5.0, "ratio": nil, "url": " https://x.y/z ",
        ]
        let expected: JSONValue = [
            "label": "Ada", "body": "a\nb\nc\n\nd", "url": "https://x.y/z", "attempts": 5, "loud": true,
            "method": "GET",
        ]
        #expect(try InputField.validate(input, fields: Self.fields) == expected)
    }

    @Test func `an empty first line stays, however lines end`() throws {
        for body: JSONValue in ["\na\r\nb", "\r\na\r\nb", "\ra\rb"] {
            let input = try InputField.validate(["label": "Ada", "body": body], fields: Self.fields)
            #expect(input["body"] == "\na\nb")
        }
    }

    @Test func `what an operation was started with passes again, as a retry's input does`() throws {
        let file: JSONValue = ["id": "f-1", "filename": "a b.txt", "length": 3, "contentType": "text/plain"]
        let once = try InputField.validate(["label": "Ada", "file": file], fields: Self.fields)
        #expect(try InputField.validate(once, fields: Self.fields) == once)
    }

    @Test(
        arguments: [
            ("label", nil, "required"), ("label", "", "required"), ("label", 7, "one line of text"),
            ("label", "a\nb", "one line"), ("label", "a1", "form asked for"),
            ("label", "aaaaaaaaaaaaaaaaaaaaa", "21 characters long; at most 20"),
            ("body", ["a"], "Give text of at most 50 characters, not a list."),
            ("url", "ftp://x/", "http:// or https://"), ("url", "/path", "begins with"),
            ("url", "http://", "begins with"),
            ("url", "http://a b/", "begins with"), ("attempts", 11, "from 1 to 10, not 11."),
            ("attempts", 1.5, "whole number"), ("attempts", "x", "not “x”."), ("attempts", true, "true or false"),
            ("ratio", 2, "from 0 to 1"), ("loud", "yes", "true or false"), ("method", "PUT", "“GET” or “POST”"),
            ("file", "a.txt", "comes with the request"),
            ("file", ["id": "../x", "filename": "a"], "“id” cannot be used"),
            ("file", ["id": "x", "filename": "../a"], "“filename” cannot be used"), ("file", ["id": "x"], "needs"),
            ("file", ["id": "x", "filename": "a", "path": "/"], "“path” cannot be used"), ("other", 1, "no such field"),
        ] as [(String, JSONValue?, String)])
    func `a mistake names its field and says what would be right`(
        field: String, value: JSONValue?, words: String
    ) {
        var members: [String: JSONValue] = ["label": "Ada"]
        members[field] = value
        let found = mistakes(.object(members))
        #expect(found.keys.sorted() == [field])
        #expect(found[field]?.contains(words) == true, "\(found)")
    }

    // S7
    @Test(arguments: [
        "http://bob:SECRET@host/", "https://SECRET@host/", "http://@host/SECRET", "http://bob%3ASECRET@host/",
        "ftp://bob:SECRET@host/", "http:bob:SECRET@host/", "http://bob:SECRET@", "http://bob:SE CRET@host/",
        " http://bob:SECRET@host/ ", "http://a@b:SECRET@host/", "http://bob:SECRET@\u{301}host/",
        "ftp://bob:SECRET@\u{301}host/", "bob:SECRET@host", "//bob:SECRET@host/",
        "http://bob%3ASECRET%40host/", "http://bob:SECRET%40host/", "http:bob:SECRET%40host/",
    ])
    func `a URL that lets somebody in is refused, in words that do not repeat it`(url: String) {
        let found = mistakes(["label": "Ada", "url": .string(url)])
        #expect(found.keys.sorted() == ["url"])
        #expect(found["url"]?.contains("CRET") == false)
    }

    // S7
    @Test(arguments: [
        (TextFormat.date, ["2026-11-27", "2024-02-29", "2000-02-29", "0001-01-01"]),
        (.time, ["00:00", "23:59", "03:30:15"]),
    ])
    func `a day of the calendar and a time of the day are taken`(format: TextFormat, texts: [String]) throws {
        var field = InputField("when", "When", .text(maximumLength: 10))
        field.format = format
        for text in texts {
            #expect(try InputField.validate(["when": .string(text)], fields: [field]) == ["when": .string(text)])
        }
    }

    @Test(arguments: [
        (
            TextFormat.date,
            [
                "2026-11-31", "2025-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "26-11-27", "2026-1-1",
                "27.11.2026",
            ]
        ),
        (.time, ["24:00", "3:30", "03:60", "03:30:60", "03:30Z", "noon"]),
    ])
    func `days and times that do not exist are refused with an example`(format: TextFormat, texts: [String]) {
        var field = InputField("when", "When", .text(maximumLength: 10))
        field.format = format
        for text in texts {
            let mistakes = #expect(throws: InputMistakes.self) {
                try InputField.validate(["when": .string(text)], fields: [field])
            }
            #expect(
                mistakes?.mistakes.first?.detail.contains(
                    format == .date ? "such as 2026-11-27, not" : "such as 03:30, not") == true)
        }
    }

    @Test func `of a URL of another kind only a password is refused`() throws {
        let fields = [InputField("url", "URL", .url(schemes: ["ssh"]), required: true)]
        let input: JSONValue = ["url": "ssh://git@host/x"]
        #expect(try InputField.validate(input, fields: fields) == input)
        #expect(mistakes(["url": "ssh://git:SECRET@host/x"], fields)["url"]?.contains("password") == true)
    }

    @Test(arguments: ["http://[]/", "http://[:::]/", "http://[a]/", "http://[1.2.3.4]/", "http:///x", "http://a%3Ab/"])
    func `a URL that names no host is refused`(url: String) {
        #expect(mistakes(["label": "Ada", "url": .string(url)]).keys.sorted() == ["url"])
    }

    // S1
    @Test(arguments: [
        "http://a:65536/", "http://a:99999", "http://a:0/", "http://a:99999999999999999999/", "http://[::1]:70000/",
        "http://a:-1/",
    ])
    func `a URL with a port that does not exist is refused`(url: String) {
        #expect(mistakes(["label": "Ada", "url": .string(url)]).keys.sorted() == ["url"])
    }

    @Test(arguments: [
        "http://a:65535/", "http://a:/", "http://[::1]/x@y:z", "http://[::1]:80/", "https://a/?b@c:99999",
        "http://[::ffff:127.0.0.1]/a%40b", "http://1.2.3.4/",
    ])
    func `a URL with a port that exists, or none, is taken`(url: String) {
        #expect(mistakes(["label": "Ada", "url": .string(url)]) == [:])
    }

    @Test func `all mistakes come at once, and what is no object is told so`() {
        #expect(mistakes(["attempts": 0, "ratio": "a", "x": 1]).keys.sorted() == ["attempts", "label", "ratio", "x"])
        #expect(mistakes([1])[""]?.hasPrefix("Send a JSON object with the members label, body") == true)
        #expect(mistakes(["a": 1], [])["a"] == "This operation takes no input; leave it out.")
    }

    @Test func `a label of a megabyte, and a hundred thousand names nobody knows, are refused fast and in few words`() {
        let clock = ContinuousClock()
        let family = String(repeating: "👨‍👩‍👧‍👦", count: 40_000)
        let hostile: [JSONValue] = [
            ["label": .string(String(repeating: "a", count: 1_000_000))], ["label": .string(family)],
            ["label": "a", "attempts": .string(String(repeating: "9", count: 1_000_000))],
            ["label": "a", "url": .string("http://" + String(repeating: "a.", count: 500_000))],
            .object(Dictionary(uniqueKeysWithValues: (0..<100_000).map { ("name\($0)", JSONValue.null) })),
            .object(["label": "a", String(repeating: "k", count: 1_000_000): 1]),
        ]
        for input in hostile {
            var found: [String: String] = [:]
            let time = clock.measure { found = mistakes(input) }
            #expect(!found.isEmpty && found.count <= 21)
            #expect(found.allSatisfy { $0.key.utf8.count <= 64 && $0.value.utf8.count < 600 })
            // A second would do; what grows with the square of the length would take minutes.
            #expect(time < .seconds(30))
        }
    }

    @Test func `typed text becomes JSON: numbers with a point, checkboxes, empty as absent`() throws {
        let form = [
            "label": "Ada", "body": "", "url": " ", "attempts": " 4 ", "ratio": "0.5", "method": "POST",
        ]
        let expected: JSONValue = ["label": "Ada", "attempts": 4, "ratio": 0.5, "method": "POST", "loud": false]
        let object = InputField.object(fromForm: form, fields: Self.fields)
        #expect(object.object?.filter { $0.value != "" && $0.value != " " } == expected.object)
        let validated = try InputField.validate(object, fields: Self.fields)
        #expect(validated["url"] == "http://localhost/" && validated["body"] == nil)
        let integer = InputField("n", "N", .integer(0...9))
        for text in ["1,5", "0x3", "nan", "inf", "١", "1_000", "--1", String(repeating: "9", count: 401)] {
            #expect(integer.value(fromForm: text) == .string(text))
        }
        let box = InputField("b", "B", .boolean)
        for text in ["on", "true", "YES", "1"] { #expect(box.value(fromForm: text) == true) }
        for text in ["FALSE", "off", "no", "0", ""] { #expect(box.value(fromForm: text) == false) }
        for text in ["nein", "x", "2", " "] { #expect(box.value(fromForm: text) == .string(text)) }
        for value: JSONValue in [4, -2, "x"] { #expect(integer.value(fromForm: integer.formText(of: value)) == value) }
    }

    @Test(
        arguments: [
            (17, .text(), "17"), (true, .text(), "true"), (-2, .multiline(), "-2"), (2, .choice(["1", "2"]), "2"),
            (9_007_199_254_740_993, .text(), "9007199254740993"), (1.5, .text(), "1.5"), (17.0, .text(), "17.0"),
            (1, .boolean, true), (0, .boolean, false), (1.0, .boolean, true), ("off", .boolean, false),
            ("17", .integer(0...99), 17), ("9007199254740993", .integer(0...Int64.max), 9_007_199_254_740_993),
            ("1.5", .number(0...9), 1.5), (4_711, .secret(), "4711"),
            // What cannot be kept whole is left for the check.
            (2, .boolean, 2), ("maybe", .boolean, "maybe"), (true, .integer(0...9), true), ([1], .text(), [1]),
            (["a": 1], .text(), ["a": 1]),
            (nil, .text(), nil),
        ] as [(JSONValue, InputField.Kind, JSONValue)])
    func `a scalar becomes what its field holds if nothing is lost`(
        _ value: JSONValue, _ kind: InputField.Kind, _ expected: JSONValue
    ) {
        let object = InputField.object(
            fromScalars: ["a": value, "other": 1], fields: [InputField("a", "A", kind), InputField("b", "B", .boolean)])
        #expect(object == .object(["a": expected, "other": 1]))
    }

    @Test(
        arguments: [
            ("2,75", "2.75"), (",5", "0.5"), ("2.75", "2.75"), ("0.125", "0.125"), ("1.2345", "1.2345"), ("-3", "-3"),
            ("1.234", nil), ("-1.000", nil), ("1.234,5", nil), ("1,234,567", nil), ("\u{FF12},5", nil),
        ] as [(String, String?)])
    func `a decimal comma is read where the language has one, and what could be another number is refused`(
        text: String, digits: String?
    ) throws {
        let field = InputField("n", "N", .number(-.infinity ... .infinity))
        let value = field.value(fromForm: text, decimal: ",")
        #expect(try digits.map { try JSONValue(parsing: $0) } ?? .string(text) == value)
        #expect(field.value(fromForm: "2,75") == "2,75" && field.value(fromForm: "1.234") == 1.234)
    }

    @Test(arguments: ["1.000", "1,000", "2,0"])
    func `a whole number has no separators where the decimal mark is a comma`(text: String) {
        let field = InputField("n", "N", .integer(0 ... .max))
        #expect(field.value(fromForm: text, decimal: ",") == .string(text))
    }

    @Test func `a number is taken with its digits, and refused in a sentence that is true`() throws {
        let fields = [
            InputField("amount", "Amount", .number(0 ... .infinity)),
            InputField("count", "Count", .integer(.min ... .max)),
        ]
        let form = ["amount": "0.000450", "count": "9007199254740993"]
        let input = try InputField.validate(InputField.object(fromForm: form, fields: fields), fields: fields)
        #expect(try input.text() == #"{"amount":0.000450,"count":9007199254740993}"#)
        #expect(fields[0].formText(of: try #require(input["amount"])) == "0.000450")
        let wrong = try JSONValue(parsing: #"{"amount":-1.10,"count":9223372036854775808}"#)
        #expect(
            mistakes(wrong, fields) == [
                "amount": "Give a number of at least 0, not -1.10.",
                "count":
                    "Give a whole number from -9223372036854775808 to 9223372036854775807, not 9223372036854775808.",
            ])
    }

    @Test func `bounds are compared with every digit of a number`() throws {
        var field = InputField("ratio", "Ratio", .number(0...1))
        func accepts(_ digits: String) throws -> Bool {
            mistakes(.object(["ratio": try JSONValue(parsing: digits)]), [field]).isEmpty
        }
        for digits in ["1", "1.0", "10e-1", "0", "-0.0", "0.99999999999999999999"] { #expect(try accepts(digits)) }
        for digits in ["1.00000000000000000001", "-0.00000000000000000001", "-1e-300"] {
            #expect(try !accepts(digits))
        }
        field.exactBounds = ExactBounds(least: nil, most: JSONNumber("9007199254740993"))
        #expect(try accepts("9007199254740993") && !accepts("9007199254740993.5"))
        #expect(try accepts("-5") && !accepts("1e16"))
    }

    @Test func `the schema says what the fields accept`() throws {
        let schema = JSONSchema(for: Self.fields).value
        #expect(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema")
        #expect(schema["required"] == ["label"] && schema["additionalProperties"] == false)
        let properties = schema["properties"]
        #expect(
            properties?["attempts"] == [
                "type": "integer", "minimum": 1, "maximum": 10, "default": 3, "title": "Attempts",
            ])
        #expect(properties?["method"]?["enum"] == ["GET", "POST"] && properties?["loud"]?["type"] == "boolean")
        #expect(properties?["label"]?["pattern"] == "^(?:[A-Za-z <>/]+)$")
        #expect(JSONSchema(for: []).value["required"] == nil)
        _ = try schema.text()
    }

    @Test(arguments: [
        ("(a+)+[bc]", String(repeating: "a", count: 900)),
        ("(a|aa)*[bc]", String(repeating: "a", count: 900) + "!"),
        ("(x+x+)+[yz]", String(repeating: "x", count: 900)),
        ("^(\\w+\\s?)*$", String(repeating: "word ", count: 100) + "!"),
    ])
    func `a text that a pattern is slow on is refused in words, soon`(pattern: String, text: String) {
        let field = InputField("code", "Code", .text(pattern: pattern))
        #expect { try InputField.validate(["code": .string(text)], fields: [field]) } throws: { error in
            (error as? InputMistakes)?.mistakes.map(\.detail) == [InputWording.slowPattern.rawValue]
        }
    }

    @Test func `a text of more than 64 KiB is refused where there is a pattern`() {
        let field = InputField("code", "Code", .text(maximumLength: 1_000_000, pattern: "a*"))
        #expect(mistakes(["code": .string(String(repeating: "a", count: 65_536))], [field]) == [:])
        let longer = mistakes(["code": .string(String(repeating: "a", count: 65_537))], [field])
        #expect(longer == ["code": InputWording.slowPattern.rawValue])
    }

    @Test func `the fields of an input share the time of their patterns`() {
        let fields = (0..<100).map { InputField("f\($0)", "F", .text(maximumLength: 9_000, pattern: "a*a*a*a*a*b")) }
        let text = JSONValue.string(String(repeating: "a", count: 8_000))
        let began = StepMeter.processorTime()
        let mistakes = mistakes(.object(Dictionary(fields.map { ($0.name, text) }) { $1 }), fields)
        #expect(Set(mistakes.values) == [InputWording.slowPattern.rawValue] && mistakes.count == 100)
        // Each alone would take 50 ms.
        #expect(StepMeter.processorTime() - began < .seconds(2))
    }

    @Test func `a pattern is compiled once for a field and its copies, and is no part of what they are`() throws {
        let field = InputField("code", "Code", .text(pattern: "a+"))
        var copy = field
        copy.kept = "x"
        #expect(try field.pattern.pattern(of: "a+") === copy.pattern.pattern(of: "a+"))
        let decoded = try JSONDecoder().decode(InputField.self, from: JSONEncoder().encode(field))
        #expect(decoded == field && decoded != copy)
        #expect(mistakes(["code": "b"], [decoded]).keys.sorted() == ["code"])
    }

    @Test func `only an input with values for patterns waits for a thread of the pool`() async throws {
        let pool = WorkPool(threads: 1, room: 0)
        let (started, block) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
        let occupying = Task {
            try await pool.run {
                started.continuation.yield()
                block.wait()
            }
        }
        var begun = started.stream.makeAsyncIterator()
        await begun.next()
        let fields = [InputField("code", "Code", .text(pattern: "a+")), InputField("name", "Name", .text())]
        #expect(try await InputField.validate(["name": "b"], fields: fields, in: pool) == ["name": "b"])
        await #expect(throws: WorkPool.Busy.self) {
            try await InputField.validate(["code": "a"], fields: fields, in: pool)
        }
        block.signal()
        try await occupying.value
        #expect(try await InputField.validate(["code": "a"], fields: fields, in: .inputs) == ["code": "a"])
    }

    @Test func `a pattern is held against the whole text, however long, as a browser reads it`() {
        func accepts(_ pattern: String, _ text: String) -> Bool {
            let field = InputField("code", "Code", .text(maximumLength: 100_000, pattern: pattern))
            return (try? InputField.validate(["code": .string(text)], fields: [field])) != nil
        }
        #expect(accepts("a|ab", "ab") && !accepts("a|ab", "abc") && !accepts("b", "ab"))
        #expect(accepts("(?:[a-z]+-)*[a-z]+", String(repeating: "word-", count: 5_000) + "end"))
        #expect(accepts("\\u0041", "A") && accepts("[^]", "x") && !accepts("[]", "x"))
        #expect(accepts("\\p{Lu}é+", "Éééé") && accepts(".", "😀") && !accepts("\\d", "٣"))
        #expect(accepts("x*", "") && !accepts("a$", "a\u{85}"))
    }

    @Test func `an author is told of fields that contradict themselves`() {
        #expect(InputField.problems(in: Self.fields) == [])
        let problems = InputField.problems(in: [
            InputField("a", "A", .integer(1...2), default: 3), InputField("a", "A", .boolean),
            InputField("b c", "B", .boolean), InputField("d", "D", .text(pattern: "(")),
        ])
        #expect(problems.count == 4, "\(problems)")
    }
}
