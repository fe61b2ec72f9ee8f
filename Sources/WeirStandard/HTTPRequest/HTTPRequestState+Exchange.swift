import Foundation

extension HTTPRequestState {
    /// The state that a step of the exchange puts the request in.
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

    /// The success that an answer is.
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
    /// The headers a person looks for, at most one of each, values cut short.
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

    /// The body's beginning as text, without what was cut in the middle of a character; empty where it is not text.
    func text(limit: Int) -> String {
        var bytes = body.prefix(limit)
        guard !bytes.contains(0) else { return "" }
        if size > Int64(bytes.count), let start = bytes.lastIndex(where: { $0 & 0xC0 != 0x80 }), bytes[start] >= 0xC0 {
            bytes = bytes[..<start]
        }
        return String(decoding: bytes, as: UTF8.self).inert(limit: limit)
    }
}
