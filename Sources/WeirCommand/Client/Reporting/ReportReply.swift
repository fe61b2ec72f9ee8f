/// What a server's answer to a reporter means.
///
/// Pure.
enum ReportReply: Sendable, Hashable {
    /// It was taken, now or before.
    case taken
    /// The run has ended already, or is gone: what is left belongs in another.
    case ended
    /// It will not be taken, however often it is sent.
    case refused
    /// It may be taken later.
    case later

    /// Reads the status of an answer.
    ///
    /// - Parameters:
    ///   - status: The status of the answer.
    ///   - isOpening: Whether the request was to open the run.
    ///   - isProblem: Whether Weir described what is wrong; a proxy that stands before a server which is away does not.
    ///   - isClosed: Whether the answer says that the run has ended.
    init(status: Int, isOpening: Bool, isProblem: Bool, isClosed: Bool) {
        switch status {
        case 200..<300: self = .taken
        case 409 where isOpening || isClosed: self = .ended
        case 410: self = .ended
        case 404 where isProblem && !isOpening: self = .ended
        case 408, 429, 500..<600: self = .later
        case _ where !isProblem && status >= 400: self = .later
        default: self = .refused
        }
    }
}
