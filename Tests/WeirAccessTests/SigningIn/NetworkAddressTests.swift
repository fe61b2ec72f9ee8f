import Testing

@testable import WeirAccess

@Suite struct NetworkAddressTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.1", false), ("192.0.2.7", "192.0.2.7", true),
        ("192.0.2.7", "192.0.2.8", false), ("192.0.2.128/25", "192.0.2.200", true),
        ("192.0.2.128/25", "192.0.2.100", false), ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "::1", false),
        ("2001:db8::/32", "2001:db8:5::1", true), ("2001:db8::/32", "2001:db9::1", false),
        ("127.0.0.1", "::ffff:127.0.0.1", true), ("fe80::/10", "fe80::1%eth0", true),
        ("2001:db8::1/128", "2001:db8::1", true), ("2001:db8::1/128", "2001:db8::2", false),
    ])
    func `a network holds its addresses`(range: String, address: String, isIn: Bool) throws {
        let range = try #require(NetworkRange(range))
        #expect(range.contains(try #require(NetworkAddress(address))) == isIn)
    }

    @Test(arguments: ["", "localhost", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "1.2.3", "10.0.0.0/08888", "::/129"])
    func `what is neither address nor network is none`(text: String) {
        #expect(NetworkRange(text) == nil)
    }

    @Test func `this machine's own addresses are known`() {
        for text in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            #expect(NetworkAddress(text)?.isLoopback == true)
        }
        for text in ["128.0.0.1", "::", "::2", "10.0.0.1"] { #expect(NetworkAddress(text)?.isLoopback == false) }
    }
}
