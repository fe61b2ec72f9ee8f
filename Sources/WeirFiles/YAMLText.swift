import Yams

/// Parses the subset of YAML that operation files use: texts, lists and mappings, without anchors and tags.
///
/// Anchors would allow a short file to expand to gigabytes, and tags would duplicate the declared type.
struct YAMLText {
    static let limit = 262_144
    static let maximumDepth = 50

    private let text: String
    private var list: MistakeList

    private init(_ text: String, file: String) {
        self.text = text
        list = MistakeList(file: file)
    }

    /// Parses a text; returns nil if the file is invalid or empty.
    static func read(_ text: String, _ list: inout MistakeList) -> FileValue? {
        var reader = YAMLText(text, file: list.file)
        let value = reader.value()
        for mistake in reader.list.mistakes { list.take(mistake) }
        return value
    }

    private mutating func value() -> FileValue? {
        guard text.utf8.count <= Self.limit else {
            list.note(
                .start, "The file is larger than 256 KiB. Put long scripts into files of their own and run these.")
            return nil
        }
        if let place = sharedAnchor() {
            list.note(place, "Anchors and aliases (& and *) are not supported. Write the value out where it is used.")
            return nil
        }
        do {
            // The parser owns the anchors.
            let parser = try Parser(yaml: text, resolver: .basic, encoding: .utf8)
            return try withExtendedLifetime(parser) {
                guard let root = try parser.singleRoot() else {
                    list.note(.start, "The file is empty. Begin with a title and a command.")
                    return nil
                }
                return convert(root, depth: 0)
            }
        } catch let error as YamlError {
            note(error)
        } catch {
            list.note(.start, "The file cannot be read as YAML.")
        }
        return nil
    }

    // MARK: Values

    private mutating func convert(_ node: Node, depth: Int) -> FileValue? {
        let place = FilePlace(node.mark)
        if node.anchor != nil {
            list.note(place, "Anchors (&) are not supported. Write the value out where it is used.")
            return nil
        }
        guard depth < Self.maximumDepth else {
            list.note(place, "Values are nested more than \(Self.maximumDepth) deep.")
            return nil
        }
        switch node {
        case .scalar(let scalar):
            guard isPlainTag(node, "str") else { return tagged(place) }
            let isQuoted = scalar.style != .plain && scalar.style != .any
            return FileValue(content: .text(scalar.string, isQuoted: isQuoted), place: place)
        case .sequence(let sequence):
            guard isPlainTag(node, "seq") else { return tagged(place) }
            return FileValue(content: .list(sequence.compactMap { convert($0, depth: depth + 1) }), place: place)
        case .mapping(let mapping):
            guard isPlainTag(node, "map") else { return tagged(place) }
            return members(mapping, place, depth)
        case .alias:
            list.note(place, "Aliases (*) are not supported. Write the value out.")
            return nil
        }
    }

    private mutating func members(_ mapping: Node.Mapping, _ place: FilePlace, _ depth: Int) -> FileValue? {
        var members: [FileMember] = []
        for (key, value) in mapping {
            if case .mapping = key {
                // An unquoted `{{x}}` is a mapping whose key is a mapping.
                list.note(place, "A text with {{…}} must be in quotes, such as \"{{database}}\".")
                return nil
            }
            let place = FilePlace(key.mark)
            guard case .scalar(let name) = key, key.anchor == nil, isPlainTag(key, "str") else {
                list.note(place, "A name must be a text.")
                continue
            }
            guard let value = convert(value, depth: depth + 1) else { continue }
            members.append(FileMember(name: name.string, place: place, value: value))
        }
        return FileValue(content: .mapping(members), place: place)
    }

    private func isPlainTag(_ node: Node, _ name: String) -> Bool {
        node.tag.description == "tag:yaml.org,2002:\(name)"
    }

    private mutating func tagged(_ place: FilePlace) -> FileValue? {
        list.note(
            place, "Tags (!) are not supported. A text that begins with an exclamation mark must be in quotes.")
        return nil
    }

    // MARK: Syntax errors

    /// The location of the first alias of an anchor, found in the text.
    ///
    /// The parser is not used for this: nested anchors make comparing its result take exponential time.
    private func sharedAnchor() -> FilePlace? {
        var anchors: Set<Substring> = []
        var aliases: [(name: Substring, place: FilePlace)] = []
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard line.utf8.contains(where: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "*") }) else { continue }
            var before: Character = " "
            for (column, index) in line.indices.enumerated() {
                let character = line[index]
                defer { before = character }
                guard character == "&" || character == "*", before.isWhitespace || "[{,:-".contains(before) else {
                    continue
                }
                let name = line[index...].dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
                guard !name.isEmpty else { continue }
                if character == "&" {
                    anchors.insert(name)
                } else {
                    aliases.append((name, FilePlace(line: number + 1, column: column + 1)))
                }
            }
        }
        return aliases.first { anchors.contains($0.name) }?.place
    }

    private mutating func note(_ error: YamlError) {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            list.note(FilePlace(mark), explain(problem, FilePlace(mark)))
        case .duplicatedKeysInMapping(let names, let context):
            let words = names.prefix(3).map { "`\($0.prefix(40))`" }.joined(separator: ", ")
            list.note(FilePlace(context.mark), "The name \(words) is given twice. Keep one.")
        case .reader:
            list.note(.start, "The file holds characters that YAML does not allow, such as NUL. Remove them.")
        default: list.note(.start, "The file cannot be read as YAML.")
        }
    }

    /// Explains a syntax error by its most likely cause.
    private func explain(_ problem: String, _ place: FilePlace) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let near = [place.line - 1, place.line - 2].filter { lines.indices.contains($0) }
            .map { lines[$0] }
        if near.first?.prefix(while: \.isWhitespace).contains("\t") == true {
            return "The line is indented with a tab, which YAML does not allow. Use spaces."
        }
        if near.contains(where: Self.hasBareBraces) {
            return "A text with {{…}} must be in quotes, such as \"{{database}}\"."
        }
        if problem.contains("alphabetic or numeric"), near.contains(where: { $0.contains("*") || $0.contains("&") }) {
            return "A text that begins with * or & must be in quotes, such as \"* * * * *\"."
        }
        if problem.contains("escape character") {
            return "In double quotes a backslash begins an escape. Put patterns in single quotes, such as '\\d+'."
        }
        if problem.contains("mapping values are not allowed") {
            return "A text with a colon and a space must be in quotes; or the line is indented differently from "
                + "its neighbours."
        }
        if problem.contains("cannot start any token") {
            return "A text that begins with %, @ or ` must be in quotes."
        }
        if problem.contains("another document") { return "The file holds more than one document. Keep one." }
        return "This is not YAML: \(problem)."
    }

    /// Whether a line contains `{{` outside quotes, approximately.
    private static func hasBareBraces(_ line: Substring) -> Bool {
        var quote: Character?
        var before: Character = " "
        for character in line {
            if character == quote {
                quote = nil
            } else if quote == nil, character == "\"" || character == "'" {
                quote = character
            } else if quote == nil, character == "{", before == "{" {
                return true
            }
            before = character
        }
        return false
    }
}

extension FilePlace {
    fileprivate init(_ mark: Mark?) {
        self.init(line: max(mark?.line ?? 1, 1), column: max(mark?.column ?? 1, 1))
    }
}
