extension HTTPRequestState {
    /// One state of every case at least, with and without what may be missing.
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
