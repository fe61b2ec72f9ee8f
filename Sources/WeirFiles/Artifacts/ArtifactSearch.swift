import WeirFlows
import WeirStandard

/// Finds the files below a folder that match patterns; blocks.
struct ArtifactSearch {
    struct File: Sendable {
        let path: [[UInt8]]
        let name: String
        let size: Int64
    }

    /// The maximum number of entries and of nested folders that are looked at, and the time for that.
    static let entryLimit = 200_000
    static let depth = 64
    static let time = Duration.seconds(10)
    /// The maximum length of a name, in bytes.
    static let nameLimit = 400

    private let patterns: [ArtifactPattern]
    private var budget = WorkBudget(Self.time)
    private var rest = Self.entryLimit
    private var matched: Set<Int> = []
    private var found: [File] = []
    private(set) var remarks = ArtifactRemarks()

    /// Searches a folder.
    ///
    /// - Returns: The files, sorted by name, and a sentence for everything else that matches and for patterns without a
    ///   file.
    static func files(
        in folder: OpenFolder, matching patterns: [ArtifactPattern]
    ) -> (files: [File], remarks: ArtifactRemarks) {
        var search = ArtifactSearch(patterns)
        search.look(in: folder, [], patterns.map(\.start))
        for (index, pattern) in patterns.enumerated() where !search.matched.contains(index) {
            search.remarks.add("No file matches “\(pattern.text.inert(limit: 200))”, so none is kept.")
        }
        if search.isExhausted {
            search.remarks.add(
                "The folder where the program runs has too many files to look at all: more than \(entryLimit), or they "
                    + "take too long. Name them more closely in `artifacts`.")
        }
        return (search.found.sorted { $0.name < $1.name }, search.remarks)
    }

    private init(_ patterns: [ArtifactPattern]) { self.patterns = patterns }

    private var isExhausted: Bool { rest <= 0 || budget.isExceeded }

    private mutating func names(in folder: OpenFolder) -> [[UInt8]] {
        let (names, isCut) = folder.entries(limit: max(rest, 0))
        rest -= isCut ? rest : names.count
        return names
    }

    /// A component of a path as text that a URL can contain: without characters that control or steer it.
    private static func readable(_ component: [UInt8]) -> String {
        let text = String(decoding: component, as: UTF8.self).inert(limit: .max)
        let plain = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F || $0 == "\\" ? "_" : $0 }
        return plain.isEmpty ? "_" : String(String.UnicodeScalarView(plain))
    }

    private mutating func look(in folder: OpenFolder, _ path: [[UInt8]], _ places: [ArtifactPattern.Place]) {
        for name in names(in: folder) {
            guard !budget.isExceeded else { return }
            let next = zip(patterns, places).map { $0.place(after: $1, name) }
            let matching = zip(patterns, next).enumerated().filter { $1.0.isMatched(at: $1.1) }.map(\.offset)
            let continues = zip(patterns, next).contains { $0.continues(at: $1) }
            guard !matching.isEmpty || continues, let kind = folder.kind(of: name) else { continue }
            let path = path + [name]
            let text = path.map(Self.readable).joined(separator: "/")
            switch kind {
            case .file(let size) where !matching.isEmpty:
                matched.formUnion(matching)
                if text.utf8.count <= Self.nameLimit {
                    found.append(File(path: path, name: text, size: size))
                } else {
                    remarks.add("“\(text.prefix(100))” is not kept: its path is longer than \(Self.nameLimit) bytes.")
                }
            case .folder:
                if let literal = matching.first(where: { patterns[$0].isLiteral }) {
                    matched.insert(literal)
                    remarks.add(
                        "“\(text.prefix(200))” is a folder. To keep the files in it, write it with /** at the end.")
                }
                guard continues, path.count < Self.depth, let inner = folder.folder(name) else { continue }
                look(in: inner, path, next)
            case .link where !matching.isEmpty:
                matched.formUnion(matching)
                remarks.add("“\(text.prefix(200))” is not kept: it is a link, and links are not followed.")
            case .other where !matching.isEmpty:
                matched.formUnion(matching)
                remarks.add("“\(text.prefix(200))” is not kept: it is a pipe, a socket or a device, and no file.")
            case .file, .link, .other: break
            }
        }
    }
}

/// Sentences about files for the output of a run; only the first are printed.
struct ArtifactRemarks: Sendable {
    private static let limit = 10

    private var sentences: [String] = []
    private var omitted = 0

    mutating func add(_ sentence: String) {
        if sentences.count < Self.limit { sentences.append(sentence) } else { omitted += 1 }
    }

    var lines: [String] {
        omitted == 0 ? sentences : sentences + ["There are \(omitted) more remarks about files, which are left out."]
    }
}
