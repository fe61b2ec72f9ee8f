extension PageWriter {
    func person(_ row: PersonRow) -> Fields {
        [
            "id": row.id, "name": row.name, "identity": row.identity == row.name ? nil : row.identity,
            "groups": row.groups.isEmpty ? nil : row.groups, "seen": row.seen.map(moment),
            "lease": row.leaseEnd.map(moment), "sessions": row.sessions, "tokens": row.tokens, "links": row.links,
            "url": "\(base)/users/\(row.id)/ending",
        ]
    }

    func sessions(_ list: SessionList) -> Fields {
        [
            "rows": list.rows.map { row -> Fields in
                [
                    "id": row.id, "name": row.name, "address": row.address.isEmpty ? "–" : row.address,
                    "begun": moment(row.begun), "used": moment(row.used), "isThis": row.isThis,
                    "url": "\(base)/sessions/\(row.id)/ending",
                ]
            }
        ]
    }

    func allLinks(_ list: AllLinkList) -> Fields {
        [
            "rows": list.rows.map { row -> Fields in
                [
                    "id": row.id, "run": String(row.run.suffix(6)), "runURL": "\(base)/runs/\(row.run)",
                    "operation": row.operation, "maker": row.maker ?? strings.optional("account.command-line") ?? "",
                    "expires": moment(row.expires), "url": "\(base)/links/\(row.id)/revocation",
                ]
            }
        ]
    }
}
