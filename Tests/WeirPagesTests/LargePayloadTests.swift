import Testing
import WeirStates

@testable import WeirPages

@Suite struct LargePayloadTests {
    private func values() throws -> PayloadValues {
        let writer = try Fixture().pages.writer(.english)
        return PayloadValues(format: writer.format, strings: writer.strings, operation: "copy")
    }

    @Test func `of a state with very many members the first are listed, and how many more there are`() throws {
        let members = Dictionary(uniqueKeysWithValues: (1_000..<3_000).map { ("m\($0)", JSONValue.integer($0)) })
        let payload = try values().payload(.object(members))
        let rows = try #require(payload.transform("members") as? [Fields])
        #expect(rows.count == 501)
        #expect(rows.first?["name"] as? String == "m1000")
        #expect(rows.last?["text"] as? String == "+1,500")
        // A template that names a member finds it all the same.
        #expect(payload.child(named: "m2999") != nil)
    }

    @Test(arguments: ["0.00045", "99.9999", "9007199254740993", "-1.10"])
    func `a number is shown with the digits that it was given with`(digits: String) throws {
        let values = try values()
        let json = try JSONValue(parsing: digits)
        #expect(values.text(json) == digits)
        #expect((values.value(json) as? NumberValue)?.renderText == digits)
        #expect((values.value(1_234_567) as? NumberValue)?.transform("grouped") as? String == "1,234,567")
    }

    @Test func `a template repeats the first thousand elements of a list, and counts all`() throws {
        let list = ListValue(json: (0..<5_000).map { .integer($0) }, values: try values())
        #expect(Array(list).count == 1_000)
        #expect((list.transform("count") as? NumberValue)?.value == 5_000)
        let line = try #require(list.transform("sparkline") as? String)
        #expect(line.split(separator: "L").count == 1_000)
    }
}
