import WeirFlows
import WeirOperations
import WeirStates

/// What came with the start of a run and is neither written down nor handed to other servers.
struct RunParts: Sendable {
    /// What of the input must not be recorded, by field.
    var secrets: [String: JSONValue] = [:]
    /// The bytes of the file.
    var content: (any FileContent)?

    var isEmpty: Bool { secrets.isEmpty && content == nil }
}

/// The parts of runs that another server admits and this one carries out, from before that is asked until the runs begin.
final class RunPartsKeeper: Sendable {
    private struct Kept: Sendable {
        let parts: RunParts
        let begun = Deferred<Bool>()
        var isTaken = false
    }

    private struct Core {
        var kept: [String: Kept] = [:]
        /// Runs of which nobody knows whether they will be assigned, and whose parts are gone; oldest first.
        var lost: [String] = []
    }

    /// How many of those are known: a command that was withdrawn is carried out within seconds, or never.
    private static let lostLimit = 1_024

    private let core = Locked(Core())

    /// The runs whose parts are here.
    var runs: [String] { core.withLock { Array($0.kept.keys) } }

    func keep(_ parts: RunParts, for run: String) { core.withLock { $0.kept[run] = Kept(parts: parts) } }

    /// Begins a run with its parts, and lets go of them.
    ///
    /// `body` gets none for a run that came without, and is not called for one whose parts are gone; then this is false.
    func begin(_ run: String, _ body: (RunParts) throws -> Void) rethrows -> Bool {
        let (parts, isLost) = core.withLock { core in
            core.kept[run]?.isTaken = true
            return (core.kept[run]?.parts, core.lost.contains(run))
        }
        defer { remove(run) }
        if isLost { return false }
        try body(parts ?? RunParts())
        return true
    }

    /// Lets go of the parts of a run.
    ///
    /// - Parameters:
    ///   - run: The run's id.
    ///   - isLost: Whether it may be assigned all the same.
    /// - Returns: False if it has begun with them.
    @discardableResult
    func drop(_ run: String, isLost: Bool = false) -> Bool {
        let isHere = core.withLock { core in
            guard core.kept[run]?.isTaken == false else { return false }
            if isLost { core.lost = core.lost.suffix(Self.lostLimit - 1) + [run] }
            return true
        }
        if isHere { remove(run) }
        return isHere
    }

    /// Waits until a run whose parts are here has begun, or will not.
    func beginning(of run: String) async { _ = await core.withLock { $0.kept[run]?.begun }?.value() }

    /// Lets go of everything.
    func stop() {
        for run in runs { remove(run) }
    }

    private func remove(_ run: String) { core.withLock { $0.kept.removeValue(forKey: run)?.begun }?.resolve(true) }
}
