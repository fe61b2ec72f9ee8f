import WeirJournals
import WeirStates

/// Runs as a busy server would see them: so many at once, ten changes each, of twelve operations by fifty actors.
struct Workload: Sequence, IteratorProtocol {
    static let changesPerRun: Int64 = 10
    private static let hosts = ["example.com", "swift.org", "api.weather.test", "intranet.local"]

    private let atOnce: Int
    private let total: Int
    private var started = 0
    private var live: [(run: Int, revision: Int64)] = []
    private var cursor = 0
    private var now: Int64 = 1_700_000_000_000

    init(runs: Int, atOnce: Int = 250) {
        total = runs
        self.atOnce = atOnce
    }

    mutating func next() -> ChangeDraft? {
        now += 7
        if live.count < atOnce, started < total {
            live.append((started, 0))
            started += 1
            return draft(live[live.count - 1])
        }
        guard !live.isEmpty else { return nil }
        cursor = (cursor + 1) % live.count
        live[cursor].revision += 1
        let place = live[cursor]
        if place.revision == Self.changesPerRun - 1 { live.remove(at: cursor) }
        return draft(place)
    }

    /// The next so many changes.
    mutating func batch(_ count: Int) -> [ChangeDraft] {
        var drafts: [ChangeDraft] = []
        drafts.reserveCapacity(count)
        while drafts.count < count, let draft = next() { drafts.append(draft) }
        return drafts
    }

    static func id(_ run: Int) -> String {
        let text = String(run)
        return "01k3" + String(repeating: "0", count: 22 - text.count) + text
    }

    static func operation(_ run: Int) -> String { "operation-\(run % 100 < 50 ? 0 : run % 11 + 1)" }

    private func draft(_ place: (run: Int, revision: Int64)) -> ChangeDraft {
        let (run, revision) = place
        let host = Self.hosts[run % Self.hosts.count]
        let opening = RunOpening(
            actor: "actor-\(run * 7 % 50)",
            input: [
                "url": .string("https://\(host)/items/\(run % 1_000)"), "attempts": 3, "label": .string("run \(run)"),
            ])
        return ChangeDraft(
            stream: .run(Self.id(run)), subject: Self.operation(run), revision: revision,
            at: Timestamp(milliseconds: now), state: state(run, revision, host),
            isTransition: revision < 2 || revision == Self.changesPerRun - 1, cause: nil,
            opening: revision == 0 ? opening : nil)
    }

    private func state(_ run: Int, _ revision: Int64, _ host: String) -> StateRecord {
        switch revision {
        case 0: return StateRecord(caseName: "connecting", payload: ["host": .string(host)], phase: .active)
        case Self.changesPerRun - 1 where run % 20 < 17:
            let payload: JSONValue = [
                "status": 200, "bytes": .integer(Int64(run)), "seconds": 1.25, "body": "Hello, world",
            ]
            return StateRecord(caseName: "success", payload: payload, phase: .succeeded)
        case Self.changesPerRun - 1:
            let message: JSONValue = .string("Connection to \(host) refused. Is the server running?")
            return StateRecord(
                caseName: "error", payload: ["message": message], phase: run % 20 == 19 ? .cancelled : .failed)
        default:
            let received = revision * 65_536
            return StateRecord(
                caseName: "receiving", payload: ["received": .integer(received), "total": 589_824], phase: .active,
                progress: WorkProgress(received, of: 589_824, unit: .bytes))
        }
    }
}
