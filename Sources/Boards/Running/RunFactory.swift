/// Makes what starts runs of an operation whose type is not known here.
protocol RunFactory: Sendable {
    /// What starts the operation's runs on one board.
    func starter(id: String, recorder: Recorder, outputs: OutputDesk, clock: any Clock<Duration>) -> any RunStarter
}
