/// Why the server could not start, or a command could not do its work, in a sentence for the operator.
struct StartError: Error, CustomStringConvertible {
    /// What is wrong and what to do.
    let description: String
    /// What the process exits with, from sysexits.h.
    let exitCode: Int32

    /// A given file or run does not exist: 66, EX_NOINPUT.
    static func missing(_ description: String) -> StartError { StartError(description: description, exitCode: 66) }

    /// A file has wrong contents: 65, EX_DATAERR.
    static func malformed(_ description: String) -> StartError { StartError(description: description, exitCode: 65) }

    /// Something the server needs cannot be used: 69, EX_UNAVAILABLE.
    static func unavailable(_ description: String) -> StartError { StartError(description: description, exitCode: 69) }

    /// The server must be started again, as another has taken its place: 75, EX_TEMPFAIL.
    static func replaced(_ description: String) -> StartError { StartError(description: description, exitCode: 75) }

    /// A setting cannot be used: 78, EX_CONFIG.
    static func misconfigured(_ description: String) -> StartError {
        StartError(description: description, exitCode: 78)
    }
}
