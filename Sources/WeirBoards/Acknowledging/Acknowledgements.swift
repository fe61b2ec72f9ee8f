import Logging
import WeirFlows
import WeirJournals
import WeirStates

/// The acknowledgements of all operations, which one note of the journal stores.
final class Acknowledgements: Sendable {
    private static let note = "acknowledgements"

    let current = MutableStateFlow<[String: Acknowledgement]>([:])
    private let journal: any Journal
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    private let writing = AsyncLock()

    init(journal: any Journal, now: @escaping @Sendable () -> Timestamp, logger: Logger) {
        self.journal = journal
        self.now = now
        self.logger = logger
    }

    /// Loads the acknowledgements from the journal.
    ///
    /// Throws `JournalError` if the note cannot be read.
    func load() async throws {
        // Serialized with writes, so that an older note never replaces a newer one.
        try await writing.withLock {
            let known = parse(try await journal.note(Self.note))
            if known != current.value { current.value = known }
        }
    }

    /// Stores an acknowledgement, or removes it if nil; also removes those whose time is over.
    ///
    /// Throws the journal's error without changing anything.
    func set(_ acknowledgement: Acknowledgement?, of operation: String) async throws {
        try await change { $0[operation] = acknowledgement }
    }

    private func change(_ body: @Sendable (inout [String: Acknowledgement]) -> Void) async throws {
        try await writing.withLock {
            let moment = now()
            var changed = current.value
            body(&changed)
            changed = changed.filter { $0.value.isCurrent(at: moment) }
            guard changed != current.value else { return }
            try await journal.setNote(Self.note, changed.isEmpty ? nil : JSONValue(encoding: changed).text())
            current.value = changed
        }
    }

    /// Removes the acknowledgement of an operation that has succeeded since.
    func succeeded(_ operation: String, opened: SequenceNumber) async {
        guard let known = current.value[operation], opened > known.failure else { return }
        do {
            // Another failure may have been acknowledged since.
            try await change { known in
                if let latest = known[operation], opened > latest.failure { known[operation] = nil }
            }
        } catch {
            logger.warning(
                "An acknowledgement could not be removed; it no longer applies.",
                metadata: ["operation": "\(operation)", "cause": "\(Quoted(error))"])
        }
    }

    private func parse(_ text: String?) -> [String: Acknowledgement] {
        guard let text else { return [:] }
        do {
            return try JSONValue(parsing: text).decode([String: Acknowledgement].self)
        } catch {
            logger.error(
                "The acknowledgements cannot be read, so none applies.", metadata: ["cause": "\(Quoted(error))"])
            return [:]
        }
    }
}
