import WeirJournals
import WeirStates

extension Publication {
    /// About how many bytes the publication adds to what is in memory already.
    var size: Int {
        var size = 256 + change.state.payload.size
        if let opening = change.draft.opening { size += opening.input.size }
        if let step = change.draft.step { size += step.size }
        if let store { size += store.log.count * MemoryLayout<StoreLogLine>.stride }
        // A new list of transitions is made with each; ticks share the one before.
        if change.isTransition, let run { size += run.transitions.count * MemoryLayout<Transition>.stride }
        return size
    }
}

extension StoreStep {
    /// About how many bytes the step takes.
    fileprivate var size: Int {
        effects.reduce(128 + (action?.payload.size ?? 0)) { size, effect in
            switch effect.kind {
            case .toast(let message): size + 64 + message.utf8.count
            case .navigation(let path): size + 64 + path.utf8.count
            case .download(_, _, let text): size + 128 + text.utf8.count
            case .other(_, let payload): size + 64 + payload.size
            }
        }
    }
}

extension JSONValue {
    /// About how many bytes the value takes.
    fileprivate var size: Int {
        switch self {
        case .null, .bool, .integer, .number: 16
        case .string(let text): 32 + text.utf8.count
        case .array(let elements): elements.reduce(32) { $0 + $1.size }
        case .object(let members): members.reduce(64) { $0 + 32 + $1.key.utf8.count + $1.value.size }
        }
    }
}
