import Foundation
import WeirJournals
import WeirPostgres

/// Where a journal is kept, as the setting `journal` says.
enum JournalPlace: Sendable {
    /// In memory, as long as the process runs.
    case memory
    /// In a file of the data folder.
    case file
    /// In a PostgreSQL database, at a URL that can have a password.
    case database(String)

    /// The place that the settings name.
    init(_ settings: Settings) {
        self =
            switch settings.text("journal") {
            case "memory": .memory
            case let text? where PostgresAddress.isURL(text): .database(text)
            default: .file
            }
    }

    /// Opens the journal for a server.
    func open(
        in folder: DataFolder, _ configuration: SQLiteJournal.Configuration
    ) async throws(StartError) -> any Journal {
        do {
            let journal: any Journal =
                switch self {
                case .memory: MemoryJournal(epoch: JournalEpoch.make())
                case .file:
                    try await SQLiteJournal.open(at: folder.journal, configuration: configuration) { Timestamp(Date()) }
                case .database(let url):
                    try await PostgresJournal.open(url, configuration: .init(node: try node(in: folder)))
                }
            guard try await journal.note(JournalCopy.note) == nil else {
                await journal.close()
                throw JournalError(.unavailable, "It is a copy that is not finished. Repeat weir journal copy.")
            }
            return journal
        } catch {
            let place = if case .file = self { "in \(folder.url.path)" } else { "in PostgreSQL" }
            throw .unavailable("The journal \(place) cannot be opened. \(Self.words(error))")
        }
    }

    /// Has a database answer soon or count as lost, as the server shuts down.
    static func hurry(_ journal: any Journal) { (journal as? PostgresJournal)?.hurry() }

    /// This server among all that use the database: named after its machine, and known again by its data folder.
    private func node(in folder: DataFolder) throws -> PostgresNode {
        let id = try folder.nodeID()
        return PostgresNode(id: id, name: "\(Self.machine)/\(id.prefix(4))")
    }

    /// The name of this machine, without asking the network for it.
    static var machine: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, 255) == 0 else { return "localhost" }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Opens the journal for a command that is soon over: for reading while a server may be recording, or for writing.
    func open(
        in folder: DataFolder, access: SQLiteJournal.Configuration.Access
    ) async throws(StartError) -> any Journal {
        switch self {
        case .memory: throw StartError.misconfigured("A journal in memory is gone when its server stops.")
        case .file: return try await BundleJournal.open(in: folder, access: access)
        case .database(let url):
            do {
                return try await PostgresJournal.open(
                    url, configuration: .init(isReadOnly: access == .reading, readers: 1))
            } catch {
                throw .unavailable("The journal in PostgreSQL cannot be opened. \(Self.words(error))")
            }
        }
    }

    /// The sentence of an error, and, of a database, what it said itself.
    private static func words(_ error: any Error) -> String {
        guard let error = error as? JournalError else { return "\(error)" }
        return error.cause.map { "\(error) (\($0))" } ?? "\(error)"
    }
}
