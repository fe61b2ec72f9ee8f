import Foundation
import Testing
import WeirOperations
import WeirStates

@Suite struct InputPropertyTests {
    enum Level: String, CaseIterable, InputValue { case low, high }

    struct Everything: FormInput {
        var text = "a"
        var note: String?
        var page = "http://a.example/"
        var address: URL?
        var count = 3
        var large: Int64 = 7
        var ratio = 0.5
        var isQuick = true
        var level = Level.high
        var file: FileInput?

        static let fields = [
            InputField(\Self.text, "Text", .text(maximumLength: 20, pattern: "[a-z]+")),
            InputField(\Self.note, "Note", .multiline(maximumLength: 50), help: "Anything."),
            InputField(\Self.page, "Page", .url(schemes: ["http"])),
            InputField(\Self.address, "Address"),
            InputField(\Self.count, "Count", .integer(1...5), unit: "pieces"),
            InputField(\Self.large, "Large"),
            InputField(\Self.ratio, "Ratio", .number(0...1)),
            InputField(\Self.isQuick, "Quick"),
            InputField(\Self.level, "Level"),
            InputField(\Self.file, "File", required: true),
        ]
    }

    @Test func `a field of a property has its coding key, the kind of its type, and its first value as default`() {
        #expect(
            Everything.fields == [
                InputField("text", "Text", .text(maximumLength: 20, pattern: "[a-z]+"), default: "a"),
                InputField("note", "Note", .multiline(maximumLength: 50), help: "Anything."),
                InputField("page", "Page", .url(schemes: ["http"]), default: "http://a.example/"),
                InputField("address", "Address", .url()),
                InputField("count", "Count", .integer(1...5), default: 3, unit: "pieces"),
                InputField("large", "Large", .integer(.min ... .max), default: 7),
                InputField("ratio", "Ratio", .number(0...1), default: 0.5),
                InputField("isQuick", "Quick", .boolean, default: true),
                InputField("level", "Level", .choice(["low", "high"]), default: "high"),
                InputField("file", "File", .file, required: true),
            ])
        #expect(InputField.problems(in: Everything.fields) == [])
    }

    @Test func `what passes the fields decodes, and what is left out is what the property begins with`() throws {
        let file: JSONValue = ["id": "f", "filename": "a.txt"]
        let input = try InputField.validate(["file": file, "count": 5], fields: Everything.fields)
            .decode(Everything.self)
        #expect(input.count == 5 && input.text == "a" && input.note == nil && input.level == .high)
        #expect(input.file?.filename == "a.txt")
    }

    struct Renamed: FormInput {
        var folder = ""
        enum CodingKeys: String, CodingKey { case folder = "dir" }
        static let fields = [InputField(\Self.folder, "Folder", required: true)]
    }

    @Test func `a property under another coding key is a field of that name, and a required one has no default`() {
        #expect(Renamed.fields == [InputField("dir", "Folder", .text(), required: true)])
    }

    struct Silent: FormInput {
        var folder = ""
        init() {}
        init(from decoder: any Decoder) throws {}
        func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: Key.self) }
        enum Key: CodingKey {}
        static let fields = [InputField(\Self.folder, "Folder")]
    }

    @Test func `a property that its input does not encode is reported to the author`() {
        #expect(InputField.problems(in: Silent.fields).first?.contains("labelled “Folder” has no name") == true)
    }

    struct Login: FormInput {
        var password: String? = "initial"
        static let fields = [InputField(\Self.password, "Password", .secret(maximumLength: 50))]
    }

    @Test func `a secret has no default, whatever its property begins with`() {
        #expect(Login.fields == [InputField("password", "Password", .secret(maximumLength: 50))])
        #expect(InputField.problems(in: Login.fields) == [])
    }

    struct Short: FormInput {
        var folder = "much too long"
        static let fields = [InputField(\Self.folder, "Folder", .text(maximumLength: 3))]
    }

    @Test func `a first value that its own field refuses is reported to the author`() {
        #expect(InputField.problems(in: Short.fields).first?.contains("default of the field folder") == true)
    }
}
