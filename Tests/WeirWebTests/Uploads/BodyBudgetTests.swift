import Testing

@testable import WeirWeb

struct BodyBudgetTests {
    @Test func `large bodies share what there is, and small ones are read nonetheless`() {
        let budget = BodyBudget(limit: 100_000)
        var large: BodyBudget.Share? = budget.share()
        #expect(large?.grow(by: 60_000) == true)
        #expect(large?.grow(by: 50_000) == true)
        #expect(budget.taken == 110_000 - BodyBudget.free)
        let other = budget.share()
        #expect(other.grow(by: 10_000))
        #expect(!other.grow(by: 60_000))
        #expect(budget.taken == 110_000 - BodyBudget.free)
        let small = budget.share()
        #expect(small.grow(by: BodyBudget.free))
        #expect(!small.grow(by: .max))
        large = nil
        #expect(budget.taken == 0)
        #expect(other.grow(by: 60_000))
    }
}
