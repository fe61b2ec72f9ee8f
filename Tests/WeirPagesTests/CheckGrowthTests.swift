import Testing
import WeirBoards
import WeirOperations
import WeirStandard

@testable import WeirPages

/// The check costs the same for each operation, however many there are.
@Suite struct CheckGrowthTests {
    private func pages(_ catalog: Catalog, overlay: [String: String] = [:]) throws -> PageRenderer {
        PageRenderer(catalog: catalog, templates: try Fixture.templates(overlay))
    }

    private func copies(_ count: Int) -> Catalog {
        var catalog = Catalog()
        for index in 0..<count {
            catalog.add(CopyOperation(), id: "copy-\(index)", title: "Copy \(index)", summary: "Copies.")
        }
        return catalog
    }

    @Test func `of operations that are alike, each adds the rendering of its own states and nothing else`() throws {
        let counts = try [10, 20, 110].map { count in
            try pages(copies(count)).templateCheck.shapes {}.renderings
        }
        let states = CopyState.samples.count + 1  // and interrupted
        #expect(counts[1] - counts[0] == 10 * states)
        #expect(counts[2] - counts[0] == 100 * states)
    }

    @Test func `what pages can name is the same as if they were rendered of every operation`() throws {
        var catalog = copies(3)
        for entry in try Fixture().catalog.entries { catalog.add(entry) }
        catalog.add(StatesOnly<HTTPRequestInput, HTTPRequestState>(), id: "request", title: "Request", summary: "")
        catalog.add(StatesOnly<FileUploadInput, FileUploadState>(), id: "upload", title: "Upload", summary: "")
        catalog.add(
            StatesOnly<NoInput, HostVitalsState>(), id: "vitals", title: "Vitals", summary: "", tags: ["host"],
            lifetime: .whileWatched())
        catalog.add(
            TourOperation(), id: "tour", title: "Tour", summary: "Tours.", reentry: .queue, timeout: .seconds(9))
        catalog.addReported(id: "deploy", title: "Deploy", summary: "Is done elsewhere.")
        let check = try pages(catalog).templateCheck
        let (few, all) = (check.shapes {}.collected, check.shapes(isWhole: true) {}.collected)
        #expect(Set(few.keys) == Set(all.keys))
        for (template, shape) in all { #expect(few[template] == shape, "\(template)") }
    }

    @Test func `a mistake in the template of an operation that is like others is found`() throws {
        let file = "operations/copy-7/done.mustache"
        let found = try pages(copies(9), overlay: [file: "{{targett}}"]).check().map(\.description)
        #expect(found.contains("\(file):1: there is no variable targett here"), "\(found)")
    }

    @Test func `a check is given up between two operations`() throws {
        struct Enough: Error {}
        let pages = try pages(copies(50))
        var left = 5
        #expect(throws: Enough.self) {
            try pages.check { () throws(Enough) in
                left -= 1
                if left == 0 { throw Enough() }
            }
        }
        #expect(left == 0)
    }
}
