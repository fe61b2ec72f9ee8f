import Foundation
import Hummingbird
import Testing
import Weir

@Suite(.timeLimit(.minutes(15)))
struct MountingTests {
    @Test func `a dashboard is mounted in a router with one line, or made and set up first`() async throws {
        let board = try await Board.open(catalog: Catalog())
        let router = Router()
        try router.mountWeir(board, at: "/ops", templates: nil, access: .open)
        var configuration = WebConfiguration()
        configuration.mountPath = "/other"
        configuration.allowedHosts = ["ops.example"]
        configuration.connections.idle = .seconds(30)
        let dashboard = try Dashboard(
            board: board, templates: TemplateSet(overlay: nil), configuration: configuration)
        router.mountWeir(dashboard, access: .open)
        #expect(!dashboard.channelHandlers().isEmpty)
        dashboard.drain()
        await board.shutdown()
    }

    @Test func `a path or a folder that cannot be used is a sentence, not a crash`() async throws {
        let board = try await Board.open(catalog: Catalog())
        var configuration = WebConfiguration()
        configuration.publicFolder = URL(filePath: "/nowhere/weir")
        #expect(throws: AssetLibraryError.self) { try Dashboard(board: board, configuration: configuration) }
        configuration.publicFolder = nil
        configuration.actorHeader = "not a header name"
        #expect(throws: WebConfigurationError.self) { try Dashboard(board: board, configuration: configuration) }
        await board.shutdown()
    }

    @Test func `the app says who sends a request, by its own rules`() async throws {
        let board = try await Board.open(catalog: Catalog())
        let router = Router()
        let access: DashboardAccess<BasicRequestContext> = .authorizing(
            { _, _ in nil }, onEventLoop: { _, _ in EventLoopAnswer.askRoute },
            control: AccessControl(rules: .everythingForSignedIn))
        try router.mountWeir(board, at: "/ops", access: access)
        await board.shutdown()
    }

    @Test func `the app gives roles of its own to people, groups and programs, and takes them away`() async throws {
        let backups = SubjectSelection(operations: [try #require(IDPattern("backup-*"))], tags: ["database"])
        let control = AccessControl(
            rules: AccessRules(
                roles: [Role("keeper", verbs: Set<Verb>([.see, .start, .cancel]), selection: backups)],
                grants: [
                    RoleGrant(Role.viewer.name, to: [RoleGrant.Grantee.everyone]),
                    RoleGrant("keeper", to: [.group("databases")]),
                    RoleGrant(Role.operator.name, on: backups, to: [.user("ana")]),
                    RoleGrant(Role.admin.name, on: .everything, to: [.user("rui")]),
                ]))
        let access: DashboardAccess<BasicRequestContext> = .authorizing(
            { request, _ in
                switch request.headers[.authorization] {
                case "ana": Principal(.person, name: "ana", identity: "1234", groups: ["databases"])
                case "local": .localOperator
                default: .anonymous
                }
            }, control: control)
        let board = try await Board.open(catalog: Catalog())
        let router = Router(context: BasicRequestContext.self)
        try router.mountWeir(board, at: "/ops", access: access)
        control.replace(rules: AccessRules(grants: []))
        control.invalidate()
        await board.shutdown()
    }

    @Test func `a folder that is not there is a sentence, not a crash`() {
        let nowhere = URL(filePath: "/nowhere/weir")
        #expect(throws: TemplateSetError.self) { try TemplateSet(overlay: nowhere) }
    }
}
