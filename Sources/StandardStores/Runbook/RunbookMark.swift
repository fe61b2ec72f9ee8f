/// Why a step needs no more work: it is done, or it was skipped.
public enum RunbookMark: Codable, Hashable, Sendable {
    /// Done; unsigned where the file itself has it ticked.
    case done(signed: Signature?)
    /// Not to be done, and why.
    case skipped(reason: String, signed: Signature?)

    /// Who set the mark, and when.
    public var signed: Signature? {
        switch self {
        case .done(let signed), .skipped(_, let signed): signed
        }
    }
}
