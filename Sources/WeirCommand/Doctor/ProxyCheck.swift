import Foundation
import WeirStates

/// Examines the way from a public URL to the server: whether proxies pass on answers at once, silent connections, bodies, and
/// the facts about clients.
struct ProxyCheck {
    /// The pause between the first two pieces of the probe is a second.
    private static let buffered = Duration.milliseconds(500)
    /// An address for documentation (RFC 5737), which no client has.
    private static let forged = "192.0.2.77"
    private static let guide = "Documentation/nginx.conf is a configuration that works."

    let url: String
    let settings: Settings

    func findings() async -> [Finding] {
        guard let parts = URLComponents(string: url), ["http", "https"].contains(parts.scheme?.lowercased() ?? ""),
            parts.host?.isEmpty == false
        else {
            return [
                Finding(
                    "proxy", .failure, "“\(url)” is not a URL.",
                    remedy: "Write it whole, such as https://weir.example.com.")
            ]
        }
        do {
            return try await DoctorClient.with(url) { try await examine($0, parts) }
        } catch {
            return [
                Finding(
                    "proxy", .failure, "\(url) does not answer: \(DoctorClient.words(error)).",
                    remedy: "Check the name, the certificate and the proxy.")
            ]
        }
    }

    private func examine(_ client: DoctorClient, _ parts: URLComponents) async throws -> [Finding] {
        let live = try await client.get("health/live")
        guard live.status == 200, live.body?["status"]?.string == "live" else { return [refusal(live)] }
        let probe = try await probe(client)
        guard let facts = probe.facts else {
            return [
                Finding("proxy", .failure, "The answer of \(url) comes from another program or version than this one.")
            ]
        }
        var findings = [delivery(probe)] + seen(facts, parts)
        if facts["proxied"]?.bool == true, try await client.isBelieved(Self.forged) {
            findings.append(
                Finding(
                    "proxy", .failure, "Clients can choose the address that the server sees.",
                    remedy: "Let the proxy replace X-Forwarded-For: proxy_set_header X-Forwarded-For $remote_addr;"))
        }
        return findings + [try await uploads(client)].compactMap(\.self)
    }

    private func refusal(_ answer: DoctorClient.Answer) -> Finding {
        if let detail = answer.body?["detail"]?.string {
            return Finding("proxy", .failure, "The server refuses requests through \(url): \(detail)")
        }
        return Finding(
            "proxy", .failure, "\(url) answers with \(answer.status), and not as the server does.",
            remedy: "Check where the proxy passes requests on to, and that the server runs.")
    }

    // MARK: The time of answers

    private struct Probe {
        var facts: JSONValue?
        /// When each piece arrived, since the request.
        var arrivals: [Duration] = []
        var end: Duration = .zero
    }

    private func probe(_ client: DoctorClient) async throws -> Probe {
        var (probe, text) = (Probe(), "")
        let start = ContinuousClock.now
        do {
            try await client.stream("health/connection?wait=true", within: .seconds(30)) { status, part in
                guard status == 200 else { return false }
                text += part
                while let end = text.range(of: "\n\n") {
                    probe.arrivals.append(start.duration(to: .now))
                    if text.hasPrefix("data: ") {
                        probe.facts = try? JSONValue(parsing: String(text[..<end.lowerBound].dropFirst(6)))
                    }
                    text = String(text[end.upperBound...])
                }
                return true
            }
        } catch {
            // A connection that ends early is a finding.
            guard !probe.arrivals.isEmpty else { throw error }
        }
        probe.end = start.duration(to: .now)
        return probe
    }

    private func delivery(_ probe: Probe) -> Finding {
        let arrivals = probe.arrivals
        if arrivals.count > 1, arrivals[1] - arrivals[0] < Self.buffered {
            return Finding(
                "proxy", .failure,
                "A proxy before the server keeps answers back, so that pages and streams show changes late.",
                remedy:
                    "Switch its buffering off (nginx: proxy_buffering off, and no proxy_ignore_headers "
                    + "X-Accel-Buffering). \(Self.guide)"
            )
        }
        guard arrivals.count > 2 else {
            return Finding(
                "proxy", .failure,
                "A proxy ended a silent connection after \(probe.end.components.seconds) s; held answers are silent "
                    + "for 14 s.",
                remedy: "Let it wait for 30 s at least (nginx: proxy_read_timeout 30s). \(Self.guide)")
        }
        return Finding("proxy", .good, "\(url) passes on each part of an answer at once, also after 14 s of silence.")
    }

    // MARK: What the server sees

    private func seen(_ facts: JSONValue, _ parts: URLComponents) -> [Finding] {
        var findings: [Finding] = []
        let isSecure = parts.scheme?.lowercased() == "https"
        let expected = [parts.host ?? "", parts.port.map { $0 == (isSecure ? 443 : 80) ? "" : ":\($0)" } ?? ""].joined()
        if let host = facts["host"]?.string, host.lowercased() != expected.lowercased() {
            findings.append(
                Finding(
                    "proxy", .failure,
                    "The server sees the host “\(host)”, and browsers send “\(expected)”: it refuses their forms.",
                    remedy: "Pass the host on as it is: proxy_set_header Host $http_host; \(Self.guide)"))
        }
        if let scheme = facts["scheme"]?.string, scheme.lowercased() != parts.scheme?.lowercased() {
            findings.append(
                Finding(
                    "proxy", .failure,
                    "The server sees the scheme \(scheme), and browsers use \(parts.scheme ?? "another").",
                    remedy: "proxy_set_header X-Forwarded-Proto $scheme;"))
        }
        let client = facts["client"]?.string ?? "no address"
        switch (facts["proxied"]?.bool, facts["forwarded"]?.bool) {
        case (false, true):
            findings.append(
                Finding(
                    "proxy", .failure,
                    "The server does not believe the proxy, whose address is \(client): all clients have this one.",
                    remedy: "Start the server with --trusted-proxies \(client)"))
        case (true, false):
            findings.append(
                Finding(
                    "proxy", .warning,
                    "The proxy does not name the clients' addresses: all clients have that of the proxy.",
                    remedy: "proxy_set_header X-Forwarded-For $remote_addr;"))
        default: break
        }
        return findings.isEmpty ? [Finding("proxy", .good, "The server sees this client as \(client).")] : findings
    }

    // MARK: Bodies

    private func uploads(_ client: DoctorClient) async throws -> Finding? {
        guard let most = settings.bytes("upload.maximum-size") else { return nil }
        switch try await client.announce("health/live", length: most.bytes, within: .seconds(3)) {
        case 413:
            return Finding(
                "proxy", .failure, "A proxy refuses bodies of \(most), which is upload.maximum-size.",
                remedy: "Raise its limit (nginx: client_max_body_size 0), or lower the setting.")
        case nil:
            return Finding(
                "proxy", .warning, "A proxy keeps uploads until they are whole, before the server sees them.",
                remedy: "Let it pass them on as they arrive (nginx: proxy_request_buffering off).")
        default: return Finding("proxy", .good, "Bodies of \(most) are passed on.")
        }
    }
}

extension DoctorClient {
    /// Whether the server takes an address that this client claims for the client's.
    fileprivate func isBelieved(_ address: String) async throws -> Bool {
        var text = ""
        try await stream("health/connection", headers: [("X-Forwarded-For", address)], within: .seconds(5)) {
            status, part in
            text += part
            return status == 200 && !text.contains("\n\n")
        }
        return text.contains("\"client\":\"\(address)\"")
    }
}
