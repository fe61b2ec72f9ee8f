import Testing
@testable import WeirCommand

struct InputArgumentsTests {
    @Test func `an input is what stands behind the first equals sign`() throws {
        let input = try InputArguments(["a=b=c", "empty=", "text= x ", "file=@f", "in=@-", "at=@@home", "n=-rf"])
        #expect(
            input.fields.map(\.source) == [
                .text("b=c"), .text(""), .text(" x "), .file("f"), .standardInput, .text("@home"), .text("-rf"),
            ])
        #expect(input.fields.map(\.name) == ["a", "empty", "text", "file", "in", "at", "n"])
    }

    @Test(arguments: [["a"], ["=b"], [""], ["a=1", "a=2"]])
    func `what is no input, or is given twice, is refused`(words: [String]) {
        let error = #expect(throws: ClientError.self) { try InputArguments(words).check(against: ["a"]) }
        #expect(error?.exitCode == 65)
    }

    @Test func `an input that takes several values is given once or several times`() throws {
        try InputArguments(["a=1", "a=2", "b=3"]).check(against: ["a", "b"], several: ["a"])
    }
}
