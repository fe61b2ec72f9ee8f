import Foundation
import Testing
import TestSupport
@testable import WeirAccess
@testable import WeirCommand

@Suite(.timeLimit(.minutes(15))) struct AccessPlanTests {
    private static let grants = "grants: [{role: viewer, to: signed-in}]"

    private func plan(_ flags: [String: String], file: String = grants) throws -> AccessPlan {
        try AccessPlan(Settings(flags: flags, environment: [:], file: SettingsFile(text: file, name: "weir.yml")))
    }

    @Test func `without any of it nobody is asked, on this machine only`() throws {
        #expect(try plan([:], file: "").configuration.mode == .none(allowsForwarded: false))
        for host in ["127.0.0.1", "::1", "localhost", "127.1.2.3"] {
            #expect(throws: Never.self) { try plan(["host": host], file: "") }
        }
    }

    @Test(arguments: ["0.0.0.0", "::", "192.0.2.7", "weir.example"])
    func `on any other address somebody must have said who may come`(host: String) throws {
        let error = #expect(throws: StartError.self) { try plan(["host": host], file: "") }
        #expect(error?.exitCode == 78)
        #expect(try plan(["host": host, "auth": "none"], file: "").configuration.mode == .none(allowsForwarded: true))
    }

    @Test(arguments: [
        ["auth": "proxy"], ["auth": "proxy", "actor-header": "X-User"],
        ["auth": "proxy", "trusted-proxies": "127.0.0.1"], ["actor-header": "X-User"],
        ["auth": "none", "actor-header": "X-User"], ["auth": "password", "host": "0.0.0.0"],
        ["auth": "password", "host": "0.0.0.0", "public-url": "https://weir.example"],
        ["auth": "password", "host": "0.0.0.0", "public-url": "http://weir.example", "trusted-proxies": "10.0.0.1"],
        ["auth": "password", "users.second-factor": "administrators"],
        ["auth": "none", "users.second-factor": "admin"],
        ["tls.cert": "/nowhere.pem"], ["tls.cert": "/nowhere.pem", "tls.key": "/nowhere.key"],
    ])
    func `what is not safe or not whole is refused with 78`(flags: [String: String]) {
        let error = #expect(throws: StartError.self) { try plan(flags) }
        #expect(error?.exitCode == 78)
    }

    @Test func `a proxy without grants would let nobody do anything, and is refused`() {
        let flags = ["auth": "proxy", "actor-header": "X-User", "trusted-proxies": "10.0.0.0/8"]
        #expect(throws: Never.self) { try plan(flags) }
        // Nobody types a password, so the connection to the proxy need not be encrypted.
        #expect(throws: Never.self) { try plan(flags.merging(["host": "0.0.0.0"]) { $1 }) }
        #expect(throws: StartError.self) { try plan(flags, file: "") }
    }

    private static let provider = [
        "auth": "oidc", "oidc.issuer": "https://id.example/realms/x", "oidc.client-id": "weir",
        "public-url": "https://weir.example/",
    ]

    private func providerPlan(_ changes: [String: String?], secret: String? = "s3cret") throws -> AccessPlan {
        var flags = Self.provider
        for (name, value) in changes { flags[name] = value }
        let environment = secret.map { [Setting.clientSecretVariable: $0] } ?? [:]
        return try AccessPlan(
            Settings(
                flags: flags, environment: environment, file: SettingsFile(text: Self.grants, name: "weir.yml")))
    }

    @Test func `an OpenID provider is known by its issuer, and sends browsers to the public URL`() throws {
        let plan = try providerPlan([:])
        #expect(plan.configuration.mode == .oidc(prefix: "https://id.example/realms/x#"))
        #expect(plan.provider?.redirectURI == "https://weir.example/sign-in/return")
        #expect(plan.configuration.isSecure && plan.configuration.sessions.maximum == 12 * 3_600_000)
        #expect(try providerPlan(["oidc.session-hours": "720"]).configuration.sessions.maximum == 7 * 86_400_000)
        #expect(try providerPlan(["oidc.session-hours": "1"]).configuration.sessions.maximum == 3_600_000)
    }

    @Test(
        arguments: [
            ["oidc.issuer": nil], ["oidc.client-id": nil], ["public-url": nil], ["oidc.issuer": "http://id.example"],
            ["oidc.issuer": "https://id.example/?x=1"], ["public-url": "http://weir.example"],
            ["public-url": "https://weir.example/?x"], ["oidc.client-secret-file": "/nowhere"], ["host": "0.0.0.0"],
            ["auth": "password"], ["auth": nil],
        ] as [[String: String?]])
    func `what an OpenID provider cannot be asked with is refused with 78`(changes: [String: String?]) {
        let error = #expect(throws: StartError.self) { try providerPlan(changes) }
        #expect(error?.exitCode == 78)
    }

    @Test func `a pipe in the place of a provider's file is refused, and nobody waits for it`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "weir-pipe-\(UUID())")
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: file) } }
        let pipe = try NamedPipe(at: file)
        for name in ["oidc.ca-file", "oidc.client-secret-file"] {
            let error = #expect(throws: StartError.self) { try providerPlan([name: file.path]) }
            #expect(error?.description.hasPrefix("The file \(file.path) of \(name) cannot be read.") == true)
        }
        withExtendedLifetime(pipe) {}
    }

    @Test func `the provider's own root is read from a file, and a file that has none is refused`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "weir-root-\(UUID()).pem")
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: file) } }
        for (text, words) in [
            ("nonsense", "no certificate in PEM"), ("", "no certificate in PEM"),
            ("-----BEGIN CERTIFICATE-----\nbm9uc2Vuc2U=\n-----END CERTIFICATE-----\n", "no certificate in PEM"),
        ] {
            try Data(text.utf8).write(to: file)
            let error = #expect(throws: StartError.self) { try providerPlan(["oidc.ca-file": file.path]) }
            #expect(error?.exitCode == 78 && error?.description.contains(words) == true)
        }
        let missing = #expect(throws: StartError.self) { try providerPlan(["oidc.ca-file": "/nowhere.pem"]) }
        #expect(missing?.description.hasPrefix("The file /nowhere.pem of oidc.ca-file cannot be read.") == true)
        #expect(try providerPlan([:]).provider?.roots == nil)
    }

    @Test(arguments: [nil, "", " \n", "two\nlines", "not-ascii-ä", String(repeating: "x", count: 5_000)])
    func `a client secret that cannot be one is refused, and never repeated`(secret: String?) {
        let error = #expect(throws: StartError.self) { try providerPlan([:], secret: secret) }
        #expect(error?.exitCode == 78)
        #expect(secret?.first?.isLetter != true || error?.description.contains(secret ?? "") == false)
    }

    @Test func `the variable with the client secret is no setting, and is not called unknown`() {
        #expect(Setting.unknownVariables(in: [Setting.clientSecretVariable: "x"]).isEmpty)
        #expect(!Setting.all.contains { $0.variable == Setting.clientSecretVariable })
    }

    @Test func `behind a proxy that encrypts, cookies are secure and passwords are taken from it`() throws {
        let plan = try plan([
            "auth": "password", "host": "0.0.0.0", "public-url": "https://weir.example", "trusted-proxies": "10.0.0.1",
        ])
        #expect(plan.configuration.isSecure && !plan.configuration.hasCertificate)
    }

    @Test func `roles and grants are read with every mistake and its line`() throws {
        let file = """
            port: 9000
            roles:
              deployer:
                verbs: [see, fly]
            grants:
              - role: nobody
                to: everyone
            """
        let error = #expect(throws: SettingsError.self) {
            try Settings(flags: [:], environment: [:], file: SettingsFile(text: file, name: "weir.yml"))
        }
        #expect(error?.mistakes.map(\.place) == ["weir.yml:4", "weir.yml:6"])
    }

    @Test func `the rules of the file are in force`() throws {
        let file = """
            roles:
              deployer:
                verbs: [see, start]
                operations: ["deploy-*"]
            grants:
              - role: deployer
                to: [group:ops]
            """
        let rules = try plan([:], file: file).rules
        let ana = Principal(.person, name: "ana", groups: ["ops"])
        let permissions = rules.permissions(of: ana, on: [Subject(.operation("deploy-web")), Subject(.operation("x"))])
        #expect(
            permissions.allows(.start, on: .operation("deploy-web")) && !permissions.allows(.see, on: .operation("x")))
    }
}
