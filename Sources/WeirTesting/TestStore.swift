import CustomDump
import IssueReporting
import WeirFlows
public import WeirStores

/// A store for tests, which fails on every change, action and effect that a test does not state.
///
/// ``send(_:_:fileID:filePath:line:column:)`` states how an action changes the state. Actions that work dispatches are
/// held until ``receive(_:_:fileID:filePath:line:column:)`` takes them, and effects until
/// ``receiveEffect(_:fileID:filePath:line:column:)`` takes them. ``finish(fileID:filePath:line:column:)`` states that
/// nothing is left. Pass a `VirtualClock` to work that sleeps, to avoid waiting.
public final class TestStore<R: Reducer> where R.Action: Equatable, R.Effect: Equatable {
    /// The current state.
    public private(set) var state: R.State
    /// The changes that were not stated while exhaustivity is off, in sentences.
    public private(set) var skipped: [String] = []
    /// How much the test must state from now on.
    public var exhaustivity: Exhaustivity

    private let reducer: R
    private let engine = TestEngine<R>()
    private let made: SourcePlace
    private let report: @Sendable (String, SourcePlace) -> Void
    private var effects: [R.Effect] = []
    private var isFinished = false

    /// Creates a store in a state.
    /// - Parameters:
    ///   - reducer: the reducer under test.
    ///   - state: the initial state; by default the reducer's.
    ///   - exhaustivity: how much the test must state.
    ///   - fileID: the location of the test.
    ///   - filePath: the location of the test.
    ///   - line: the location of the test.
    ///   - column: the location of the test.
    public convenience init(
        _ reducer: R, state: R.State? = nil, exhaustivity: Exhaustivity = .on, fileID: StaticString = #fileID,
        filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        self.init(
            reducer, state: state, exhaustivity: exhaustivity,
            made: SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        ) { message, place in
            reportIssue(
                message, fileID: place.fileID.text, filePath: place.filePath.text, line: place.line,
                column: place.column)
        }
    }

    init(
        _ reducer: R, state: R.State? = nil, exhaustivity: Exhaustivity = .on, made: SourcePlace,
        report: @escaping @Sendable (String, SourcePlace) -> Void
    ) {
        self.reducer = reducer
        self.state = state ?? reducer.initialState
        self.exhaustivity = exhaustivity
        self.made = made
        self.report = report
    }

    deinit {
        if !isFinished { checkNothingIsLeft(at: made) }
        engine.cancelAll()
    }

    /// Dispatches an action, and compares the new state with the previous one as modified by `expect`.
    ///
    /// Without `expect` the state must not change.
    public func send(
        _ action: R.Action, _ expect: ((inout R.State) -> Void)? = nil, fileID: StaticString = #fileID,
        filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        let waiting = engine.waitingActions
        if !waiting.isEmpty {
            note("\(waiting.count) action(s) wait to be received before the next is sent: \(list(waiting))", at: place)
            if exhaustivity != .on { while let held = engine.takeAction() { apply(held) } }
        }
        step(action, expect, place)
    }

    /// Takes the next action that work dispatched, and compares the state with the test's expectation.
    ///
    /// Suspends until there is an action; fails if no work is left that could dispatch one.
    public func receive(
        _ action: R.Action, _ expect: ((inout R.State) -> Void)? = nil, fileID: StaticString = #fileID,
        filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async {
        let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        for await _ in engine.news {
            while let received = engine.takeAction() {
                guard received == action else {
                    if exhaustivity == .on {
                        report("Another action was received:\n\(difference(action, received))", place)
                        return apply(received)
                    }
                    note("The action \(received) was received without being stated.", at: place)
                    apply(received)
                    continue
                }
                return step(received, expect, place)
            }
            if engine.runningWork.isEmpty, engine.waitingActions.isEmpty { break }
        }
        report("The action \(action) was never received, and no work is left that could send it.", place)
    }

    /// Takes the oldest effect, which must equal the given one.
    public func receiveEffect(
        _ effect: R.Effect, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) {
        let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        if exhaustivity != .on, let index = effects.firstIndex(of: effect) {
            for passed in effects[..<index] { note("The effect \(passed) was not stated.", at: place) }
            effects.removeSubrange(...index)
        } else if effects.isEmpty {
            report("There was no effect; expected \(effect).", place)
        } else {
            let first = effects.removeFirst()
            if first != effect { report("There was another effect:\n\(difference(effect, first))", place) }
        }
    }

    /// States that nothing is left: no action to receive, no effect, no running work.
    ///
    /// If work may still be about to end, await ``settle()`` first.
    public func finish(
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        isFinished = true
        checkNothingIsLeft(at: SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column))
        engine.cancelAll()
    }

