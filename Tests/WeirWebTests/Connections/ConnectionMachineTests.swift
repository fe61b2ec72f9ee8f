import NIOCore
import Testing

@testable import WeirWeb

/// How long and how slow a client may be, second by second.
struct ConnectionMachineTests {
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    private static func at(_ seconds: Double) -> NIODeadline {
        start + .nanoseconds(Int64(seconds * 1_000_000_000))
    }

    private func machine(_ change: (inout ConnectionLimits) -> Void = { _ in }) -> ConnectionMachine {
        var limits = ConnectionLimits()
        change(&limits)
        return ConnectionMachine(limits: limits, now: Self.start)
    }

    @Test func `a connection may be open for a minute without a request`() {
        var machine = machine()
        #expect(machine.decision(now: Self.at(59)) == .fine)
        #expect(machine.decision(now: Self.at(60)) == .idle)
        machine.requestBegan(bodyLength: 0, now: Self.at(59))
        machine.requestEnded(now: Self.at(59))
        #expect(machine.decision(now: Self.at(600)) == .fine)
        machine.answerEnded(now: Self.at(600))
        #expect(machine.decision(now: Self.at(659)) == .fine)
        #expect(machine.decision(now: Self.at(660)) == .idle)
    }

    @Test func `a head that comes a byte a second ends the connection twenty seconds after its first byte`() {
        var machine = machine()
        for second in 10..<29 {
            machine.arrived(1, isBlank: false, now: Self.at(Double(second)))
            #expect(machine.decision(now: Self.at(Double(second))) == .fine)
        }
        #expect(machine.decision(now: Self.at(30)) == .slowHead)
        var late = self.machine()
        late.arrived(1, isBlank: false, now: Self.at(59))
        #expect(late.decision(now: Self.at(61)) == .fine)
    }

    @Test func `a stray line end between requests is the beginning of none`() {
        var machine = machine()
        machine.arrived(2, isBlank: true, now: Self.at(1))
        #expect(machine.decision(now: Self.at(40)) == .fine)
    }

    @Test func `a body of one byte each twenty-five seconds is ended, and so is one that stops`() {
        var machine = machine()
        machine.requestBegan(bodyLength: 1_000, now: Self.at(0))
        machine.readBegan(now: Self.at(0))
        machine.arrived(1, isBlank: false, now: Self.at(25))
        #expect(machine.decision(now: Self.at(29)) == .fine)
        #expect(machine.decision(now: Self.at(31)) == .slowBody)
        var silent = self.machine()
        silent.requestBegan(bodyLength: 1_000, now: Self.at(0))
        silent.readBegan(now: Self.at(0))
        #expect(silent.decision(now: Self.at(29.9)) == .fine)
        #expect(silent.decision(now: Self.at(30)) == .slowBody)
    }

    @Test func `a body at the lowest rate goes on for as long as it lasts, pauses included`() {
        var machine = machine()
        machine.requestBegan(bodyLength: nil, now: Self.at(0))
        machine.readBegan(now: Self.at(0))
        for second in 1...3_600 {
            // A pause of twenty seconds each ten minutes, and what it lost is sent in the next twenty.
            let isPause = second % 600 < 20
            if !isPause {
                machine.arrived(second % 600 < 41 ? 1_000 : 500, isBlank: false, now: Self.at(Double(second)))
            }
            #expect(machine.decision(now: Self.at(Double(second))) == .fine)
        }
    }

    @Test func `a quick beginning buys a body no more than half a minute of silence`() {
        var machine = machine()
        machine.requestBegan(bodyLength: nil, now: Self.at(0))
        machine.readBegan(now: Self.at(0))
        machine.arrived(100_000_000, isBlank: false, now: Self.at(1))
        machine.arrived(.max, isBlank: false, now: Self.at(1))
        #expect(machine.decision(now: Self.at(30.9)) == .fine)
        #expect(machine.decision(now: Self.at(31)) == .slowBody)
    }

