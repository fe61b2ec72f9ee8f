import Testing

@testable import WeirFlows

@Suite(.timeLimit(.minutes(15))) struct OneShotTests {
    @Test func `of several values the first is the one that everybody gets`() async {
        let early = OneShot<Int>()
        early.send(1)
        early.send(2)
        #expect(await early.value() == 1)
        let late = OneShot<Int>()
        async let value = late.value()
        late.send(3)
        late.send(4)
        #expect(await value == 3)
    }
}
