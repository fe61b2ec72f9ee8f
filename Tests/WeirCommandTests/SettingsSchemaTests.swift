import Testing
import WeirStates
@testable import WeirCommand

@Suite struct SettingsSchemaTests {
    private func place(of key: String) -> JSONValue? {
        let path = key.split(separator: ".").map(String.init)
        return path.reduce(SettingsSchema.value as JSONValue?) { schema, name in
            let level = schema?["anyOf"]?.array?.first { $0["properties"] != nil } ?? schema
            return level?["properties"]?[name]
        }
    }

    @Test func `the schema has each setting where the file has it, with its description`() throws {
        for setting in Setting.all {
            let schema = try #require(place(of: setting.key), "\(setting.key)")
            let own = schema["anyOf"]?.array?.first { $0["properties"] == nil && $0["description"] != nil } ?? schema
            #expect(own["description"]?.string == setting.help, "\(setting.key)")
        }
    }

    @Test func `bounds, words and the parts about access are in the schema, and unknown keys are not allowed`() {
        #expect(place(of: "port")?["maximum"] == .integer(65_535))
        #expect(place(of: "log-level")?["enum"]?.array?.contains("notice") == true)
        #expect(SettingsSchema.value["additionalProperties"] == .bool(false))
        #expect(place(of: "retention")?["additionalProperties"] == .bool(false))
        for part in ["roles", "grants", "notify"] { #expect(SettingsSchema.value["properties"]?[part] != nil) }
        #expect(SettingsSchema.value["properties"]?["journal.durability"] != nil)
    }
}
