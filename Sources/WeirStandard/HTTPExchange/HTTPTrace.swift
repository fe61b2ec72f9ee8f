import NIOHTTP1
import WeirOperations
import WeirStates

/// Logs an exchange in the style of `curl -v`: `*` for notes, `>` for sent and `<` for received lines.
///
/// Credentials are hidden, so that runs can be shown to others.
struct HTTPTrace: Sendable {
    private let output: OutputWriter
    private let elapsed: @Sendable () -> Int64

    static var silent: HTTPTrace { HTTPTrace(.discarding, elapsed: { 0 }) }

    init(_ output: OutputWriter, elapsed: @escaping @Sendable () -> Int64) {
        self.output = output
        self.elapsed = elapsed
    }

    func note(_ text: String) { output.offer("* " + text.inert(limit: 2_000), to: .notice) }

    /// Logs a note with the time since the start.
    func timed(_ text: String) { note("\(text) after \(elapsed()) ms") }

    func looksUp(_ host: String) { note("Looking up \(host)") }

    func found(_ addresses: [IPAddress], for host: String) {
        timed("\(host) is \(addresses.prefix(8).map(\.description).joined(separator: ", "))")
    }

    func connects(to target: HTTPTarget, at address: IPAddress) {
        let secure = target.isSecure ? ", to be secured by TLS as \(target.host)" : ""
        note("Connecting to \(address) port \(target.port)\(secure)")
    }

    func connected(to target: HTTPTarget) {
        timed(target.isSecure ? "Connected, TLS established, certificate of \(target.host) valid" : "Connected")
    }

    func sent(_ head: HTTPRequestHead) {
        output.offer("> \(head.method.rawValue) \(head.uri.inert(limit: 2_000)) \(head.version)")
        for (name, value) in head.headers { output.offer("> " + Self.field(name, value)) }
    }

    func received(_ head: HTTPResponseHead) {
        let colour =
            switch head.status.code {
            case 200..<300: 32
            case 300..<400: 33
            default: 31
            }
        let status = "\(head.version) \(head.status.code) \(head.status.reasonPhrase.inert(limit: 60))"
        output.offer("< \u{1B}[1;\(colour)m\(status)\u{1B}[0m")
        for (name, value) in head.headers { output.offer("< " + Self.field(name, value)) }
        timed("Head of the answer")
    }

    func ended(_ answer: HTTPAnswer) {
        timed(answer.isWhole ? "\(answer.size) bytes of body" : "Cut off \(answer.size) bytes into the body")
    }

    /// A header field, with secrets hidden.
    private static func field(_ name: String, _ value: String) -> String {
        let lower = name.lowercased()
        let isSecret = ["authorization", "cookie", "token", "secret", "api-key", "apikey", "password", "signature"]
            .contains { lower.contains($0) }
        return "\(name.inert(limit: 200)): \(isSecret ? "(hidden)" : value.withoutUserInfo.inert(limit: 1_000))"
    }
}
