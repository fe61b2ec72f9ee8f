import Testing
import WeirStates

struct StateLineTests {
    @Test func `a line is a state's name and members in the order in which they stand`() throws {
        let line = try #require(StateLine("::weir  a=1 up b=\"x \\\"y\\\" \\\\\" c=::  "))
        #expect(line.state == "up")
        #expect(line.members.map(\.name) == ["a", "b", "c"])
        #expect(line.members.map(\.value) == ["1", "x \"y\" \\", ""])
        #expect(StateLine("::weir completed=1::")?.state == nil)
    }

    @Test(arguments: [
        "", ":", "::weir", "::weir ::", "::weir  ::", "weir up::", "::weir up:", "::weir up down::", "::weir a=1 a=2::",
        "::weir =1::", "::weir a=\"b::", "::weir a=\"b\"c::", "::weir a=\"b\\::", " ::weir up::", "::weir::",
        "::weir a=\"" + String(repeating: "x", count: 4_096) + "\"::",
    ])
    func `a line that is not exactly of that form is output`(line: String) {
        #expect(StateLine(line) == nil)
    }

    @Test func `a state's name begins with a letter and has at most 64 bytes of letters, digits and marks`() {
        for name in ["a", "Up.2-x_y", String(repeating: "x", count: 64)] { #expect(StateName.isValid(name)) }
        for name in ["", "1a", "-a", "a b", "é", "a/b", String(repeating: "x", count: 65)] {
            #expect(!StateName.isValid(name), "\(name)")
        }
    }
}
