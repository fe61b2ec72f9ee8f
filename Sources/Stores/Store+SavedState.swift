public import Flows
import Foundation

extension Store where State: Codable {
    /// Takes up the state that was saved, and from then on saves each committed one.
    ///
    /// A saved state that no longer decodes is set aside, the store stays as it is, and `report` says so. What is saved
    /// is always the last committed state when saving ends: an older one never replaces a newer one.
    /// - Parameters:
    ///   - saved: where the state is kept.
    ///   - report: told each thing that went wrong, in a sentence.
    /// - Returns: what keeps the saving up; let go of it to stop.
    public func keep(
        in saved: any SavedState, report: @escaping @Sendable (String) -> Void
    ) -> FlowSubscription {
        restore(from: saved, report: report)
        return onCommit { commit in
            do {
                try saved.save(JSONEncoder().encode(commit.state))
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
            rehydrate(try JSONDecoder().decode(State.self, from: bytes), cause: "restored")
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
            report("The saved state no longer decodes (\(reason)); it is kept as \(place), and the store starts anew.")
        } catch {
            report("The saved state no longer decodes (\(reason)) and could not be set aside: \(error).")
        }
    }
}
