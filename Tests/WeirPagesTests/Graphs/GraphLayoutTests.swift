import TestSupport
import Testing
import WeirBoards
import WeirJournals

@testable import WeirPages

/// The places of a graph's nodes and edges.
@Suite struct GraphLayoutTests {
    /// A random graph whose needs are earlier nodes, mostly near ones.
    private static func graph(_ random: inout SeededGenerator) -> GraphShape {
        let count = Int.random(in: 1...60, using: &random)
        let reach = Int.random(in: 1...count, using: &random)
        let needs = (0..<count).map { node -> [Int] in
            (0..<Int.random(in: 0...3, using: &random)).compactMap { _ in
                node == 0 ? nil : Int.random(in: max(0, node - reach)..<node, using: &random)
            }
        }
        let isFinally = needs.indices.map { $0 == count - 1 && Bool.random(using: &random) }
        return GraphShape(needs: needs, isFinally: isFinally, label: Int.random(in: 0...40, using: &random))
    }

    @Test func `no two nodes overlap, edges go forward, and a shape always has the same layout`() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<100 {
            let shape = Self.graph(&random)
            let layout = GraphLayout(shape)
            let size = shape.size
            for (node, place) in layout.places.enumerated() {
                #expect(place.x >= 0 && place.x + size.width <= layout.width)
                #expect(place.y >= 0 && place.y + size.height <= layout.height)
                for other in layout.places.dropFirst(node + 1) where abs(other.x - place.x) < size.width {
                    #expect(abs(other.y - place.y) >= size.height)
                }
                for parent in shape.parents[node] {
                    #expect(layout.places[parent].x + size.width < place.x)
                    #expect(layout.rails.tops[parent] + size.height < layout.rails.tops[node])
                }
            }
            #expect(layout.order.sorted() == Array(shape.parents.indices))
            let again = GraphLayout(shape)
            #expect(
                again.places == layout.places && again.lines == layout.lines && again.rails.lines == layout.rails.lines)
        }
    }

    @Test(arguments: [
        ("a diamond", [[], [0], [0], [1, 2]], 0),
        ("two chains", [[], [], [0], [1], [2], [3]], 0),
        ("chains whose needs are declared crosswise", [[], [], [1], [0], [3], [2]], 0),
        ("a tree", [[], [0], [0], [1], [1], [2], [2]], 0),
        ("a long edge beside a chain", [[], [0], [1], [2], [0], [3, 4]], 0),
        ("three steps that all need three", [[], [], [], [0, 1, 2], [0, 1, 2], [0, 1, 2]], 9),
    ])
    func `known graphs have as few crossings as possible`(name: String, needs: [[Int]], crossings: Int) {
        #expect(GraphLayout(GraphShape(needs: needs)).crossings <= crossings, "\(name)")
    }

    @Test func `a step is in the middle of the steps that it leads to, also if others are taller`() {
        // Two trees of two levels side by side: each root leads to four steps, each of which leads to five.
        let inner = (0..<8).map { [$0 / 4] }
        let leaves = (0..<40).map { [2 + $0 / 5] }
        let layout = GraphLayout(GraphShape(needs: [[], []] + inner + leaves))
        for (node, children) in [(0, 2..<6), (1, 6..<10), (2, 10..<15), (9, 45..<50)] {
            let middle = children.reduce(0) { $0 + layout.places[$1].y } / children.count
            #expect(abs(layout.places[node].y - middle) <= 1)
        }
    }

    @Test func `no empty stripe crosses the picture, also beside steps without edges`() {
        let needs: [[Int]] = (0..<40).map { node in
            node == 0 ? [] : (0..<(node % 4)).map { (node * 7 + $0 * 17) % node }
        }
        let shape = GraphShape(needs: needs)
        let rows = Set(GraphLayout(shape).places.map(\.y)).sorted()
        let widest = zip(rows, rows.dropFirst()).map { $1 - $0 }.max() ?? 0
        #expect(widest <= shape.size.height + shape.size.gap)
    }

    @Test func `edges that others imply are not drawn`() {
        let shape = GraphShape(needs: [[], [0], [0, 1], [0, 1, 2]])
        #expect(shape.parents == [[], [0], [1], [2]])
    }

    @Test func `circles, unknown steps and a step that needs itself are drawn without these needs`() {
        let circle = GraphShape(needs: [[2, 9], [0], [1, 2], [-1, 2]])
        #expect(circle.parents == [[], [0], [1], [2]])
        #expect(GraphLayout(circle).places.count == 4)
        #expect(GraphLayout(GraphShape(needs: [])).order.isEmpty)
    }

    @Test func `a step that follows all others is last, on dashed edges from the steps that none needs`() {
        let layout = GraphLayout(GraphShape(needs: [[], [0], [0], []], isFinally: [false, false, false, true]))
        #expect(layout.order.last == 3)
        #expect(!layout.dashed.isEmpty && !layout.rails.dashed.isEmpty)
    }

    @Test func `two hundred steps have few rails and one layout per shape`() {
        let needs = (0..<200).map { node in node < 5 ? [] : [node - 5, node - (node % 5) - 1] }
        let shape = GraphShape(needs: needs)
        let layout = StepCache().layout(shape)
        #expect(layout.places.count == 200 && layout.rails.width <= 130)
    }
}

/// The steps that determined a run's duration.
@Suite struct CriticalPathTests {
    private static let start = Timestamp(milliseconds: 1_000_000)

    /// Steps by their begin and end in seconds; nil for one that was skipped.
    private static func path(_ times: [(Int64, Int64)?], _ parents: [[Int]]) -> [Int] {
        let steps = times.enumerated().map { index, time in
            var step = StepsProgress.Step("s\(index)", time == nil ? .skipped : .succeeded)
            step.began = time.map { start.after($0.0 * 1_000) }
            step.ended = time.map { start.after($0.1 * 1_000) }
            return step
        }
        return CriticalPath.nodes(steps, parents: parents, from: start)
    }

    @Test func `it leads through the needs that ended last to the step that ended last`() {
        #expect(Self.path([(0, 2), (2, 9), (2, 4), (9, 10)], [[], [0], [0], [1, 2]]) == [0, 1, 3])
        #expect(Self.path([(0, 2), (2, 9), (2, 4), nil], [[], [0], [0], [1, 2]]) == [0, 1])
        #expect(Self.path([nil, nil], [[], [0]]) == [])
    }

    @Test func `a skipped need is replaced by its own needs`() {
        #expect(Self.path([(0, 2), nil, (2, 3)], [[], [0], [1]]) == [0, 2])
    }

    @Test func `a step that waited for room follows the step whose end made room`() {
        #expect(Self.path([(0, 1), (0, 6), (6, 8)], [[], [], [0]]) == [1, 2])
        #expect(Self.path([(0, 5), (5, 8)], [[], []]) == [0, 1])
    }

    @Test func `a step that an earlier run performed is not part of it`() {
        var steps = [StepsProgress.Step("a", .succeeded), StepsProgress.Step("b", .succeeded)]
        (steps[0].began, steps[0].ended, steps[0].doneIn) = (Self.start, Self.start.after(90_000), "01k9before")
        (steps[1].began, steps[1].ended) = (Self.start.after(100), Self.start.after(900))
        #expect(CriticalPath.nodes(steps, parents: [[], [0]], from: Self.start) == [1])
    }
}
