import Testing

@testable import WeirPages

@Suite struct URLTextTests {
    @Test(arguments: ["//evil.example/", "/\u{301}evil.example", "\\/evil.example", "/\\\u{301}/evil.example", ""])
    func `the address of a request never leads to another host`(request: String) {
        let url = URLText(request: request).text
        #expect(url.hasPrefix("/"))
        #expect(url.dropFirst().first != "/" && url.dropFirst().first != "\\")
    }
}
