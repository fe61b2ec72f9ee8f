public import Foundation
public import WeirFlows
import WeirStates

/// Storage in which a store's state survives the process: the `SavedStateHandle` of *Redux for KMP*.
///
/// A store on a board does not need it, because the journal is its saved state. Each commit is a recorded change, and a
/// board restores the state of the store's last change when it opens. If that state no longer decodes, it remains in
/// the journal, the log reports it, and the store starts again with a step `unreadable`. This protocol is for other
/// stores and gives the same guarantees: the saved state is the last committed one, and a state that does not decode is
/// set aside.
public protocol SavedState: Sendable {
    /// Returns the bytes saved last, or nil if there are none.
    ///
    /// Throws the errors of the storage.
    func load() throws -> Data?
    /// Replaces the saved bytes.
    ///
    /// Called in the order of commits, never concurrently.
    func save(_ bytes: Data) throws
    /// Keeps bytes that do not decode in another place, and returns a name for it.
    func setAside(_ bytes: Data) throws -> String
}

/// A state saved in a file, which is replaced atomically each time.
public struct SavedStateFile: SavedState {
    private let file: URL

    /// Creates a saved state in a file; its folder must exist.
    public init(_ file: URL) {
        self.file = file
    }

    /// The file's bytes, or nil if there is no file.
    public func load() throws -> Data? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return try Data(contentsOf: file)
    }

    /// Replaces the file atomically.
    public func save(_ bytes: Data) throws {
        try bytes.write(to: file, options: .atomic)
    }

    /// Writes the bytes to another file in the same folder, under an unused name.
    public func setAside(_ bytes: Data) throws -> String {
        var number = 1
        func name(_ number: Int) -> URL { file.appendingPathExtension("unreadable-\(number)") }
        while FileManager.default.fileExists(atPath: name(number).path) { number += 1 }
        try bytes.write(to: name(number), options: .withoutOverwriting)
        return name(number).lastPathComponent
    }
}

extension Store where State: Codable {
    /// Restores the saved state, and then saves each committed state.
    ///
    /// If the saved state no longer decodes, it is set aside, the store keeps its state, and `report` is called. An older
    /// state never replaces a newer one; when saving ends, the last committed state has been saved.
    /// - Parameters:
    ///   - saved: where the state is saved.
    ///   - report: called with a sentence for each error.
    /// - Returns: the subscription that keeps saving; release it to stop.
    public func keep(
        in saved: any SavedState, report: @escaping @Sendable (String) -> Void
    ) -> FlowSubscription {
        restore(from: saved, report: report)
        return onCommit { commit in
            do {
                try saved.save(Data(JSONValue(encoding: commit.state).text().utf8))
            } catch {
                report("The state of revision \(commit.revision) could not be saved: \(error).")
            }
        }
    }

    private func restore(from saved: any SavedState, report: (String) -> Void) {
        var unreadable: Data?
        do {
            guard let bytes = try saved.load() else { return }
            unreadable = bytes
            rehydrate(try State(json: bytes), cause: "restored")
        } catch {
            guard let unreadable else { return report("The saved state could not be read: \(error).") }
            setAside(unreadable, in: saved, because: error, report: report)
        }
    }

    private func setAside(
        _ bytes: Data, in saved: any SavedState, because reason: any Error, report: (String) -> Void
    ) {
        do {
            let place = try saved.setAside(bytes)
            report("The saved state no longer decodes (\(reason)); it was saved as \(place), and the store restarts.")
        } catch {
            report("The saved state no longer decodes (\(reason)) and could not be set aside: \(error).")
        }
    }
}
