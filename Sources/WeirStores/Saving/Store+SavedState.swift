import Foundation
public import WeirFlows
import WeirStates

extension Store where State: Codable {
    /// Restores the saved state, and from then on saves each committed state.
    ///
    /// If the saved state no longer decodes, it is set aside, the store stays as it is, and `report` is called. When
    /// saving ends, the last committed state has been saved: an older one never replaces a newer one.
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
