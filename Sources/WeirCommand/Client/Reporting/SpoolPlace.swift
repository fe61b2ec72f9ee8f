import Foundation
import WeirStates

/// The position of sending in a spool: the request in flight, or the next one.
///
/// Pure. A request keeps its number and messages until it is answered, even across processes, so the server recognizes a
/// repetition and ignores it. The position must therefore be persisted before each request.
struct SpoolPlace: Sendable, Hashable, Codable {
    /// The maximum number of runs that one report is split into.
    static let maximumParts = 50

    /// The number of the current run; a run that the server ends early is continued in another.
    private(set) var part = 1
    private(set) var isOpen = false
    private(set) var number: Int64 = 0
    /// The range of the request's messages in the spool in bytes; `through` is nil if no request is in flight.
    private(set) var from: Int64 = 0
    private(set) var through: Int64?
    /// The number of states and lines that the run has.
    private(set) var recorded: Int64 = 0
    private var adding: Int64 = 0
    /// Set if the server is of a version that refuses the times of messages.
    var refusesTimes: Bool?

    init() {}

    func run(of header: SpoolHeader) -> String { part == 1 ? header.run : "\(header.run)-\(part)" }

    mutating func opened() { isOpen = true }

    /// Starts a request with the messages up to a position.
    mutating func begin(through end: Int64, messages: Int) {
        through = end
        adding = Int64(messages)
    }

    mutating func taken() {
        guard let through else { return }
        number = min(number, .max - 1) + 1
        from = through
        recorded = recorded.addingReportingOverflow(adding).partialValue
        self.through = nil
        adding = 0
    }

    /// Continues in another run after the server has ended this one with `count` states and lines, or nil if unknown.
    ///
    /// The server accepts a request atomically, so a count above the recorded one means that the request in flight was
    /// accepted.
    mutating func continued(recorded count: Int64?) {
        if let count, count > recorded, through != nil { taken() }
        part = min(part, Self.maximumParts) + 1
        (isOpen, number, recorded, adding, through) = (false, 0, 0, 0, nil)
    }

    var isExhausted: Bool { part > Self.maximumParts }
}

/// The run to report and its server: the first line of a spool.
struct SpoolHeader: Sendable, Hashable, Codable {
    let server: String
    let operation: String
    let run: String
    let title: String?
    let input: JSONValue

    /// Whether the name is a valid operation id: `a-z`, `0-9` and single hyphens, at most 40 characters.
    static func isOperation(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return name.utf8.count <= 40
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy {
                        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    }
            }
    }
}

/// The folder of undelivered reports: `weir/spool` in the user's state folder.
struct SpoolFolder: Sendable {
    let url: URL

    init(_ url: URL) { self.url = url }

    /// The folder in the state folder that the environment names.
    init(environment: [String: String]) {
        self.init(UserFolders(environment: environment).state.appending(path: "spool"))
    }

    /// The spools that no process holds, sorted by name, each opened when it is asked for: a folder can hold more spools than a
    /// process may open files.
    func waiting() -> AnyIterator<Spool> {
        let files = (try? FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)) ?? []
        var spools = files.filter { $0.pathExtension == "jsonl" }.sorted { $0.path < $1.path }.makeIterator()
        return AnyIterator {
            while let url = spools.next() { if let spool = Spool.open(url) { return spool } }
            return nil
        }
    }

    /// Locks the folder, as only one sender of waiting reports does at a time, until the handle is closed.
    ///
    /// Where the file system has no locks of folders, only those of the spools keep senders apart.
    /// - Throws: `ClientError` if another process is sending, or the folder cannot be used.
    func lock() throws(ClientError) -> FileHandle {
        let file: FileHandle
        do { file = try PrivateFile.open(url, flags: O_RDONLY | O_DIRECTORY) } catch {
            throw ClientError(
                .file, "Reports cannot be sent from \(url.path). Check the folder, or name another with --spool.")
        }
        guard flock(file.fileDescriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
            throw ClientError(
                .busy, "Another `weir send` is sending the reports in \(url.path). Run this again when it has ended.")
        }
        return file
    }
}
