import Testing

@testable import WeirBoards

struct BoundedBatchTests {
    private func portion(_ sizes: [Int], limit: Int, bytes: Int) -> BoundedBatch<Int> {
        var portion = BoundedBatch<Int>(limit: limit, bytes: bytes)
        portion.add(sizes, size: { $0 })
        return portion
    }

    @Test func `a portion has what fits of the beginning, and says whether more follows`() {
        #expect(portion([10, 10, 10], limit: 5, bytes: 100).elements == [10, 10, 10])
        #expect(!portion([10, 10, 10], limit: 5, bytes: 30).isCut)
        #expect(portion([10, 10, 10], limit: 5, bytes: 29).elements == [10, 10])
        let counted = portion([1, 1, 1], limit: 2, bytes: 100)
        #expect(counted.elements == [1, 1] && counted.isCut && counted.room == 0)
        // Nothing that comes behind what did not fit.
        #expect(portion([10, 95, 1], limit: 5, bytes: 100).elements == [10])
    }

    @Test func `the first element is in it, however large it is`() {
        let first = portion([1_000, 1], limit: 5, bytes: 100)
        #expect(first.elements == [1_000] && first.isCut)
    }

    @Test func `the larger the elements are, the fewer are read together`() {
        #expect(portion([], limit: 500, bytes: 1_000).room == 8)
        #expect(portion([], limit: 3, bytes: 1_000).room == 4)
        #expect(portion([1], limit: 500, bytes: 1_000).room == 64)
        #expect(portion([100, 1], limit: 500, bytes: 1_000).room == 10)
        #expect(portion([900], limit: 500, bytes: 1_000).room == 1)
        #expect(portion([5_000], limit: 500, bytes: 1_000).room == 1)
    }

    @Test func `what is not wanted takes no place, and its size counts for what is read next`() {
        var portion = BoundedBatch<Int>(limit: 2, bytes: 1_000)
        portion.add([100, 101, 200], size: { $0 }, where: { $0 % 2 == 1 })
        #expect(portion.elements == [101] && !portion.isCut && portion.batch == 5)
    }
}
