import Foundation
import GRDB
import WeirJournals
import WeirStates

/// The stored users and tokens, compared with the roles and grants of the settings; nothing is changed.
package struct AccessInspection: Sendable {
    private let users: [UserRecord]
    private let tokens: [TokenRecord]
    /// The kinds and ids of records that cannot be decoded.
    private let damaged: [String]

    package init(_ records: some Sequence<StoredRecord>) {
        var (users, tokens, damaged): ([UserRecord], [TokenRecord], [String]) = ([], [], [])
        for record in records {
            do {
                switch StoredKind(rawValue: record.kind) {
                case .user: users.append(try UserRecord(json: record.json))
                case .token: tokens.append(try TokenRecord(json: record.json))
                case .secondFactor: _ = try SecondFactorRecord(json: record.json)
                default: continue
                }
            } catch {
                damaged.append("\(record.kind) “\(record.id.prefix(60))”")
            }
        }
        self.users = users.sorted { $0.name < $1.name }
        self.tokens = tokens.sorted { $0.name < $1.name }
        self.damaged = damaged.sorted()
    }

    /// Reads the file of users and tokens; blocks on the disk.
    ///
    /// Throws `AccessError` with the remedy.
    package init(path: String) throws(AccessError) {
        do {
            self.init(
                try SQLiteSnapshot.read(path) { database in
                    guard try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0 <= SQLiteAccessStorage.format
                    else {
                        throw SQLiteAccessStorage.UnknownFormat()
                    }
                    return try Row.fetchAll(database, sql: "SELECT kind, id, json FROM record").map { row in
                        StoredRecord(kind: row["kind"], id: row["id"], json: row["json"])
                    }
                })
        } catch {
            throw AccessError(
                .unavailable,
                "The file of users and tokens, access.sqlite in the data folder, \(SQLiteAccessStorage.words(about: error))"
            )
        }
    }

    /// The users and tokens that do not have the rights that their records state.
    package func problems(_ rules: AccessRules) -> [String] {
        let given =
            users.map { ("The user “\($0.name)”", $0.roles, "weir user role \($0.name) --role ROLE") }
            + tokens.map { ("The token “\($0.name)”", $0.roles, "weir token revoke ID, and weir token create") }
        let known = rules.roles.keys.sorted().joined(separator: ", ")
        return damaged.map {
            "The record of the \($0) is damaged and has no effect. Restore a copy of the users, or add it again."
        }
            + given.flatMap { place, assignments, remedy in
                assignments.flatMap { assignment -> [String] in
                    guard rules.roles[assignment.role] != nil else {
                        return [
                            "\(place) has the role `\(assignment.role)`, which is not declared and grants nothing. Declare it under "
                                + "`roles`, or give one of \(known): \(remedy)"
                        ]
                    }
                    return ((assignment.operations ?? []) + (assignment.stores ?? [])).filter { IDPattern($0) == nil }
                        .map {
                            "\(place) has the role `\(assignment.role)` for “\($0)”, which is no id and no pattern. Repeat: \(remedy)"
                        }
                }
            }
    }

    /// What may be unintended: grants and roles without effect, and a server that nobody can administer.
    package func remarks(_ rules: AccessRules, subjects: [Subject], hasPasswords: Bool) -> [String] {
        let assigned =
            users.map { ("The user “\($0.name)”", $0.roles) } + tokens.map { ("The token “\($0.name)”", $0.roles) }
        let selections = assigned.flatMap { place, roles in
            roles.flatMap { $0.assignment.selection.unmatched(among: subjects, in: place) }
        }
        guard hasPasswords else { return selections }
        let names = Set(users.map(\.name))
        let grantees = Set(rules.grants.flatMap(\.grantees)).compactMap { grantee -> String? in
            switch grantee {
            case .user(let name) where !names.contains(name):
                "A grant names the user “\(name)”, and there is none. Add the user: weir user add \(name)"
            case .group(let name):
                "A grant names the group “\(name)”. With auth: password, nobody is in a group; name users."
            case .everyone, .signedIn, .user: nil
            }
        }.sorted()
        guard !users.isEmpty else {
            return selections + grantees + ["There is no user yet. The server shows how to add the first one."]
        }
        let hasAdministrator = users.contains {
            rules.permissions(of: $0.principal, on: subjects).allows(.administer, on: .server)
        }
        return selections + grantees
            + (hasAdministrator
                ? [] : ["No user can administer the server. Give one the role: weir user role NAME --role admin"])
    }
}
