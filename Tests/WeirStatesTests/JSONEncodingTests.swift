import Foundation
import Testing
import TestSupport
import WeirStates

@Suite struct JSONEncodingTests {
    private enum Shape: Codable {
        case none
        case unlabelled(Int, String)
        case labelled(sent: Int64, of: Int64?, note: String)
        case nested([Shape], names: [String: Double])
        indirect case deeper(Shape)
    }

    private struct Everything: Codable {
        var bool = true
        var text = "é\u{0}\"\u{1F469}\u{200D}\u{1F4BB}"
        var int8 = Int8.min
        var uint8 = UInt8.max
        var int16 = Int16.min
        var uint16 = UInt16.max
        var int32 = Int32.min
        var uint32 = UInt32.max
        var int64 = Int64.min
        var uint64 = UInt64.max
        var uint = UInt.max
        var small = UInt64(7)
        var floats: [Float] = [0.1, 1, -0.0, 3.4e38, .leastNonzeroMagnitude, 16_777_216, 1e10, 33_554_432]
        var numbers = [
            0.1, 1, -0.0, 1e15, 9_007_199_254_740_992, 9_007_199_254_740_994, 1e16, -1e300, .leastNonzeroMagnitude, 1.5,
        ]
        var missing: Int?
        var here: Int? = 3
        var gaps: [Int?] = [1, nil, 3]
        var date = Date(timeIntervalSinceReferenceDate: 12.25)
        var day = Date(timeIntervalSinceReferenceDate: 86_400)
        var data = Data([0, 255, 62])
        var url = URL(string: "https://example.com/a?b=c%20d")
        var id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        var decimal = Decimal(string: "12.50")
        var byNumber: [Int: String] = [1: "a", -2: "b"]
        var byText: [String: [Bool]] = ["": [], "x": [true, false]]
        var pairs: [[Int]] = [[], [1], [2, 3]]
        var shapes: [Shape] = [
            .none, .unlabelled(1, "b"), .labelled(sent: 40, of: nil, note: "n"), .labelled(sent: 1, of: 2, note: ""),
            .nested([.deeper(.none)], names: ["pi": 3.14, "one": 1]),
        ]
        var json: JSONValue = ["whole": 2, "half": 0.5, "list": [nil, true, ["deep": [:]]]]
        var set: Set<Int> = [4]
        var range = 1..<5
    }

    private class Below: Encodable {
        let name = "below"
    }

    private final class Above: Below {
        private enum Keys: CodingKey { case own, list }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(1, forKey: .own)
            try super.encode(to: container.superEncoder())
            var list = container.nestedUnkeyedContainer(forKey: .list)
            var inner = list.nestedContainer(keyedBy: Keys.self)
            try list.encode("after")
            try inner.encode(list.count, forKey: .own)
            var innermost = list.nestedUnkeyedContainer()
            try innermost.encodeNil()
        }
    }

    private struct Nothing: Encodable {
        func encode(to encoder: any Encoder) {}
    }

    private func byText(_ value: some Encodable) throws -> JSONValue {
        try JSONValue(parsing: JSONEncoder().encode(value))
    }

    @Test func `a value is encoded as what its JSON text reads as`() throws {
        #expect(try JSONValue(encoding: Everything()) == byText(Everything()))
        #expect(try JSONValue(encoding: Above()) == byText(Above()))
        for top in [[1.0], []] { #expect(try JSONValue(encoding: top) == byText(top)) }
        #expect(try JSONValue(encoding: "text") == "text")
        #expect(try JSONValue(encoding: 1.0) == 1)
        #expect(try JSONValue(encoding: Int?.none) == nil)
        #expect(try JSONValue(encoding: Shape.none) == ["none": [:]])
    }

    @Test func `any number is encoded as what its JSON text reads as`() throws {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<3_000 {
            let number = Double(bitPattern: .random(in: .min ... .max, using: &generator))
            let whole = Double(Int64.random(in: .min ... .max, using: &generator))
            let float = Float(bitPattern: .random(in: .min ... .max, using: &generator))
            if number.isFinite { #expect(try JSONValue(encoding: number) == byText(number)) }
            #expect(try JSONValue(encoding: whole) == byText(whole))
            if float.isFinite { #expect(try JSONValue(encoding: float) == byText(float)) }
        }
    }

    @Test func `what JSON cannot say is refused, with its place`() throws {
        for number in [Double.nan, .infinity] {
            let error = #expect(throws: EncodingError.self) { try JSONValue(encoding: ["a": ["b": number]]) }
            guard case .invalidValue(_, let context) = error else { continue }
            #expect(context.codingPath.map(\.stringValue) == ["a", "b"])
        }
        #expect(throws: EncodingError.self) { try JSONValue(encoding: [Float.nan]) }
        #expect(throws: EncodingError.self) { try JSONValue(encoding: Nothing()) }
    }

    @Test func `a progress that anybody may have written is held to its rules when it is read`() throws {
        for (text, completed, fraction) in [
            (#"{"completed":9223372036854775807,"total":1,"unit":"items"}"#, Int64.max, 1.0),
            (#"{"completed":-9223372036854775808,"total":5,"unit":"items"}"#, 0, 0),
            (#"{"completed":-1,"total":-9223372036854775808,"unit":"items"}"#, 0, 1),
        ] {
            let progress = try JSONDecoder().decode(WorkProgress.self, from: Data(text.utf8))
            #expect(progress.completed == completed && progress.fraction == fraction)
        }
    }

    private struct Envelope: Codable, Equatable {
        var name: String
        var values: [JSONValue]
        var members: [String: JSONValue]
    }

    @Test(.timeLimit(.minutes(1)))
    func `values within a value are decoded and encoded at once, however many and however deep they are`() throws {
        let deep = (0..<500).reduce(JSONValue.array([])) { inner, _ in .array([inner]) }
        let many = JSONValue.array((0..<500).map { _ in deep })
        let envelope = Envelope(name: "a", values: [1, many], members: ["b": ["c": [nil, true, 1.5, "d"]]])
        let json = try JSONValue(encoding: envelope)
        #expect(json["values"] == [1, many])
        #expect(try json.decode(Envelope.self) == envelope)
        #expect(try Envelope(json: Data(try json.text().utf8)) == envelope)
        #expect(throws: DecodingError.self) { try JSONValue.object(["name": "a"]).decode(Envelope.self) }
    }
}
