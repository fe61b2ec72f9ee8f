import Operations

/// An error whose description is a sentence for a person: what happened and what to do, without paths or secrets.
public protocol ExplainedError: Error, CustomStringConvertible {}

/// The sentence a state shows for an error: its own where it has one, else one that gives nothing away.
func sentence(for error: any Error) -> String {
    if let explained = error as? any ExplainedError { return explained.description }
    if let timeout = error as? OperationTimeout { return timeout.description }
    return "This failed for a reason it does not know how to tell (\(type(of: error))). Try again; the log says more."
}