    /// Waits until no work is running, or an action can be received.
    public func settle() async {
        _ = await engine.news.first { [engine] _ in engine.runningWork.isEmpty || !engine.waitingActions.isEmpty }
    }

    private func step(_ action: R.Action, _ expect: ((inout R.State) -> Void)?, _ place: SourcePlace) {
        var expected = state
        expect?(&expected)
        let before = state
        apply(action)
        if exhaustivity != .on, expect == nil, state != before {
            return note("The state changed without being stated:\n\(difference(before, state))", at: place)
        }
        if expect != nil, expected == before, state == before, exhaustivity == .on {
            return report("A change was expected, but the state did not change.", place)
        }
        if expected != state {
            let sentence = expect == nil ? "The state changed without being stated" : "The state is not as expected"
            report("\(sentence):\n\(difference(expected, state))", place)
        }
    }

    private func apply(_ action: R.Action) {
        let reduced = engine.reduce(action, state, by: reducer)
        state = reduced.state
        effects += reduced.effects
    }

    private func checkNothingIsLeft(at place: SourcePlace) {
        let waiting = engine.waitingActions
        if !waiting.isEmpty { note("\(waiting.count) action(s) were never received: \(list(waiting))", at: place) }
        if !effects.isEmpty { note("\(effects.count) effect(s) were never received: \(list(effects))", at: place) }
        let works = engine.runningWork.map { $0 ?? "without an id" }
        if !works.isEmpty {
            note("\(works.count) piece(s) of work are still running: \(works.joined(separator: ", "))", at: place)
        }
    }

    private func note(_ message: String, at place: SourcePlace) {
        switch exhaustivity {
        case .on: report(message, place)
        case .off(let show):
            skipped.append(message)
            if show { print("Not stated, \(place.fileID.text):\(place.line): \(message)") }
        }
    }

    private func list(_ values: [some Any]) -> String { values.map { "\($0)" }.joined(separator: ", ") }

    private func difference<Value>(_ expected: Value, _ actual: Value) -> String {
        diff(expected, actual) ?? "expected \(expected), was \(actual)"
    }
}

/// How much of a store's behaviour a test must state.
public enum Exhaustivity: Sendable, Hashable {
    /// Everything: each change, each action that work dispatches, each effect, and that no work is running at the end.
    case on
    /// Only what the test chooses; the rest is collected in ``TestStore/skipped`` and, on request, printed.
    case off(showSkipped: Bool)
}

/// The source location at which a test failure is reported.
struct SourcePlace: Sendable, Hashable {
    let fileID: StaticStringText
    let filePath: StaticStringText
    let line: UInt
    let column: UInt

    init(fileID: StaticString, filePath: StaticString, line: UInt, column: UInt) {
        self.fileID = StaticStringText(fileID)
        self.filePath = StaticStringText(filePath)
        self.line = line
        self.column = column
    }

    struct StaticStringText: Sendable, Hashable {
        let text: StaticString

        init(_ text: StaticString) { self.text = text }

        static func == (left: Self, right: Self) -> Bool { left.text.description == right.text.description }

        func hash(into hasher: inout Hasher) { hasher.combine(text.description) }
    }
}
