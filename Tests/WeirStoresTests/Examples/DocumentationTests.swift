import Foundation
import Testing

@Suite struct DocumentationTests {
    @Test func `all Swift of the page on stores is code that is compiled and tested here`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let page = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Documentation/stores.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let blocks = text.matches(of: /```swift\n(?s:(.*?))```/).map { String($0.output.1) }
        #expect(blocks.count >= 10)
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        let code = try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }
        for block in blocks {
            #expect(code.contains { $0.contains(block) }, "No file here has:\n\(block)")
        }
    }
}
