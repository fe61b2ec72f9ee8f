package import WeirStates

/// The lists of runs and operations, as tables.
package enum RunTable {
    /// Runs as the API has them: a row each.
    package static func runs(_ runs: [JSONValue]) -> String {
        var table = TextTable(["RUN", "OPERATION", "PHASE", "STATE", "PROGRESS", "STARTED", "BY"])
        for run in runs {
            let progress = run["progress"].flatMap(WorkProgress.init(told:))
            table.add([
                run["id"]?.string ?? "", run["operation"]?.string ?? "", run["phase"]?.string ?? "",
                run["case"]?.string ?? "",
                ChangeText.percent(progress).map { "\($0) %" } ?? ChangeText.amount(progress),
                run["startedAt"]?.string ?? "", run["actor"]?.string ?? "",
            ])
        }
        return table.text
    }

    /// Operations as the API has them: a row each, with the fields that a start takes; `*` marks those it needs.
    package static func operations(_ operations: [JSONValue]) -> String {
        var table = TextTable(["OPERATION", "ACTIVE", "FIELDS", "TITLE"])
        for operation in operations {
            let fields = (operation["fields"]?.array ?? []).map {
                ($0["name"]?.string ?? "") + ($0["required"]?.bool == true ? "*" : "")
            }
            table.add([
                operation["id"]?.string ?? "", operation["activeRuns"]?.integer.map(String.init) ?? "",
                fields.joined(separator: " "), operation["title"]?.string ?? "",
            ])
        }
        return table.text
    }
}
