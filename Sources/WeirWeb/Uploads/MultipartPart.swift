/// The head of one part of a multipart body: which field it is, and which file, if it is one.
struct MultipartPart: Hashable, Sendable {
    /// The name of the field.
    let name: String
    /// The file's name as it was sent; nil for a plain value.
    let filename: String?
    /// The media type, if one was sent.
    let contentType: String?

    /// The last component of the file's name, in whatever system's spelling, without control characters.
    static func plainFilename(_ sent: String) -> String {
        // By scalars: a slash with a mark that combines with it is another character, and still a slash to a file system.
        let last = sent.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last ?? sent.unicodeScalars.prefix(0)
        let plain = String(String.UnicodeScalarView(last.filter { $0.value >= 0x20 && $0.value != 0x7f }))
        let name = String(plain.prefix(200))
        return ["", ".", ".."].contains(name) ? "file" : name
    }
}
