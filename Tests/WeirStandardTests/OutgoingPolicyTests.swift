import Testing

@testable import WeirStandard

@Suite struct OutgoingPolicyTests {
    private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    /// Whether a request to a URL may connect to an address, with these allowances, on a server at port 8080.
    private func refusal(_ url: String, _ address: String, allowing: [String] = []) throws -> String? {
        let allowances = try allowing.map { try #require(OutgoingAllowance($0), "\($0)") }
        let own = try [self.address("192.0.2.99"), self.address("2001:db8::99")]
        let policy = OutgoingPolicy(allowing: allowances, ownPort: { 8_080 }, ownAddresses: { own })
        return policy.refusal(of: try self.address(address), for: try HTTPTarget(url))?.description
    }

    // S5
    @Test(
        arguments: [
            ("127.0.0.1", .thisMachine), ("127.255.255.254", .thisMachine), ("0.0.0.0", .thisMachine),
            ("0.1.2.3", .thisMachine),
            ("::1", .thisMachine), ("::", .thisMachine), ("::ffff:127.0.0.1", .thisMachine),
            ("::ffff:7f00:1", .thisMachine),
            ("2002:7f00:1::1", .thisMachine), ("64:ff9b::7f00:1", .thisMachine), ("::ffff:0.0.0.0", .thisMachine),
            ("::127.0.0.1", .reserved), ("::8.8.8.8", .reserved),
            ("169.254.169.254", .linkLocal), ("fe80::1", .linkLocal), ("febf::1", .linkLocal),
            ("fe80::1%lo", .linkLocal),
            ("::ffff:169.254.169.254", .linkLocal), ("64:ff9b::a9fe:a9fe", .linkLocal),
            ("2002:a9fe:a9fe::", .linkLocal),
            ("10.0.0.1", .privateNetwork), ("172.16.0.1", .privateNetwork), ("172.31.255.255", .privateNetwork),
            ("192.168.0.1", .privateNetwork), ("100.64.0.1", .privateNetwork), ("100.127.255.255", .privateNetwork),
            ("fc00::1", .privateNetwork), ("fd12:3456::1", .privateNetwork), ("fec0::1", .privateNetwork),
            ("64:ff9b:1::1", .privateNetwork), ("::ffff:10.0.0.1", .privateNetwork), ("2002:0a00:1::", .privateNetwork),
            ("224.0.0.1", .multicast), ("239.255.255.255", .multicast), ("255.255.255.255", .multicast),
            ("ff02::1", .multicast),
            ("192.0.0.1", .reserved), ("192.0.2.1", .reserved), ("198.18.0.1", .reserved),
            ("198.19.255.255", .reserved),
            ("198.51.100.1", .reserved), ("203.0.113.1", .reserved), ("240.0.0.1", .reserved),
            ("192.88.99.1", .reserved),
            ("100::1", .reserved), ("2001::1", .reserved), ("2001:10::1", .reserved), ("2001:db8::1", .reserved),
            ("3fff::1", .reserved), ("5f00::1", .reserved), ("4000::1", .reserved), ("::1:0:0:1", .reserved),
            ("8.8.8.8", nil), ("1.1.1.1", nil), ("9.255.255.255", nil), ("11.0.0.0", nil), ("100.63.255.255", nil),
            ("100.128.0.0", nil), ("126.255.255.255", nil), ("128.0.0.0", nil), ("172.15.255.255", nil),
            ("172.32.0.0", nil),
            ("192.167.255.255", nil), ("192.169.0.0", nil), ("169.253.255.255", nil), ("169.255.0.0", nil),
            ("198.17.255.255", nil), ("198.20.0.0", nil), ("223.255.255.255", nil), ("2606:4700::1111", nil),
            ("2a00:1450::1", nil), ("::ffff:8.8.8.8", nil), ("2002:808:808::1", nil), ("64:ff9b::808:808", nil),
            ("2001:200::1", nil),
        ] as [(String, IPAddress.Restriction?)])
    func `an address is of the internet, or of a kind that requests are kept from`(
        text: String, restriction: IPAddress.Restriction?
    ) throws {
        #expect(try address(text).restriction == restriction)
        if let restriction {
            let refusal = try refusal("http://name.test:81/", text)
            #expect(
                refusal == "name.test leads to \(restriction.words), where requests are not allowed. "
                    + "An operator can allow it in the setting http-request.allow.")
        } else {
            #expect(try refusal("http://name.test:81/", text) == nil)
        }
    }

