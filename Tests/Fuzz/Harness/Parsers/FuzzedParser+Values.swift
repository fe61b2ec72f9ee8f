import Foundation
import WeirJournals

@testable import WeirOperations
@testable import WeirStandard
@testable import WeirStates
@testable import WeirWeb

extension FuzzedParser {
    /// JSON, from bytes to a value, to text, to the same value.
    static let json = FuzzedParser("json", upTo: 2_048) { input in
        let value: JSONValue
        do {
            value = try JSONValue(parsing: Data(input.rest))
        } catch DecodingError.dataCorrupted(let context) {
            return expectSentence(context.debugDescription, upTo: 200)
        } catch {
            return expect(false, "JSON was refused with \(error)")
        }
        guard let text = try? value.text() else { return expect(false, "what was read cannot be written") }
        expect((try? JSONValue(parsing: text)) == value, "“\(text)” reads as another value")
        expect((try? JSONValue(parsing: text).text()) == text, "“\(text)” is written in two ways")
        // A number without fraction is encoded as a whole one; from then on it stays what it is.
        let encoded = try? JSONValue(encoding: value)
        expect(encoded != nil, "“\(text)” cannot be encoded")
        expect((try? JSONValue(encoding: encoded)) == encoded, "“\(text)” encodes as another value")
    }

    /// Forms, and JSON objects in their place, held against fields of every kind.
    static let forms = FuzzedParser("forms", upTo: 512) { input in
        let fields = fieldsOfEveryKind
        if let value = try? JSONValue(parsing: input.text) { validate(value, fields) }
        guard let form = FormFields(input.text) else { return }
        validate(InputField.object(fromForm: form.dictionary, fields: fields), fields)
    }

    private static let fieldsOfEveryKind: [InputField] =
        HTTPRequestInput.fields + [
            InputField("name", "Name", .text(maximumLength: 40), required: true),
            InputField("code", "Code", .text(maximumLength: 20, pattern: "[a-z]{2,5}-[0-9]+")),
            InputField("count", "Count", .integer(Int64.min...Int64.max)), InputField("agreed", "Agreed", .boolean),
            InputField("ratio", "Ratio", .number(-Double.infinity...Double.infinity)),
            InputField("file", "File", .file), InputField("mail", "Mail", .url(schemes: ["mailto"])),
        ]

    private static func validate(_ value: JSONValue, _ fields: [InputField]) {
        do throws(InputMistakes) {
            let valid = try InputField.validate(value, fields: fields)
            do throws(InputMistakes) {
                let again = try InputField.validate(valid, fields: fields)
                expect(again == valid, "\(valid) is another input when it is held against the fields again")
            } catch {
                expect(false, "what was accepted is refused: \(error)")
            }
            _ = try? valid.decode(HTTPRequestInput.self)
        } catch {
            expect(!error.mistakes.isEmpty, "refused without a mistake")
            expect(error.mistakes.count <= fields.count + 20, "\(error.mistakes.count) mistakes")
            for mistake in error.mistakes { expectSentence(mistake.detail) }
        }
    }

    /// Moments, as text.
    static let timestamps = FuzzedParser("timestamps", upTo: 64) { input in
        var input = input
        if input.choice(2) == 1 {
            // Any moment whose year has at most six digits, which is all that the text has room for.
            let moment = Timestamp(milliseconds: input.number() % 31_000_000_000_000_000)
            expect(Timestamp(moment.description) == moment, "\(moment) reads as another moment")
            return
        }
        guard let moment = Timestamp(input.text) else { return }
        expect(Timestamp(moment.description) == moment, "\(moment) reads as another moment")
        expect(moment.description.utf8.count <= 27, "\(moment) is long")
        expect((try? JSONValue(encoding: moment).decode(Timestamp.self)) == moment, "\(moment) decodes as another")
    }

    /// Names of files from outside, which become names of files here.
    static let filenames = FuzzedParser("filenames", upTo: 512) { input in
        let sent = input.text
        let safe = SafeFilename(sent)
        for name in [safe.text, safe.numbered(1), safe.numbered(2), safe.numbered(.max)] {
            expect((1...255).contains(name.utf8.count), "a name of \(name.utf8.count) bytes")
            expect(!name.hasPrefix("."), "the name \(name) is hidden")
            expect(
                name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f && $0 != "/" && $0 != "\\" },
                "the name \(name) leads elsewhere")
        }
        expect(SafeFilename(safe.text).text == safe.text, "\(safe.text) is not safe: it becomes another name")
        let plain = MultipartPart.plainFilename(sent)
        expect(!["", ".", ".."].contains(plain), "the plain name \(plain)")
        expect(plain.unicodeScalars.allSatisfy { $0 != "/" && $0 != "\\" }, "the plain name \(plain)")
        expect(plain.count <= 200, "a plain name of \(plain.count) characters")
    }
}
