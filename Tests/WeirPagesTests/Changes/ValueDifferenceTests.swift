import Testing
import WeirStates

@testable import WeirPages

@Suite struct ValueDifferenceTests {
    private func rows(_ first: JSONValue, _ second: JSONValue) -> [ValueDifference.Row] {
        ValueDifference(first, second).rows
    }

    @Test func `equal values do not differ`() {
        let value: JSONValue = ["a": [1, ["b": nil]], "c": "d"]
        #expect(rows(value, value) == [])
    }

    @Test func `each member that differs is named with both its values`() {
        #expect(
            rows(["a": 1, "b": ["c": true, "d": 2]], ["a": 1, "b": ["c": false, "d": 2], "e": "new"]) == [
                .init(path: [.member("b"), .member("c")], first: true, second: false),
                .init(path: [.member("e")], first: nil, second: "new"),
            ])
        #expect(rows("a", 1) == [.init(path: [], first: "a", second: 1)])
    }

    @Test func `elements with ids are compared wherever they stand, and named by their titles`() {
        let before: JSONValue = ["steps": [["id": "a", "title": "Drain", "done": false], ["id": "b", "done": false]]]
        let after: JSONValue = ["steps": [["id": "b", "done": false], ["id": "a", "title": "Drain", "done": true]]]
        #expect(
            rows(before, after) == [
                .init(path: [.member("steps"), .element("Drain"), .member("done")], first: false, second: true)
            ])
        #expect(
            rows([["id": "a"]], [["id": "a"], ["id": "c"]]) == [
                .init(path: [.element("c"), .member("id")], first: nil, second: "c")
            ])
    }

    @Test func `elements without ids, or with the same, are compared by their places`() {
        #expect(rows([1, 2], [1, 3, 4]).map(\.path) == [[.element("2")], [.element("3")]])
        #expect(rows(["a": [:]], [:]) == [.init(path: [.member("a")], first: [:], second: nil)])
        let twice: JSONValue = [["id": "a"], ["id": "a"]]
        #expect(rows(twice, [["id": "a"]]).map(\.path) == [[.element("2"), .member("id")]])
    }

    @Test func `of very many differences the rest is counted, and very deep ones are not taken apart`() {
        let difference = ValueDifference(.array((0..<500).map { .integer($0) }), .array((1...500).map { .integer($0) }))
        #expect(difference.rows.count == 100 && difference.omitted == 400)
        var (first, second): (JSONValue, JSONValue) = (1, 2)
        for _ in 0..<1_000 { (first, second) = (["a": first], ["a": second]) }
        #expect(rows(first, second).map(\.path.count) == [8])
    }
}