    // S5
    @Test(arguments: [
        "0", "127.1", "2130706433", "0x7f.1", "0x7f000001", "017700000001", "127.0.0.1.", "127.0.0.01", " 127.0.0.1",
        "127.0.0.1\u{0}", "1.2.3", "1.2.3.256", "[::1]", "::1::", "12345::", "", "localhost", "::ffff:1.2.3.4.5",
    ])
    func `other spellings are names, which the resolver makes addresses of`(text: String) {
        #expect(IPAddress(text) == nil || IPAddress(text) == IPAddress("127.0.0.1"))
        #expect(text == "127.0.0.01" || IPAddress(text) == nil)
    }

    @Test(arguments: [
        "127.0.0.1", "127.0.0.9", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1", "192.0.2.99", "2001:db8::99",
    ])
    func `this server is reached by no address, unless host and port are allowed`(text: String) throws {
        let everything = ["0.0.0.0/0", "::/0", "name.test"]
        let refusal = try refusal("http://name.test:8080/", text, allowing: everything)
        #expect(
            refusal == "name.test:8080 is this server itself, which requests must not reach. "
                + "An operator can allow it by adding name.test:8080 to the setting http-request.allow.")
        #expect(try self.refusal("http://name.test:8081/", text, allowing: everything) == nil)
        #expect(try self.refusal("http://name.test:8080/", text, allowing: ["name.test:8080"]) == nil)
        #expect(try self.refusal("http://name.test:8080/", text, allowing: ["name.test:8081"]) != nil)
    }

    @Test(arguments: [
        ("10.1.2.3", "10.1.2.3"), ("10.1.2.3", "10.0.0.0/8"), ("10.1.2.3", "10.1.2.3/32"), ("10.1.2.3", "0.0.0.0/0"),
        ("10.1.2.3", "::ffff:10.0.0.0/104"), ("::ffff:10.1.2.3", "10.0.0.0/8"), ("fd00::5", "fd00::/8"),
        ("fd00::5", "fd00::5"), ("fd00::5", "[fd00::5]:81"), ("10.1.2.3", "10.1.2.3:81"), ("10.1.2.3", "name.test"),
        ("10.1.2.3", "NAME.test."), ("10.1.2.3", "name.test:81"), ("64:ff9b::a01:203", "64:ff9b::/96"),
    ])
    func `an allowance lets requests through to what it names`(text: String, allowance: String) throws {
        #expect(try refusal("http://name.test:81/", text) != nil)
        #expect(try refusal("http://name.test:81/", text, allowing: ["192.168.0.1", allowance]) == nil)
    }

    @Test(arguments: [
        ("10.1.2.3", "10.1.2.4"), ("10.1.2.3", "10.1.2.2/32"), ("10.1.2.3", "11.0.0.0/8"), ("10.1.2.3", "10.1.2.3:82"),
        ("10.1.2.3", "other.test"), ("10.1.2.3", "e.test"), ("10.1.2.3", "name.test:82"), ("10.1.2.3", "::/0"),
        ("fd00::5", "0.0.0.0/0"), ("fd00::5", "fd01::/16"), ("10.129.0.1", "10.0.0.0/9"),
        ("10.1.2.3", "name.test.evil"), ("fd00::5", "fd00::6/128"), ("fd00::5", "fd00::1:0/112"),
    ])
    func `an allowance lets nothing else through`(text: String, allowance: String) throws {
        #expect(try refusal("http://name.test:81/", text, allowing: [allowance]) != nil)
    }

    @Test(arguments: [
        "", " ", "/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0.0/8:80", "::/129", "10/8", "127.1",
        "0x7f.1",
        "2130706433", "a:0", "a:65536", "a:b", "[::1", "::1]", "[10.0.0.1]", "a b", "a..b", "*.example.com", "http://a",
        "a@b", "10.0.0.0/0x8", "1.2.3.4.5", String(repeating: "a", count: 300), "bücher.example",
    ])
    func `what is no place cannot be allowed`(text: String) {
        #expect(OutgoingAllowance(text) == nil)
    }

    @Test func `addresses are written as they are read`() throws {
        for text in ["1.2.3.4", "::1", "2001:db8::5", "fe80::1"] { #expect(try address(text).description == text) }
        #expect(Port(65_536) == nil && Port(0) == nil && Port(-1) == nil && Port(Int.max) == nil)
        #expect(Port(65_535)?.number == 65_535 && Port(text: "00080")?.number == 80 && Port(text: "000080") == nil)
    }
}
