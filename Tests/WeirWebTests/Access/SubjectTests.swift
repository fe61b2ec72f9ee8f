import Testing
@testable import WeirAccess
import WeirBoards
import WeirOperations

@testable import WeirWeb

/// What rules of access can be about, of what a server has.
struct SubjectTests {
    @Test func `rules can be about each decision of an operation and who takes it, but not about its other steps`() {
        let plan = StepsPlan([
            .init("copy", .run(operation: "keep", input: [:])),
            .init("approval", .approval(.init(prompt: StepValue([]), who: ["group:ops", "user:ana"]))),
            .init("go", .approval(.init(prompt: StepValue([])))),
        ])
        var catalog = Catalog()
        catalog.add(
            StepsOperation(plan, fields: []), id: "release", title: "Release", summary: "A test.", tags: ["live"],
            reentry: .concurrent, timeout: nil, schedule: nil, partOf: nil)
        catalog.add(store: Bell(), id: "bell", title: "Bell", summary: "Rings.", tags: ["live"])
        let subjects = catalog.subjects
        #expect(
            subjects.map(\.id) == [
                .operation("release"), .approval(operation: "release", step: "approval"),
                .approval(operation: "release", step: "go"), .store("bell"),
            ])
        #expect(subjects.dropLast().allSatisfy { $0.chosenAs == .operation("release") && $0.tags == ["live"] })
        #expect(subjects.map { $0.deciders?.count } == [nil, 2, nil, nil])
    }
}
