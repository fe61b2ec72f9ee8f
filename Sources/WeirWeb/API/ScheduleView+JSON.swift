import WeirBoards
import WeirJournals
import WeirStates

extension ScheduleView {
    /// The schedule as the API gives it.
    var json: JSONValue {
        let schedule = start.schedule
        return [
            "operation": .string(operation), "schedule": .string(schedule.text),
            "timezone": .string(schedule.timezone), "randomDelaySeconds": .integer(schedule.randomDelay / 1_000),
            "catchUp": .string(schedule.catchUp.rawValue),
            "paused": standing.pause.map { ["by": .string($0.by), "at": .string($0.at.description)] } ?? .null,
            "last": standing.last.map {
                [
                    "time": .string($0.time.description), "at": .string($0.at.description),
                    "run": $0.run.map(JSONValue.string) ?? .null, "refusal": $0.refusal.map(JSONValue.string) ?? .null,
                ]
            } ?? .null,
            "missed": standing.missed.map {
                [
                    "count": .integer(Int64($0.count)), "newest": .string($0.newest.description),
                    "at": .string($0.at.description),
                ]
            } ?? .null,
            "next": .array(
                upcoming.map { time in
                    let start = time.after(schedule.delay(of: time, for: operation))
                    return ["time": .string(time.description), "start": .string(start.description)]
                }),
        ]
    }
}
