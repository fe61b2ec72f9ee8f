package import Foundation
import WeirStates

extension RunbookState {
    private static let sizeLimit = 262_144
    /// The maximum number of steps, because each change records and sends all of them.
    static let stepLimit = 200
    // Unsafe: a pattern of characters only has no state, and is compiled once, on first use.
    private nonisolated(unsafe) static let frontMatter = /---[ \t]*\n[A-Za-z_][\w-]*:(?s:.*?)\n---[ \t]*(?=\n|$)/

    /// Reads a runbook from a Markdown file, and returns remarks about boxes that are no steps.
    ///
    /// Throws `RunbookFileError`.
    package static func read(contentsOf file: URL) throws -> (RunbookState, remarks: [RunbookFileError]) {
        let name = file.lastPathComponent
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
        let title = file.deletingPathExtension().lastPathComponent
        let reader = try reader(of: text, file: name)
        return (RunbookState(reader, title: title), reader.remarks)
    }

    /// Reads a runbook from a Markdown file; throws `RunbookFileError`.
    init(contentsOf file: URL) throws { self = try Self.read(contentsOf: file).0 }

    /// Parses a runbook from Markdown.
    ///
    /// - Parameters:
    ///   - markdown: The text with any line endings; a byte order mark and front matter are skipped.
    ///   - file: The file name for errors.
    ///   - title: The title if the text does not start with a heading of level 1.
    /// - Throws: `RunbookFileError`.
    init(markdown: String, file: String, title: String) throws {
        self.init(try Self.reader(of: markdown, file: file), title: title)
    }

    private static func reader(of markdown: String, file: String) throws -> RunbookReader {
        var text = markdown.plainLines
        if text.hasPrefix("\u{FEFF}") { text = String(text.unicodeScalars.dropFirst()) }
        // Lines are blanked rather than removed, to keep line numbers.
        if text.hasPrefix("---"), let front = text.prefixMatch(of: frontMatter) {
            text = front.output.filter(\.isNewline) + text[front.range.upperBound...]
        }
        let reader = try RunbookReader.read(text, file: file)
        let count = reader.sections.reduce(0) { $0 + $1.steps.count }
        guard count > 0 else {
            throw RunbookFileError(
                "has no steps; write each step as an item of a task list: - [ ] what to do", file: file)
        }
        return reader
    }

    private init(_ reader: RunbookReader, title: String) {
        self.init(title: reader.title ?? title, sections: reader.sections)
    }
}

extension String {
    /// Normalizes line endings and replaces other control characters except tabs by spaces.
    ///
    /// `cmark` keeps control characters but the step's own line does not, so that adjacent marks could be parsed differently.
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

/// An invalid runbook file, with a sentence that says how to fix it.
package struct RunbookFileError: Error, Equatable, CustomStringConvertible {
    /// The reason and the remedy, without the file's name.
    package let detail: String
    /// The line from 1; nil for the whole file.
    package let line: Int?
    let file: String

    package init(_ detail: String, file: String, line: Int? = nil) {
        self.detail = detail
        self.file = file
        self.line = line
    }

    package var description: String { "\(file)\(line.map { ":\($0)" } ?? ""): \(detail)" }
}
