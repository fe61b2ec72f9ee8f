package import Foundation

extension Decodable {
    /// Reads a value from the UTF-8 bytes of a JSON text, whoever wrote it.
    ///
    /// Foundation's decoder ends the process for a text that breaks off behind its 513th open bracket. So what is not JSON, or is
    /// nested more deeply than 512, is refused before.
    ///
    /// Throws `DecodingError` with what is wrong.
    package init(json data: Data) throws {
        let whole = try JSONValue(parsing: data)
        // Never traps: the text is whole.
        let decoder = JSONDecoder()
        if let key = CodingUserInfoKey.wholeJSON { decoder.userInfo[key] = whole }
        self = try decoder.decode(Self.self, from: data)
    }
}