    @Test func `while the server does not read, no time passes for the client`() {
        var machine = machine()
        machine.requestBegan(bodyLength: nil, now: Self.at(0))
        machine.readBegan(now: Self.at(0))
        machine.readEnded(now: Self.at(10))
        #expect(machine.decision(now: Self.at(1_000)) == .fine)
        machine.readBegan(now: Self.at(1_000))
        #expect(machine.decision(now: Self.at(1_019)) == .fine)
        #expect(machine.decision(now: Self.at(1_020)) == .slowBody)
    }

    @Test func `a request has its whole time for the body, however long the connection waited for its head`() {
        var machine = machine()
        machine.readBegan(now: Self.at(0))
        machine.requestBegan(bodyLength: 10, now: Self.at(50))
        #expect(machine.decision(now: Self.at(79)) == .fine)
        machine.requestEnded(now: Self.at(79))
        machine.requestBegan(bodyLength: 10, now: Self.at(79))
        #expect(machine.decision(now: Self.at(108)) == .fine)
        #expect(machine.decision(now: Self.at(109)) == .slowBody)
    }

    @Test func `a client that takes nothing is ended after a stall, one that takes little by little never`() {
        var machine = machine()
        machine.requestBegan(bodyLength: 0, now: Self.at(0))
        machine.requestEnded(now: Self.at(0))
        machine.wrote(1_000_000, now: Self.at(100))
        var unsent = 1_000_000
        for second in stride(from: 101, to: 1_000, by: 25) {
            unsent -= 1
            machine.observed(unsent: unsent, now: Self.at(Double(second)))
            #expect(machine.decision(now: Self.at(Double(second) + 24)) == .fine)
        }
        #expect(machine.decision(now: Self.at(1_020)) == .stalled)
        machine.observed(unsent: 0, now: Self.at(1_020))
        #expect(machine.decision(now: Self.at(2_000)) == .fine)
        // The wait for a next answer is no stall.
        machine.wrote(10, now: Self.at(2_000))
        #expect(machine.decision(now: Self.at(2_029)) == .fine)
        #expect(machine.decision(now: Self.at(2_030)) == .stalled)
    }

    @Test func `what the server takes its time for ends nobody`() {
        var machine = machine()
        machine.requestBegan(bodyLength: 0, now: Self.at(0))
        machine.requestEnded(now: Self.at(0))
        machine.readBegan(now: Self.at(0))
        #expect(machine.decision(now: Self.at(100_000)) == .fine)
    }

    @Test func `requests are read up to the limit, and further only where the client takes its answers`() {
        var machine = machine { $0.pipeline = 2 }
        #expect(machine.mayRead(isWritable: true))
        #expect(!machine.mayRead(isWritable: false))
        for _ in 0..<2 {
            machine.requestBegan(bodyLength: 5, now: Self.at(0))
            // Its own body is always read, or it could never be answered.
            #expect(machine.mayRead(isWritable: false))
            #expect(machine.slice == 5)
            machine.bodyArrived(5)
            machine.requestEnded(now: Self.at(0))
        }
        #expect(!machine.mayRead(isWritable: true))
        machine.answerEnded(now: Self.at(1))
        #expect(machine.mayRead(isWritable: true))
    }

    @Test func `who waits for whom is told by what has happened last`() {
        var machine = machine()
        #expect(machine.activity(now: Self.at(5)) == .idle(Self.at(0)))
        machine.readBegan(now: Self.at(5))
        machine.requestBegan(bodyLength: 10, now: Self.at(6))
        #expect(machine.activity(now: Self.at(7)) == .busy(Self.at(6)))
        #expect(machine.activity(now: Self.at(9)) == .slow(Self.at(6)))
        machine.requestEnded(now: Self.at(9))
        #expect(machine.activity(now: Self.at(20)) == .busy(Self.at(6)))
        machine.holdBegan(now: Self.at(20))
        #expect(machine.isHolding)
        #expect(machine.activity(now: Self.at(25)) == .held(Self.at(20)))
        machine.holdEnded()
        machine.wrote(10, now: Self.at(26))
        #expect(machine.activity(now: Self.at(27)) == .busy(Self.at(6)))
        #expect(machine.activity(now: Self.at(28)) == .slow(Self.at(26)))
        machine.observed(unsent: 0, now: Self.at(29))
        machine.answerEnded(now: Self.at(29))
        #expect(machine.activity(now: Self.at(40)) == .idle(Self.at(29)))
    }
}
