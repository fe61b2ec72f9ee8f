import Testing
import WeirStates

@testable import WeirOperations

@Suite struct StepConditionTests {
    static let bound = JSONNumber("9007199254740992") ?? JSONNumber(0)

    @Test(
        arguments: [
            (9_007_199_254_740_993, true), (9_007_199_254_740_992, false), ("9007199254740993", true),
            ("9007199254740992.5", true),
            ("+09007199254740993", true), ("1e16", true), ("123456789012345678901234567890", true), ("-1e300", false),
            ("0x1p60", false), ("inf", false), ("9007199254740993 ", false), ("", false), (true, false), (.null, false),
        ] as [(JSONValue, Bool)])
    func `numbers are compared by all their digits, and other texts are not above a number`(
        _ value: JSONValue, _ isAbove: Bool
    ) {
        #expect(StepCondition.Test.isAbove(Self.bound).holds(for: value) == isAbove)
    }

    @Test(
        arguments: [
            (9_007_199_254_740_991, true), (9_007_199_254_740_992, false), ("9007199254740991.9", true), ("-0", true),
            ("0x10", false), ("nan", false), ("", false),
        ] as [(JSONValue, Bool)])
    func `the same is true for below`(_ value: JSONValue, _ isBelow: Bool) {
        #expect(StepCondition.Test.isBelow(Self.bound).holds(for: value) == isBelow)
    }

    @Test func `the words of a condition have the digits of its file`() {
        let rule = StepCondition.Rule(.input("n"), .isAbove(JSONNumber("9007199254740993") ?? JSONNumber(0)))
        #expect(rule.words == "inputs.n is above 9007199254740993")
        #expect(StepCondition.Rule(.input("n"), .isBelow(JSONNumber(3))).words == "inputs.n is below 3")
        #expect(StepCondition.Rule(.input("n"), .isBelow(JSONNumber(0.5))).words == "inputs.n is below 0.5")
    }
}
