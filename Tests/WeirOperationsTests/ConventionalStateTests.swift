import Testing
import WeirOperations
import WeirStates

@Suite struct ConventionalStateTests {
    enum State: ConventionalState {
        case waiting
        case preparing
        case copying(file: String, progress: WorkProgress)
        case moving(progress: WorkProgress)
        case checking(WorkProgress)
        case succeeded(files: Int)
        case failed(message: String)
        case cancelled

        static let ownSamples: [Self] = [.preparing, .succeeded(files: 1)]
    }

    @Test func `where a run begins and ends follows from the names of the cases`() {
        #expect(State.initial == .waiting)
        #expect(State.cancelled(from: .preparing) == .cancelled)
        #expect(State.failed(OperationFailure("No.")) == .failed(message: "No."))
        #expect(State.waiting.phase == .idle)
        #expect(State.preparing.phase == .active)
        #expect(State.moving(progress: WorkProgress(1, of: 2)).phase == .active)
        #expect(State.succeeded(files: 1).phase == .succeeded)
        #expect(State.failed(message: "No.").phase == .failed)
        #expect(State.cancelled.phase == .cancelled)
    }

    @Test func `the progress is the one that the case carries, wherever it stands`() {
        let progress = WorkProgress(1, of: 2)
        #expect(State.copying(file: "a", progress: progress).progress == progress)
        #expect(State.moving(progress: progress).progress == progress)
        #expect(State.checking(progress).progress == progress)
        #expect(State.preparing.progress == nil)
        #expect(State.succeeded(files: 1).progress == nil)
    }

    @Test func `the samples are the author's and one each of the usual cases`() {
        #expect(
            State.samples == [
                .waiting, .preparing, .succeeded(files: 1), .failed(message: "An example of a reason."), .cancelled,
            ])
    }
}
