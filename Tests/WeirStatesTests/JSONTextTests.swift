import Foundation
import Testing
import TestSupport
import WeirStates

@Suite struct JSONTextTests {
    @Test func `a value's text reads back as the value, and is the one text of it`() throws {
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<3_000 {
            let value = randomValue(depth: 4, &generator)
            let text = try value.text()
            let read = try JSONValue(parsing: text)
            #expect(read == value)
            #expect(try read.text().utf8.elementsEqual(text.utf8))
            // The system's reader agrees on what it says.
            #expect(throws: Never.self) { try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) }
        }
    }

    private func randomValue(depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
        let strings = [
            "", "a", "é", "e\u{301}", "\u{0}\u{1F}\"\\/\u{7F}", "\u{1F469}\u{200D}\u{1F4BB}", "\u{2028}", "\n\t\r",
        ]
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &generator) {
        case 0: return nil
        case 1: return .bool(.random(using: &generator))
        case 2: return .integer(.random(in: .min ... .max, using: &generator))
        case 3: return .number(.random(in: -1e12...1e12, using: &generator).rounded())
        case 4:
            let number = Double(bitPattern: .random(in: .min ... .max, using: &generator))
            return .number(number.isFinite ? number : 0.1)
        case 5: return .string(strings.randomElement(using: &generator) ?? "")
        case 6:
            return .array(
                (0..<Int.random(in: 0..<4, using: &generator)).map { _ in randomValue(depth: depth - 1, &generator) })
        default:
            var members: [String: JSONValue] = [:]
            for name in strings.shuffled(using: &generator).prefix(Int.random(in: 0..<4, using: &generator)) {
                members[name] = randomValue(depth: depth - 1, &generator)
            }
            return .object(members)
        }
    }

    @Test func `members are in the order of their bytes, without white space`() throws {
        let value: JSONValue = ["b": 1, "a": [true, nil], "é": "x/y", "B": 1.0, "": -0.5]
        #expect(try value.text() == #"{"":-0.5,"B":1.0,"a":[true,null],"b":1,"é":"x/y"}"#)
    }

    @Test(
        arguments: [
            (#" {"a" : [ 1 , 2.5, -0 ] } "#, ["a": [1, 2.5, 0]]), (#""\u00e9\ud83d\ude00\/""#, "é\u{1F600}/"),
            ("1e+300", .number(1e300)), (#"{"a":1,"a":2}"#, ["a": 2]),
        ] as [(String, JSONValue)])
    func `texts by others are read`(text: String, value: JSONValue) throws {
        #expect(try JSONValue(parsing: text) == value)
    }

    @Test(arguments: ["9223372036854775808", "1.10", "0.00001", "2.50e1", "1E5", "1e-400", "0.1234567890123456789"])
    func `a number keeps its digits, decoded within a value and encoded again`(digits: String) throws {
        let value = try JSONValue(parsing: "[\(digits)]")
        #expect(try value.text() == "[\(digits)]")
        #expect(try JSONValue(encoding: ["a": value])["a"]?.text() == "[\(digits)]")
        #expect(try JSONValue.object(["a": value]).decode([String: JSONValue].self)["a"]?.text() == "[\(digits)]")
    }

    @Test(
        arguments: [
            ("9007199254740993.0", 9_007_199_254_740_993), ("9.007199254740993e15", 9_007_199_254_740_993),
            ("-12e2", -1_200),
            ("0e5", 0), ("10e-1", 1), ("15e-1", nil), ("9223372036854775808", nil), ("1e19", nil), ("1e-400", nil),
        ] as [(String, Int64?)])
    func `whether a number is whole is decided by its digits`(digits: String, whole: Int64?) throws {
        #expect(try JSONValue(parsing: digits).integer == whole)
    }

    @Test(
        arguments: [
            ("+5", "5"), ("007", "7"), (".5", "0.5"), ("5.", "5"), ("-007.50", "-7.50"), ("1e-05", "1e-05"),
            ("1.10", "1.10"),
            ("+-5", nil), ("5 ", nil), (".", nil), ("-", nil), ("1_0", nil), ("0x3", nil), ("1e400", nil), ("", nil),
        ] as [(String, String?)])
    func `a number is read as people write it`(text: String, digits: String?) throws {
        #expect(try JSONValue(number: text).map { try $0.text() } == digits)
    }

    @Test(arguments: [
        "", " ", "{", "[1,]", "{\"a\"}", "{\"a\":}", "{a:1}", "01", "1.", ".5", "+1", "1e", "--1", "tru", "nul", "\"",
        "\"\\x\"",
        "\"\\ud800\"", "\"\\udc00\\ud800\"", "\"\u{1}\"", "[1] 2", "NaN", "1e999", String(repeating: "1", count: 1_001),
        "'a'", "[1 2]", "{\"a\":1,}",
        String(repeating: "[", count: 100_000),
    ])
    func `what is no JSON is refused with its place`(text: String) {
        let error = #expect(throws: DecodingError.self) { try JSONValue(parsing: text) }
        guard case .dataCorrupted(let context) = error else { return }
        #expect(context.debugDescription.hasPrefix("line 1, column "))
    }

    @Test func `numbers that are too large are texts where a body may have them`() throws {
        let long = String(repeating: "1", count: 1_001)
        let body = #"{"a": 1e400, "b": [-1e400, \#(long)], "c": 1.10}"#
        let value: JSONValue = [
            "a": "1e400", "b": ["-1e400", .string(long)], "c": .number(try #require(JSONNumber("1.10"))),
        ]
        #expect(try JSONValue(parsing: Data(body.utf8), keepsLargeNumbers: true) == value)
        #expect(try JSONValue(parsing: body, isLenient: true) == value)
        for other in [#"{"a": NaN}"#, "[1e]", #"["\ud800"]"#] {
            #expect(throws: DecodingError.self) { try JSONValue(parsing: Data(other.utf8), keepsLargeNumbers: true) }
        }
    }

    @Test(arguments: [510, 511, 512, 513, 514, 600, 100_000])
    func `a value is not read from a text that breaks off, however deep it is nested`(depth: Int) {
        for end in ["", " ", "]", String(repeating: "]", count: depth)] {
            let text = Data((String(repeating: "[", count: depth) + end).utf8)
            #expect(throws: DecodingError.self) { try [Int](json: text) }
        }
    }

    @Test func `bytes that are no UTF-8 are refused, and so is a number without end`() {
        #expect(throws: DecodingError.self) { try JSONValue(parsing: Data([0x22, 0xFF, 0x22])) }
        #expect(throws: EncodingError.self) { try JSONValue.number(.infinity).text() }
        #expect(throws: EncodingError.self) { try JSONValue.array([.number(.nan)]).text() }
    }

    @Test(arguments: [
        ("0", "0.0"), ("0", "-0e5"), ("1.10", "11e-1"), ("100", "1E2"), ("0.050", "5e-2"), ("-3", "-3.0"),
    ])
    func `equal numbers are equal however they are written`(_ one: String, _ other: String) throws {
        let values = try [one, other].map { try JSONValue(parsing: #"{"n":[\#($0)]}"#).withEqualNumbers }
        #expect(values[0] == values[1])
    }

    @Test(arguments: [
        ("0.1", "0.2"), ("-2", "-1"), ("-1", "0"), ("0", "1e-300"), ("9", "10"), ("0.99999999999999999999", "1"),
        ("-10", "-9.5"), ("1.5", "1.50000000000000000001"),
    ])
    func `numbers are ordered by their digits`(_ less: String, _ more: String) throws {
        let (less, more) = (try #require(JSONNumber(less)), try #require(JSONNumber(more)))
        #expect(less.isLess(than: more) && !more.isLess(than: less) && !less.isLess(than: less))
    }
}
