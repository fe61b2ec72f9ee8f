import HTTPTypes
import Testing

@testable import WeirWeb

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

    @Test func `an asterisk allows every name`() {
        #expect(HostCheck(allowed: ["*"]).allows("anything.example"))
    }

    @Test func `the names that are allowed can change while the server runs`() {
        let check = HostCheck(allowed: ["before.example"])
        check.allow(["After.example"])
        #expect(check.allows("after.example"))
        #expect(!check.allows("before.example"))
        #expect(check.allows("localhost"))
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

    @Test(arguments: [
        ("none", "http://evil.example"), ("same-origin", "http://evil.example"), ("same-origin", "null"),
        ("cross-site", "http://localhost:8080"), ("same-site", "http://localhost:8080"),
        ("same-origin", "http://localhost:9090"), ("same-origin", "ftp://localhost:8080"),
    ])
    func `where a browser says twice where a request comes from, both must allow it`(site: String, origin: String) {
        let headers: HTTPFields = [.secFetchSite: site, .origin: origin]
        #expect(!CrossSiteCheck.allows(headers, authority: "localhost:8080"))
    }

    @Test func `a field that is sent twice allows nothing`() {
        var headers: HTTPFields = [.origin: "http://localhost"]
        headers.append(HTTPField(name: .origin, value: "http://evil.example"))
        #expect(!CrossSiteCheck.allows(headers, authority: "localhost"))
        headers = [.secFetchSite: "same-origin"]
        headers.append(HTTPField(name: .secFetchSite, value: "cross-site"))
        #expect(!CrossSiteCheck.allows(headers, authority: "localhost"))
    }

    @Test func `where a proxy names the scheme of the browser, a page of the other scheme is another site`() {
        func allows(_ origin: String, forwarded: String) -> Bool {
            CrossSiteCheck.allows([.origin: origin, .forwardedProto: forwarded], authority: "weir.example")
        }
        #expect(allows("https://weir.example", forwarded: "https"))
        #expect(allows("https://weir.example", forwarded: "HTTPS, http"))
        #expect(allows("http://weir.example", forwarded: "http"))
        #expect(!allows("http://weir.example", forwarded: "https"))
        #expect(!allows("http://weir.example", forwarded: "https, http"))
        #expect(!allows("https://weir.example", forwarded: "http"))
    }

    @Test func `where the server itself encrypts, a page that was not encrypted is another site`() {
        func allows(_ origin: String, isEncrypted: Bool) -> Bool {
            CrossSiteCheck.allows([.origin: origin], authority: "weir.example", isEncrypted: isEncrypted)
        }
        #expect(allows("https://weir.example", isEncrypted: true))
        #expect(!allows("http://weir.example", isEncrypted: true))
        // A proxy that says nothing may encrypt or not.
        #expect(allows("https://weir.example", isEncrypted: false) && allows("http://weir.example", isEncrypted: false))
    }

    @Test func `a target that is a whole URL names the same server as the host, or another`() {
        for (target, host) in [
            ("/a?b=http://evil.example/", "localhost"), ("*", "localhost"), ("http://localhost/", "localhost"),
            ("HTTP://LocalHost:80/a", "localhost"), ("http://localhost:8080?x", "localhost:8080"),
            ("https://weir.example:443/", "weir.example"),
        ] {
            #expect(ParsedHeadCheck.agrees(target, with: host), "\(target)")
        }
        for (target, host) in [
            ("http://evil.example/", "localhost"), ("http://localhost:81/", "localhost"),
            ("http://evil@localhost/", "localhost"), ("http://localhost@evil.example/", "localhost"),
            ("javascript:/api/v1/runs", "localhost"), ("localhost/", "localhost"), ("", "localhost"),
            ("http://", "localhost"),
        ] {
            #expect(!ParsedHeadCheck.agrees(target, with: host), "\(target)")
        }
    }

    @Test func `dates are written as HTTP wants them`() {
        #expect(HTTPDate.text(784_111_777_000) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.text(0) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate.text(951_782_400_000) == "Tue, 29 Feb 2000 00:00:00 GMT")
        #expect(HTTPDate.text(1_798_761_599_999) == "Thu, 31 Dec 2026 23:59:59 GMT")
    }
}
