public import Foundation

extension RunbookState {
    /// The most bytes a file may have.
    private static let sizeLimit = 262_144
    /// The most steps a file may have: each change is recorded, and sent, with all of them.
    private static let stepLimit = 200

    /// Reads a runbook from a Markdown file.
    ///
    /// Throws `RunbookFileError`, which says what is wrong and what to do.
    public init(contentsOf file: URL, named name: String? = nil) throws {
        let name = name ?? file.lastPathComponent
        let bytes: Data
        do {
            bytes = try Data(contentsOf: file)
        } catch {
            throw RunbookFileError("cannot be read; name a Markdown file that is there and may be read", file: name)
        }
        guard bytes.count <= Self.sizeLimit else {
            throw RunbookFileError("is larger than 256 kB; split it into several runbooks", file: name)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw RunbookFileError("is not UTF-8 text; save it as UTF-8", file: name)
        }
        try self.init(markdown: text, file: name, title: file.deletingPathExtension().lastPathComponent)
    }

    /// Reads a runbook from Markdown.
    ///
    /// - Parameters:
    ///   - markdown: the text. Its lines may end as on any system; a byte order mark and front matter are passed over.
    ///   - file: what errors call it.
    ///   - title: what the runbook is called when the text does not begin with a heading of level 1.
    /// - Throws: `RunbookFileError`.
    public init(markdown: String, file: String, title: String) throws {
        var text = markdown.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        if text.hasPrefix("\u{FEFF}") { text = String(text.unicodeScalars.dropFirst()) }
        // Its lines are blanked and not removed, so that errors name the right one.
        if let front = text.prefixMatch(of: /---[ \t]*\n[A-Za-z_][\w-]*:(?s:.*?)\n---[ \t]*(?=\n|$)/) {
            text = front.output.filter(\.isNewline) + text[front.range.upperBound...]
        }
        let reader = try RunbookReader.read(text, file: file)
        let count = reader.sections.reduce(0) { $0 + $1.steps.count }
        guard count > 0 else {
            throw RunbookFileError(
                "has no steps; write each step as an item of a task list: - [ ] what to do", file: file)
        }
        guard count <= Self.stepLimit else {
            throw RunbookFileError(
                "has \(count) steps, and 200 are the most; split it into several runbooks", file: file)
        }
        self.init(title: reader.title ?? title, sections: reader.sections)
    }
}
