import HTTPTypes
import Testing

@testable import Web

struct SecurityCheckTests {
    @Test(arguments: [
        "localhost", "localhost:8080", "LOCALHOST:1", "weir.localhost", "127.0.0.1", "127.0.0.1:8080", "[::1]:8080",
        "[::1]",
        "192.168.1.7:80", "[fe80::1]", "weir.example", "weir.example:8080", "other.example:81",
    ])
    func `a host that no other site can own is answered`(host: String) {
        #expect(HostCheck(allowed: ["Weir.example", "other.example:81"]).allows(host))
    }

    @Test(arguments: [
        "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "1.2.3", "256.1.1.1", "evil", "", ":80",
        "weir.example.evil.example", "other.example:82", "[evil.example]", "[::1]evil", "127.0.0.1:80:80",
        "localhost:x",
        "xlocalhost", "127.0.0.1@evil.example",
    ])
    func `any other host is refused`(host: String) {
        #expect(!HostCheck(allowed: ["weir.example", "other.example:81"]).allows(host))
    }

    @Test func `a request without a host comes from no browser`() {
        #expect(HostCheck(allowed: []).allows(nil))
        #expect(HostCheck(allowed: ["*"]).allows("anything.example"))
    }

    @Test func `only this dashboard's own pages, and no page at all, may change something`() {
        func allows(_ fields: [(String, String)], host: String = "localhost:8080") -> Bool {
            var headers = HTTPFields()
            for (name, value) in fields {
                if let name = HTTPField.Name(name) { headers[name] = value }
            }
            return CrossSiteCheck.allows(headers, authority: host)
        }
        #expect(allows([]))
        #expect(allows([("Sec-Fetch-Site", "same-origin"), ("Origin", "http://localhost:8080")]))
        #expect(allows([("Sec-Fetch-Site", "none")]))
        #expect(!allows([("Sec-Fetch-Site", "cross-site")]))
        #expect(!allows([("Sec-Fetch-Site", "same-site")]))
        #expect(!allows([("Sec-Fetch-Site", "")]))
        #expect(allows([("Origin", "http://localhost:8080")]))
        #expect(allows([("Origin", "https://weir.example")], host: "weir.example:443"))
        #expect(allows([("Origin", "http://weir.example")], host: "weir.example"))
        #expect(!allows([("Origin", "http://localhost:9090")]))
        #expect(!allows([("Origin", "null")]))
        #expect(!allows([("Origin", "http://evil.example")]))
        #expect(!allows([("Origin", "http://localhost:8080.evil.example")]))
    }

    @Test func `dates are written as HTTP wants them`() {
        #expect(HTTPDate.text(784_111_777_000) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.text(0) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate.text(951_782_400_000) == "Tue, 29 Feb 2000 00:00:00 GMT")
        #expect(HTTPDate.text(1_798_761_599_999) == "Thu, 31 Dec 2026 23:59:59 GMT")
    }
}
