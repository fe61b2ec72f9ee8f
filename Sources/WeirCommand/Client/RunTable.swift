import WeirStates

enum RunTable {
    /// The API's runs, one row each.
    static func runs(_ runs: [JSONValue]) -> String {
        var table = TextTable(["RUN", "OPERATION", "PHASE", "STATE", "PROGRESS", "STARTED", "BY"])
        for run in runs {
            let progress = run["progress"].flatMap(WorkProgress.init(told:))
            table.add([
                run["id"]?.string ?? "", run["operation"]?.string ?? "", Self.phase(of: run),
                StepLines.title(of: run["case"]?.string ?? "", in: run["state"] ?? .null),
                ChangeText.percent(progress).map { "\($0) %" } ?? ChangeText.amount(progress),
                run["startedAt"]?.string ?? "", run["actor"]?.string ?? "",
            ])
        }
        return table.text
    }

    /// The phase, with the attempt of a run that retries another.
    private static func phase(of run: JSONValue) -> String {
        let attempt = run["attempt"]?.integer ?? 1
        return (run["phase"]?.string ?? "") + (attempt > 1 ? " (attempt \(attempt))" : "")
    }

    /// The API's operations, one row each, with their start fields; `*` marks required ones.
    static func operations(_ operations: [JSONValue]) -> String {
        var table = TextTable(["OPERATION", "ACTIVE", "FIELDS", "TITLE"])
        for operation in operations {
            let fields = (operation["fields"]?.array ?? []).map {
                ($0["name"]?.string ?? "") + ($0["required"]?.bool == true ? "*" : "")
            }
            table.add([
                operation["id"]?.string ?? "", operation["activeRuns"]?.integer.map(String.init) ?? "",
                fields.joined(separator: " "), operation["title"]?.string ?? "",
            ])
        }
        return table.text
    }
}

/// A table with aligned columns, without padding of the last one.
///
/// Pure.
struct TextTable: Sendable {
    private var rows: [[String]]

    init(_ titles: [String]) { rows = [titles] }

    /// Adds a row, with terminal control characters replaced.
    mutating func add(_ cells: [String]) { rows.append(cells.map(VisibleText.line)) }

    var text: String {
        let widths = rows.reduce(into: [Int]()) { widths, row in
            for (index, cell) in row.enumerated() {
                let width = VisibleText.width(cell)
                if index < widths.count { widths[index] = max(widths[index], width) } else { widths.append(width) }
            }
        }
        return rows.map { row in
            let cells = zip(row, widths).enumerated().map { index, cell in
                index == row.count - 1 ? cell.0 : VisibleText.padded(cell.0, to: cell.1)
            }
            return cells.joined(separator: "  ") + "\n"
        }.joined()
    }
}

/// Makes untrusted text safe to print on a terminal.
enum VisibleText {
    /// A text as one line: control characters, newlines and bidirectional controls become `·`.
    static func line(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHidden) else { return text }
        var result = ""
        for scalar in text.unicodeScalars { result.unicodeScalars.append(isHidden(scalar) ? "·" : scalar) }
        return result
    }

    /// A line of program output: as ``line(_:)``, but tabs and colours (`ESC [ … m`) stay.
    static func output(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHidden) else { return text }
        var result = ""
        var rest = Substring(text).unicodeScalars
        while let scalar = rest.first {
            if scalar == "\u{1b}", let colour = Self.colour(in: rest) {
                result.unicodeScalars.append(contentsOf: colour)
                rest = rest[colour.endIndex...]
            } else {
                result.unicodeScalars.append(scalar != "\t" && isHidden(scalar) ? "·" : scalar)
                rest.removeFirst()
            }
        }
        return result
    }

    /// The width of a text in columns; wide East Asian characters and emoji take two.
    static func width(_ text: String) -> Int {
        text.reduce(0) { $0 + width($1) }
    }

    /// Truncates a text to a number of columns, with `…` at the end.
    static func cut(_ text: String, to columns: Int) -> String {
        guard width(text) > columns else { return text }
        var (result, taken) = ("", 1)
        for character in text {
            taken += width(character)
            if taken > columns { break }
            result.append(character)
        }
        return columns > 0 ? result + "…" : ""
    }

    static func padded(_ text: String, to columns: Int) -> String {
        text + String(repeating: " ", count: max(0, columns - width(text)))
    }

    private static func colour(in text: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView? {
        let body = text.dropFirst()
        guard body.first == "[" else { return nil }
        let numbers = body.dropFirst().prefix { ("0"..."9").contains($0) || $0 == ";" || $0 == ":" }
        guard numbers.endIndex < text.endIndex, text[numbers.endIndex] == "m" else { return nil }
        return text[text.startIndex...numbers.endIndex]
    }

    private static func width(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.value {
        case 0x1100...0x115f, 0x2e80...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f, 0xff00...0xff60,
            0xffe0...0xffe6, 0x1f300...0x1faff, 0x20000...0x3fffd:
            return 2
        default: return 1
        }
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        // Joiners are part of emoji and many scripts; bidirectional controls can disguise the contents of a line.
        case .format: scalar != "\u{200d}" && scalar != "\u{200c}"
        default: false
        }
    }
}

enum ShellText {
    /// An option with its value as words of a shell; a value that begins with a hyphen is joined to the option's name.
    static func option(_ name: String, _ value: String) -> String {
        "--\(name)\(value.hasPrefix("-") ? "=" : " ")\(quoted(value))"
    }

    /// A text as one word of a shell, in single quotes if it needs them.
    static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-_.,:/@%+=".utf8.contains(byte)
            }
        }
        return isPlain && !text.isEmpty ? text : "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
