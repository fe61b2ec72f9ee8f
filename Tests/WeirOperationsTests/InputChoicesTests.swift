import Testing
import WeirStates

@testable import WeirOperations

/// Several choices of a list, and fields that other values show.
struct InputChoicesTests {
    private static let fields: [InputField] = {
        var regions = InputField("regions", "Regions", .choice(["eu", "us", "ap"]), required: true)
        regions.takesSeveral = true
        let environment = InputField("environment", "Environment", .choice(["test", "live"]), default: "test")
        var window = InputField("window", "Window", .text(), required: true)
        window.conditions = [InputCondition("environment", [.isOneOf(["live"])])]
        var reason = InputField("reason", "Reason", .text(), default: "none")
        reason.conditions = window.conditions + [InputCondition("regions", [.not(.isOneOf(["eu"]))])]
        return [regions, environment, window, reason]
    }()

    private func validated(_ input: JSONValue) throws -> JSONValue {
        try InputField.validate(input, fields: Self.fields)
    }

    private func mistakes(_ input: JSONValue) -> [String] {
        do {
            _ = try InputField.validate(input, fields: Self.fields)
            return []
        } catch {
            return error.mistakes.map { "\($0.field): \($0.detail)" }
        }
    }

    @Test func `several choices are a list in the order of the options, each once`() throws {
        #expect(
            try validated(["regions": ["us", "eu", "us"]])["regions"] == ["eu", "us"])
        #expect(
            mistakes(["regions": ["us", "mars"]]) == [
                "regions: Choose one or more of “eu”, “us” and “ap”, not “mars”."
            ])
        for none: JSONValue in [["regions": []], [:], ["regions": nil]] {
            #expect(
                mistakes(none) == ["regions: This is required. Choose one or more of “eu”, “us” and “ap”."])
        }
        #expect(mistakes(["regions": "eu"]).count == 1)
    }

    @Test func `numbers and booleans choose the options that are written alike`() throws {
        var several = InputField("parts", "Parts", .choice(["1", "2", "1.10", "true"]))
        let one = InputField("one", "One", .choice(["1", "1.10", "true"]))
        several.takesSeveral = true
        let exact = JSONValue.number(try #require(JSONNumber("1.10")))
        #expect(
            try InputField.validate(["parts": [true, exact, 1, "1"], "one": exact], fields: [several, one])
                == ["parts": ["1", "1.10", "true"], "one": "1.10"])
        for wrong: JSONValue in [["parts": [3]], ["parts": [1.1]], ["parts": [[1]]], ["one": 1.0], ["one": [1]]] {
            #expect(throws: InputMistakes.self) { try InputField.validate(wrong, fields: [several, one]) }
        }
    }

    @Test func `several choices are texts with commas in forms, requests of hooks and arguments`() {
        let form = InputField.object(fromForm: ["regions": "us, eu,"], fields: Self.fields)
        #expect(form["regions"] == ["us", "eu"])
        #expect(Self.fields[0].formText(of: ["us", "eu"]) == "us,eu")
        // A form without one of its checkboxes checked does not name the field.
        #expect(InputField.object(fromForm: [:], fields: Self.fields)["regions"] == [])
        for sent: JSONValue in ["us", ["us"]] {
            #expect(InputField.object(fromScalars: ["regions": sent], fields: Self.fields)["regions"] == ["us"])
        }
    }

    @Test func `a field that is not shown is not required, and has neither its value nor its default`() throws {
        #expect(
            try validated(["regions": ["us"], "window": "now", "reason": "x"])
                == ["regions": ["us"], "environment": "test"])
        #expect(
            mistakes(["regions": ["us"], "environment": "live"]) == [
                "window: This is required. Give one line of text of at most 1000 characters."
            ])
        let live = try validated(["regions": ["us"], "environment": "live", "window": "now"])
        #expect(live["window"] == "now" && live["reason"] == "none")
        #expect(
            try validated(["regions": ["us", "eu"], "environment": "live", "window": "now"])["reason"] == nil)
        #expect(try validated(live) == live)
    }

    @Test func `the schema has the list, and requires a field only where it is shown`() {
        let schema = JSONSchema(for: Self.fields).value
        #expect(
            schema["properties"]?["regions"]?.object?.filter { $0.key != "title" } == [
                "type": "array", "items": ["enum": ["eu", "us", "ap"]], "minItems": 1,
            ])
        #expect(schema["required"] == ["regions"])
        #expect(
            schema["allOf"] == [
                [
                    "if": [
                        "allOf": [["properties": ["environment": ["enum": ["live"]]], "required": ["environment"]]]
                    ], "then": ["required": ["window"]],
                ]
            ])
    }
}
