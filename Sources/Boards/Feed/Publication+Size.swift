import Journals
import States

extension Publication {
    /// About how many bytes the publication adds to what is in memory already.
    var size: Int {
        var size = 256 + change.state.payload.size
        if let opening = change.draft.opening { size += opening.input.size }
        // A new list of transitions is made with each; ticks share the one before.
        if change.isTransition, let run { size += run.transitions.count * MemoryLayout<Transition>.stride }
        return size
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
