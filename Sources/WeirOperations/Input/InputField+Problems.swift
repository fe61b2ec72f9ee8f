import WeirStates

extension InputField {
    /// What is wrong with the declarations of fields themselves, in sentences for their author; empty when all is well.
    package static func problems(in fields: [InputField]) -> [String] {
        var names: Set<String> = []
        var time = TextPattern.Extent.input.time
        return fields.flatMap { field -> [String] in
            var problems = names.insert(field.name).inserted ? [] : ["The field \(field.name) is declared twice."]
            if field.name.isEmpty {
                problems.append(
                    "The field labelled “\(field.label)” has no name: its input must encode the property as one member "
                        + "of its own.")
            } else if !field.name.utf8.allSatisfy(isNameByte) {
                problems.append("The field name “\(field.name)” must be made of letters, digits and underscores.")
            }
            if case .text(_, let pattern?) = field.kind {
                do throws(TextPattern.Mistake) {
                    _ = try field.pattern.pattern(of: pattern)
                } catch {
                    problems.append("The pattern of the field \(field.name) cannot be used. \(error.sentence)")
                }
            }
            if field.isSecret, field.defaultValue != nil {
                problems.append(
                    "The field \(field.name) is secret, so it can have no default, which everybody would see.")
            } else if let value = field.defaultValue {
                do throws(InputRejection) {
                    _ = try field.check(value, within: &time)
                } catch {
                    problems.append("The default of the field \(field.name) does not fit it: \(error.message)")
                }
            }
            return problems
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
