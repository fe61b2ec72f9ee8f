import WeirBoards
import WeirStates
import WeirWeb

extension Settings {
    /// Whether only programs of this machine reach the server.
    ///
    /// They may say for whom they act; elsewhere anybody could.
    var isOnLoopback: Bool { ["127.0.0.1", "::1", "localhost"].contains(text("host") ?? "127.0.0.1") }

    /// Sets how many runs may go, and how long reported ones may be silent.
    func setLimits(of board: inout Board.Configuration) {
        set(&board.maximumActiveRuns, "runs.maximum")
        set(&board.maximumActiveRunsPerOperation, "runs.maximum-per-operation")
        set(&board.maximumActiveRunsPerActor, "runs.maximum-per-actor")
        set(&board.maximumReportedRuns, "reports.maximum")
        set(&board.reportLease, "reports.lease")
        set(&board.maximumReportLease, "reports.maximum-lease")
    }

    /// Sets what clients may take of the server.
    func setLimits(of web: inout WebConfiguration) {
        web.showsViewers = text("store.viewers") != "no"
        set(&web.maximumStateBytes, "store.state-bytes")
        set(&web.stateWritesPerMinute, "store.state-writes")
        web.maximumUploadBytes = bytes("upload.maximum-size")?.bytes
        web.unfinishedUploads.bytes = bytes("upload.maximum-unfinished")?.bytes ?? web.unfinishedUploads.bytes
        web.unfinishedUploads.age = Int64(max(1, integer("upload.keep-days") ?? 3)) * 86_400_000
        web.maximumImportBytes = bytes("import.maximum-size")?.bytes ?? web.maximumImportBytes
        web.maximumImportLine = bytes("import.maximum-line") ?? web.maximumImportLine
        set(&web.maximumExports, "export.maximum-concurrent")
        web.connections.count = integer("connections.count")
        web.connections.countPerAddress = integer("connections.per-address")
        set(&web.connections.idle, "connections.idle")
        set(&web.connections.head, "connections.head")
        set(&web.connections.bodyRate, "connections.body-rate")
        set(&web.connections.bodyGrace, "connections.body-grace")
        set(&web.connections.stall, "connections.stall")
        set(&web.connections.pipeline, "connections.pipeline")
        set(&web.connections.unsentBytes, "connections.unsent-bytes")
        set(&web.reports.messages, "reports.messages")
        set(&web.reports.lineBytes, "reports.line-bytes")
        set(&web.reports.stateBytes, "reports.state-bytes")
        set(&web.maximumHolds, "requests.holds")
        set(&web.maximumBodyBytes, "requests.body-bytes")
        set(&web.bodyMemory, "requests.body-memory")
        set(&web.answerMemory, "requests.answer-memory")
    }

    private func set(_ limit: inout Int, _ key: String) { limit = integer(key) ?? limit }

    private func set(_ limit: inout Duration, _ key: String) { limit = duration(key) ?? limit }
}
