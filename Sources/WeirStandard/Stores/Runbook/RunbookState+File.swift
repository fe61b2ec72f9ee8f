package import Foundation
import WeirStates

extension RunbookState {
    /// The maximum size of a file.
    private static let sizeLimit = 262_144
    /// The maximum number of steps of a file, since each change is recorded, and sent, with all of them.
    static let stepLimit = 200
    // Unsafe: a pattern made of characters alone has no state of its own; it is compiled once, as it is used first.
    private nonisolated(unsafe) static let frontMatter = /---[ \t]*\n[A-Za-z_][\w-]*:(?s:.*?)\n---[ \t]*(?=\n|$)/

    /// Reads a runbook from a Markdown file.
    ///
    /// Throws `RunbookFileError`, which says what is wrong and what to do.
    package init(contentsOf file: URL, named name: String? = nil) throws {
        let name = name ?? file.lastPathComponent
        let text: String
        do throws(RegularFile.Failure) {
            text = try RegularFile.text(of: file.path, limit: Self.sizeLimit)
        } catch {
            let detail =
                switch error {
                case .missing, .unreadable: "cannot be read; choose an existing Markdown file that can be read"
                case .notRegular: "is a folder, a pipe or a device; choose a Markdown file"
                case .tooLarge: "is larger than 256 kB; split it into several runbooks"
                case .notText: "is not UTF-8 text; save it as UTF-8"
                }
            throw RunbookFileError(detail, file: name)
        }
        try self.init(markdown: text, file: name, title: file.deletingPathExtension().lastPathComponent)
    }

    /// Reads a runbook from Markdown.
    ///
    /// - Parameters:
    ///   - markdown: the text. Its line endings can be those of any system; a byte order mark and front matter are
    ///     skipped.
    ///   - file: how errors refer to it.
    ///   - title: the runbook's title if the text does not begin with a heading of level 1.
    /// - Throws: `RunbookFileError`.
    package init(markdown: String, file: String, title: String) throws {
        var text = markdown.plainLines
        if text.hasPrefix("\u{FEFF}") { text = String(text.unicodeScalars.dropFirst()) }
        // Its lines are blanked and not removed, so that errors have the right line numbers.
        if text.hasPrefix("---"), let front = text.prefixMatch(of: Self.frontMatter) {
            text = front.output.filter(\.isNewline) + text[front.range.upperBound...]
        }
        let reader = try RunbookReader.read(text, file: file)
        let count = reader.sections.reduce(0) { $0 + $1.steps.count }
        guard count > 0 else {
            throw RunbookFileError(
                "has no steps; write each step as an item of a task list: - [ ] what to do", file: file)
        }
        self.init(title: reader.title ?? title, sections: reader.sections)
    }
}

extension String {
    /// The same with lines that end in line feeds, and a space for each control character but these and tabs: `cmark` would
    /// keep it, and a step's own line would not, so that marks beside it would mean one thing here and another there.
    fileprivate var plainLines: String {
        guard utf8.contains(where: { ($0 < 0x20 && $0 != 0x0A && $0 != 0x09) || $0 >= 0x7F }) else { return self }
        var lines = String.UnicodeScalarView()
        var isAfterReturn = false
        for scalar in unicodeScalars {
            switch scalar {
            case "\r": lines.append("\n")
            case "\n": if !isAfterReturn { lines.append(scalar) }
            case "\t": lines.append(scalar)
            default: lines.append(scalar.properties.generalCategory == .control ? " " : scalar)
            }
            isAfterReturn = scalar == "\r"
        }
        return String(lines)
    }
}
