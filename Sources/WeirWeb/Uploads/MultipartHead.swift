/// Reads the header lines of a part.
enum MultipartHead {
    static func read(_ bytes: [UInt8]) throws(MultipartMistake) -> MultipartPart {
        guard let text = String(validating: bytes, as: UTF8.self), !text.unicodeScalars.contains("\0") else {
            throw .head
        }
        var disposition: String?
        var contentType: String?
        // A line break is one character, whatever stands beside it.
        for line in text.split(separator: "\r\n" as Character) {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, parts[0].allSatisfy({ $0.isASCII && ($0.isLetter || $0 == "-") })
            else { throw .head }
            let value = String(parts[1].drop { $0 == " " || $0 == "\t" })
            guard !value.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" }) else { throw .head }
            switch parts[0].lowercased() {
            case "content-disposition":
                guard disposition == nil else { throw .head }
                disposition = value
            case "content-type":
                guard contentType == nil else { throw .head }
                contentType = value
            case "content-transfer-encoding":
                guard ["7bit", "8bit", "binary"].contains(value.lowercased()) else { throw .encoding }
            default: break
            }
        }
        guard let disposition else { throw .head }
        let parameters = try parameters(disposition)
        guard let name = parameters["name"], !name.isEmpty else { throw .head }
        return MultipartPart(name: name, filename: parameters["filename"], contentType: contentType)
    }

    /// The parameters of `form-data; name="…"; filename="…"`.
    ///
    /// In quotes, `%22`, `%0D` and `%0A` mean what they encode (as browsers write it, WHATWG HTML), and so does a
    /// backslash before a quote or a backslash (as curl does); any other backslash is itself.
    private static func parameters(_ disposition: String) throws(MultipartMistake) -> [String: String] {
        var rest = Substring(disposition)
        guard rest.lowercased().hasPrefix("form-data") else { throw .head }
        rest = rest.dropFirst("form-data".count).drop { $0 == " " }
        var parameters: [String: String] = [:]
        while !rest.isEmpty {
            guard rest.first == ";" else { throw .head }
            rest = rest.dropFirst().drop { $0 == " " }
            if rest.isEmpty { break }
            guard let equals = rest.firstIndex(of: "=") else { throw .head }
            let name = rest[..<equals].lowercased()
            rest = rest[rest.index(after: equals)...]
            guard ["name", "filename"].contains(name), parameters[name] == nil else { throw .head }
            parameters[name] = rest.first == "\"" ? try quoted(&rest) : token(&rest)
            rest = rest.drop { $0 == " " }
        }
        return parameters
    }

    private static func token(_ rest: inout Substring) -> String {
        let token = rest.prefix { $0 != ";" && $0 != " " }
        rest = rest[token.endIndex...]
        return String(token)
    }

    private static func quoted(_ rest: inout Substring) throws(MultipartMistake) -> String {
        var result = ""
        rest = rest.dropFirst()
        while let character = rest.popFirst() {
            if character == "\"" {
                return
                    result.replacing("%22", with: "\"").replacing("%0D", with: "\r").replacing("%0A", with: "\n")
            }
            if character == "\\", let next = rest.first, next == "\"" || next == "\\" {
                result.append(next)
                rest = rest.dropFirst()
            } else {
                result.append(character)
            }
        }
        throw .head
    }
}
