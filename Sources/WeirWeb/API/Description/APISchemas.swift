import WeirStates

extension APISchema {
    private static let errors: APISchema = .list(
        .object(["sentence": .text.orNull, "case": .text, "count": .whole, "newest": .text]))

    /// The schemas that others refer to, by name.
    static let named: [String: APISchema] = [
        "Problem": .object(
            [
                "type": .text.described("urn:weir:problem: and the kind, which never changes."),
                "title": .text, "status": .whole(400...599),
                "detail": .text.described("A sentence for people, in the language of the pages."),
                "instance": .text.described("The path of the request."),
            ],
            optional: [
                "errors": .list(.object(["field": .text, "detail": .text])).described("The mistakes by field.")
            ]),
        "Operation": .object(
            [
                "id": .text, "title": .text, "summary": .text, "fields": .list(.ref("Field")),
                "inputSchema": .members.described("The fields as JSON Schema (draft 2020-12)."),
                "lifetime": .oneOf(["onDemand", "whileWatched"]),
                "reentry": .oneOf(["cancelPrevious", "joinExisting", "ignore", "queue", "concurrent"]),
                "reported": .flag, "activeRuns": .whole, "latest": .ref("Run").orNull,
                "acknowledged": .ref("Acknowledgement").orNull,
            ],
            optional: [
                "partOf": .text.described("The operation that runs this one as a step."),
                "presets": .list(.object(["name": .text, "input": .members]))
                    .described("The inputs that its file offers by name."),
            ]),
        "PeriodReport": .object([
            "from": .time, "to": .time, "isCut": .flag, "timezone": .text, "figures": .ref("Figures"),
            "before": .ref("Figures"),
            "operations": .list(
                .object([
                    "operation": .text, "figures": .ref("Figures"), "before": .ref("Figures"), "slower": .flag,
                    "newestFailure": .text.orNull,
                ])),
            "actors": .list(.object(["actor": .text, "ended": .whole, "failed": .whole])),
            "errors": errors,
            "attempts": .list(.object(["attempt": .whole(from: 1), "count": .whole(from: 1)])),
            "missed": .list(
                .object(["operation": .text, "time": .time, "count": .whole, "refusal": .text.orNull])),
        ]),
        "Acknowledgement": .object(["by": .text, "at": .time, "note": .text.orNull, "until": .time.orNull]),
        "Field": .object(
            ["name": .text, "label": .text, "kind": .text, "required": .flag],
            optional: [
                "default": .anything, "help": .text, "unit": .text, "values": .list(.text),
                "if": .members.described("The values of other fields with which the field applies."),
                "groups": .list(.object(["beside": .members, "values": .list(.text)])),
            ]),
        "OperationHealth": .object([
            "operation": .text, "asOf": .time, "days": .whole, "isCut": .flag, "usual": .whole.orNull,
            "figures": .ref("Figures"), "bucket": .oneOf(["hour", "day"]),
            "buckets": .list(.object(["start": .time, "figures": .ref("Figures")])),
            "states": .list(.object(["case": .text, "runs": .whole, "p50": .whole, "p95": .whole])),
            "slow": .list(.ref("Run")), "slowest": .list(.ref("Run")),
            "errors": errors,
            "inputs": .list(.object(["input": .anything, "failed": .whole, "ended": .whole, "newest": .text])),
        ]),
        "Figures": .object([
            "succeeded": .whole, "failed": .whole, "stopped": .whole, "successRate": .number.orNull,
            "p50": .whole.orNull, "p95": .whole.orNull,
        ]),
        "Progress": .object([
            "completed": .whole, "total": .whole.orNull, "unit": .oneOf(["bytes", "items", "percent"]),
            "fraction": .number.orNull,
        ]),
        "Run": .object(RunField.all.map { (key: $0.name, value: $0.schema) }),
        "RunReceipt": .object(
            ["id": .text, "recorded": .flag, "detail": .text], optional: ["sequence": .whole]
        ).described("A run whose record is not available yet."),
        "RunList": .object([
            "runs": .list(.ref("Run")), "next": .whole.orNull, "beyond": .text.orNull,
        ]),
        "ComparedLine": .object(["number": .whole, "text": .text]),
        "FileVersion": .object(["digest": .text, "since": .time]),
        "RunComparison": .object([
            "a": .ref("Run"), "b": .ref("Run"), "parting": .whole.orNull, "differingInput": .list(.text),
            "output": .object([
                "isPart": .flag, "differing": .whole,
                "lines": .list(.object(["a": .ref("ComparedLine").orNull, "b": .ref("ComparedLine").orNull])),
            ]).orNull,
            "file": .object(["a": .ref("FileVersion").orNull, "b": .ref("FileVersion").orNull]).orNull,
            "durations": .object(["a": .whole, "b": .whole]),
            "steps": .list(
                .object([
                    "a": .ref("ComparedState").orNull, "b": .ref("ComparedState").orNull, "difference": .whole.orNull,
                ])),
            "nodes": .list(
                .object([
                    "step": .text, "title": .text, "a": .ref("ComparedStep").orNull,
                    "b": .ref("ComparedStep").orNull, "difference": .whole.orNull, "same": .flag,
                    "differingValues": .list(.text),
                ])),
        ]),
        "ComparedStep": .object(
            ["status": .text, "run": .text.orNull, "duration": .whole.orNull, "values": .members],
            optional: ["items": .object(["total": .whole, "succeeded": .whole, "failed": .whole])]),
        "ComparedState": .object([
            "case": .text, "phase": .oneOf(phases), "at": .time, "sequence": .whole, "duration": .whole.orNull,
        ]),
        "Output": .object(
            [
                "run": .text, "from": .whole, "next": .whole, "count": .whole, "more": .flag, "ended": .flag,
                "lines": .list(.ref("OutputLine")),
            ],
            optional: [
                "matches": .whole, "searched": .whole, "complete": .flag,
                "unfinished": .object([
                    "revision": .whole,
                    "lines": .list(.object(["channel": .oneOf(["stdout", "stderr", "notice"]), "text": .text])),
                ]),
            ]),
        "OutputLine": .object(
            ["number": .whole, "at": .time, "channel": .oneOf(["stdout", "stderr", "notice"]), "text": .text],
            optional: ["continues": .flag]),
        "Artifact": .object(
            ["name": .text, "bytes": .whole, "type": .text, "url": .text, "server": .text.orNull]),
        "Store": .object(store),
        "StoreDetails": .all(
            .object(store),
            .object([
                "actions": .list(.ref("ActionForm")), "offers": .list(.ref("ActionOffer")),
                "log": .list(.ref("StoreStep")), "omitted": .whole,
            ])
        ),
        "StoreReceipt": .object(
            ["id": .text, "recorded": .flag], optional: ["detail": .text, "sequence": .whole, "cursor": .text]
        ).described("A store whose change is not available yet."),
        "StoreStep": .object(
            [
                "kind": .text, "action": .members.orNull, "actor": .text.orNull, "effects": .list(.members),
                "returnedTo": .whole.orNull,
            ],
            optional: [
                "sequence": .whole, "revision": .whole, "at": .time, "case": .text, "phase": .oneOf(phases),
                "cause": .text.orNull,
            ]),
        "ActionForm": .object([
            "type": .text, "title": .text, "tone": .text, "fields": .list(.ref("Field")), "inputSchema": .members,
        ]),
        "ActionOffer": .object([
            "type": .text, "title": .text.orNull, "values": .members, "anchor": .text.orNull, "enabled": .flag,
        ]),
        "Change": .object(
            [
                "sequence": .whole, "stream": .text, "revision": .whole, "at": .time, "case": .text,
                "phase": .oneOf(phases), "progress": .ref("Progress").orNull, "state": .anything,
                "transition": .flag, "cause": .text.orNull,
            ], optional: ["operation": .text, "store": .text, "step": .ref("StoreStep")]),
        "Changes": .object(
            [
                "epoch": .text, "from": .whole, "to": .whole, "more": .flag, "next": .text,
                "changes": .list(.ref("Change")),
            ],
            optional: [
                "reset": .object(
                    ["reason": .oneOf(["gap", "epoch", "future", "audience"]), "detail": .text],
                    optional: ["lost": .list(.whole)])
            ]),
        "Schedule": .object([
            "operation": .text, "schedule": .text, "timezone": .text, "randomDelaySeconds": .whole,
            "catchUp": .oneOf(["once", "skip", "all"]),
            "paused": .object(["by": .text, "at": .time, "reason": .text.orNull]).orNull,
            "last": .object(["time": .time, "at": .time, "run": .text.orNull, "refusal": .text.orNull]).orNull,
            "missed": .object(["count": .whole, "newest": .time, "at": .time]).orNull,
            "next": .list(.object(["time": .time, "start": .time])),
        ]),
        "ImportForm": .object(["file": .bytes]),
        "StateMoment": .object([:], optional: ["at": .whole(from: 1)]),
        "ReportMessages": .any(.ref("ReportMessage"), .list(.ref("ReportMessage"))),
        "ReportMessage": .any(
            .object(["state": .text], optional: ["phase": .text, "completed": .whole, "total": .whole, "unit": .text]),
            .object(["line": .text], optional: ["channel": .oneOf(["stdout", "stderr"])]),
            .object(["beat": .flag])
        ).described("A state of the run, a line of its output, or a sign of life."),
        "Trigger": .object(["name": .text, "form": .text, "url": .text, "ready": .flag]),
        "TriggerRequest": .object([
            "at": .whole, "outcome": .text, "run": .text.orNull, "detail": .text.orNull, "count": .whole,
        ]),
        "NotificationRule": .object(["name": .text, "when": .list(.text), "place": .text]),
        "Delivery": .object([
            "id": .text, "operation": .text, "run": .text.orNull, "event": .text, "rule": .text, "place": .text,
            "status": .oneOf(["waiting", "delivered", "failed"]), "attempts": .whole, "at": .whole,
            "triedAt": .whole.orNull, "nextAt": .whole.orNull, "detail": .text.orNull,
        ]),
        "Notice": .object(
            ["id": .text, "kind": .text, "at": .time, "text": .text],
            optional: ["file": .text, "lost": .list(.whole)]),
        "Server": .object([
            "id": .text, "name": .text, "this": .flag, "role": .oneOf(["recording", "following"]), "silent": .flag,
            "sequence": .whole, "runs": .whole, "viewers": .whole, "files": .text.orNull,
        ]),
        "Backup": .object([
            "status": .oneOf(["ok", "none", "failed", "late"]), "last": .time.orNull, "bytes": .whole.orNull,
            "verified": .flag.orNull, "problem": .text.orNull, "next": .time.orNull, "making": .flag,
        ]),
        "ImportReport": .object([
            "imported": .list(.text), "skipped": .list(.text), "deleted": .list(.text), "interrupted": .list(.text),
            "changes": .whole, "lines": .whole,
        ]),
    ]

    private static let store: KeyValuePairs<String, APISchema> = [
        "id": .text, "title": .text, "summary": .text, "case": .text, "phase": .oneOf(phases), "state": .anything,
        "progress": .ref("Progress").orNull, "revision": .whole, "sequence": .whole, "cursor": .text,
        "last": .ref("StoreStep").orNull,
    ]
}
