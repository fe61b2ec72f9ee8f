import Foundation
import WeirOperations
package import WeirStates

package enum HTTPRequestState: OperationState {
    case none
    /// The name is being resolved; skipped for numeric addresses.
    case resolving(host: String, attempt: Attempt)
    /// A connection to this address is being made, including TLS.
    case connecting(host: String, address: String, port: Int, attempt: Attempt)
    /// The request is being sent, and no response has started.
    case waiting(method: String, url: String, attempt: Attempt)
    /// The response is arriving; `bytes` of its body have arrived.
    case receiving(status: Int, bytes: Int64, total: Int64?, attempt: Attempt)
    /// An attempt failed; `attempt` is the next one.
    case retrying(message: String, milliseconds: Int64, attempt: Attempt)
    /// The response is as expected; `text` is its beginning, at most 2 kB, for display only.
    case success(
        status: Int, reason: String, url: String, milliseconds: Int64, headers: [HeaderField], text: String,
        textIsWhole: Bool, size: Int64, bodyIsWhole: Bool, attempt: Attempt)
    /// All attempts failed; status and text are those of an unexpected response.
    case error(message: String, attempt: Attempt?, milliseconds: Int64?, status: Int?, text: String?)
    /// The request was cancelled in the named case.
    case cancelled(during: String)

    package static var initial: Self { .none }

    package static func failed(_ error: any Error) -> Self {
        let known = error as? HTTPRequestError
        return .error(
            message: error.explanation, attempt: known?.attempt, milliseconds: known?.milliseconds,
            status: known?.status, text: known?.text)
    }

    package static func cancelled(from last: Self) -> Self { .cancelled(during: last.caseName) }

    package var phase: Phase {
        switch self {
        case .none: .idle
        case .resolving, .connecting, .waiting, .receiving, .retrying: .active
        case .success: .succeeded
        case .error: .failed
        case .cancelled: .cancelled
        }
    }

    package var progress: WorkProgress? {
        guard case .receiving(_, let bytes, let total, _) = self else { return nil }
        return WorkProgress(bytes, of: total, unit: .bytes)
    }

    private var caseName: String {
        switch self {
        case .none: "none"
        case .resolving: HTTPStep.resolving.rawValue
        case .connecting: HTTPStep.connecting.rawValue
        case .waiting: HTTPStep.waiting.rawValue
        case .receiving: HTTPStep.receiving.rawValue
        case .retrying: "retrying"
        case .success: "success"
        case .error: "error"
        case .cancelled(let step): step
        }
    }
}

extension HTTPRequestState: DetouringState {
    package static var detours: Set<String> { ["retrying"] }
}

extension HTTPRequestState {
    init(_ event: HTTPEvent, _ attempt: Attempt) {
        switch event {
        case .resolving(let host):
            self = .resolving(host: host, attempt: attempt)
        case .connecting(let host, let address, let port):
            self = .connecting(host: host, address: address, port: port, attempt: attempt)
        case .waiting(let method, let url):
            self = .waiting(method: method, url: url, attempt: attempt)
        case .receiving(let status, let bytes, let total):
            self = .receiving(status: status, bytes: bytes, total: total, attempt: attempt)
        }
    }

    init(_ answer: HTTPAnswer, milliseconds: Int64, _ attempt: Attempt) {
        self = .success(
            status: answer.status, reason: answer.reason.inert(limit: 60), url: answer.url.inert(limit: 2_000),
            milliseconds: milliseconds, headers: answer.notableHeaders,
            text: answer.text(limit: HTTPRequestOperation.textLimit),
            textIsWhole: answer.size <= Int64(HTTPRequestOperation.textLimit), size: answer.size,
            bodyIsWhole: answer.isWhole, attempt: attempt)
    }
}

extension HTTPAnswer {
    /// The header fields of interest, at most one of each, with values truncated.
    var notableHeaders: [HeaderField] {
        let names = [
            "content-type", "content-length", "content-encoding", "date", "server", "last-modified", "etag",
            "cache-control", "location", "retry-after",
        ]
        return names.compactMap { name in
            headers.first { $0.name.lowercased() == name }.map {
                HeaderField($0.name, $0.value.withoutUserInfo.inert(limit: 200))
            }
        }
    }

    /// The beginning of the body as text, cut at a character boundary; empty if it is not text.
    func text(limit: Int) -> String {
        var bytes = body.prefix(limit)
        guard !bytes.contains(0) else { return "" }
        if size > Int64(bytes.count), let start = bytes.lastIndex(where: { $0 & 0xC0 != 0x80 }), bytes[start] >= 0xC0 {
            bytes = bytes[..<start]
        }
        return String(decoding: bytes, as: UTF8.self).inert(limit: limit)
    }
}

extension HTTPRequestState {
    package static var samples: [Self] {
        let first = Attempt(1, of: 3)
        let refused = HTTPFailure.refused(address: "192.0.2.1", port: 80)
        return [
            .none,
            .resolving(host: "example.com", attempt: first),
            .connecting(host: "example.com", address: "192.0.2.1", port: 443, attempt: first),
            .waiting(method: "GET", url: "https://example.com/", attempt: first),
            .receiving(status: 200, bytes: 32_768, total: 131_072, attempt: first),
            .receiving(status: 200, bytes: 32_768, total: nil, attempt: first),
            .retrying(message: refused.description, milliseconds: 750, attempt: Attempt(2, of: 3)),
            .success(
                status: 200, reason: "OK", url: "https://example.com/", milliseconds: 184,
                headers: [HeaderField("Content-Type", "text/html"), HeaderField("Content-Length", "1256")],
                text: "<!doctype html>\n<title>Example Domain</title>", textIsWhole: true, size: 1_256,
                bodyIsWhole: true, attempt: first),
            .success(
                status: 200, reason: "OK", url: "https://example.com/endless", milliseconds: 30_184, headers: [],
                text: "0000", textIsWhole: false, size: 10_000_000, bodyIsWhole: false, attempt: Attempt(3, of: 3)),
            failed(HTTPRequestError(failure: refused, attempt: Attempt(3, of: 3), milliseconds: 2_250)),
            failed(
                HTTPRequestError(
                    failure: .unexpectedStatus(404, reason: "Not Found", expected: nil), attempt: Attempt(1, of: 1),
                    milliseconds: 52, status: 404, text: "Nothing here.")),
            failed(
                HTTPFailure.invalidURL(reason: "This is not a URL. Enter a complete one, such as http://example.com/.")),
            .cancelled(during: "waiting"),
        ]
    }
}
