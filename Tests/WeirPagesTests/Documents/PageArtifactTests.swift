import Foundation
import Testing

@testable import WeirPages

/// The contents of kept files as pages show them.
@Suite struct PageArtifactTests {
    private func table(_ text: String) -> (rows: [[String]], isCut: Bool)? {
        guard case .table(let rows, let isCut) = PageArtifact.Body(Data(text.utf8), isCut: false, separator: ",") else {
            return nil
        }
        return (rows, isCut)
    }

    @Test func `a table says that it is cut only if rows or cells are left out`() throws {
        let whole = String(repeating: "a,b\n", count: 200)
        #expect(try #require(table(whole)).isCut == false)
        #expect(try #require(table(whole)).rows.count == 200)
        #expect(try #require(table(whole + "c")).isCut)
        let wide = Array(repeating: "a", count: 50).joined(separator: ",")
        #expect(try #require(table(wide)).isCut == false)
        #expect(try #require(table(wide + ",b\n")).isCut)
        #expect(try #require(table(wide + ",b\n")).rows.first?.count == 50)
    }

    @Test func `quoted cells contain separators, line breaks and quotes`() throws {
        #expect(try #require(table("\"a,b\",\"c\nd\",\"e\"\"f\"\ng")).rows == [["a,b", "c\nd", "e\"f"], ["g"]])
    }
}
