import HTTPTypes

extension HTTPRequest {
    /// Whether nothing that follows on the connection is read: a request to tunnel, or to continue in another protocol.
    ///
    /// NIO's parser stops behind it, since what follows would be no HTTP had the wish been granted. It never is here,
    /// so the connection has to end with the answer; the client's next request would wait for one forever. Programs
    /// send such a wish with their first request and do not insist: `curl --http2` and Java's `HttpClient` do.
    var isLastRead: Bool {
        if method == .connect { return true }
        guard headerFields[.upgrade] != nil, let options = headerFields[.connection] else { return false }
        return options.split(separator: ",").contains { $0.lowercased().drop { $0 == " " }.hasPrefix("upgrade") }
    }

    /// How many bytes of body follow; nil where that is not announced.
    var bodyLength: Int? {
        guard headerFields[.transferEncoding] == nil else { return nil }
        guard let text = headerFields[.contentLength] else { return 0 }
        return Int(text).flatMap { $0 < 0 ? nil : $0 }
    }
}
