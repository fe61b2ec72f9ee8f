import WeirStates

extension ClientError {
    /// What an answer that is no success means to the person who asked.
    init(_ answer: ServerAnswer, from address: ServerAddress) {
        let problem = answer.problem
        let detail = problem.map { VisibleText.line($0.detail) }
        let sentence = detail ?? "The server answered with status \(answer.status)."
        switch answer.status {
        case 300..<400:
            let place = answer.header("Location").map { " (\(VisibleText.line($0)))" } ?? ""
            self.init(.misconfigured, "\(address) sends the request elsewhere\(place). Name the server's own address.")
        case 401:
            self.init(
                .forbidden,
                "\(address) does not accept the token, or needs one. Run `weir login \(address)` with a token that "
                    + "`weir token create` made.")
        case 403: self.init(.forbidden, sentence)
        case 408, 429, 500, 502, 503, 504:
            self.init(
                .unavailable, sentence, remedy: "Try again later.", isTemporary: true,
                retryAfter: answer.header("Retry-After").flatMap { Int64($0) })
        case _ where problem == nil:
            // Such as the page of a proxy that stands before a server which is away.
            self.init(
                .foreign,
                "What answers at \(address) is not a Weir server (status \(answer.status)). Check the address.",
                isTemporary: answer.status == 404)
        case 404, 410: self.init(.missing, sentence)
        default:
            let fields = (problem?.fields ?? []).map {
                "\n  \(VisibleText.line($0.name)): \(VisibleText.line($0.detail))"
            }
            self.init(.refused, sentence + fields.joined())
        }
    }
}
