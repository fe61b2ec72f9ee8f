import ArgumentParser
import Foundation
import Testing
import WeirAccess

@testable import WeirCommand

@Suite(.timeLimit(.minutes(15))) struct UserCommandsTests {
    @Test func `a user without a role is not added, and the sentence names the roles`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-\(UUID().uuidString)").path
        let command = try UserCommands.Add.parse(["ana", "--data", folder])
        let error = await #expect(throws: ValidationError.self) { try await command.run() }
        #expect(error?.message.contains("--role viewer") == true)
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test func `a role counts everywhere, unless it is narrowed to something`() throws {
        let everywhere = try UserCommands.Add.parse(["ana", "--role", "viewer", "--role", "operator"])
        #expect(everywhere.roles.assignments.map(\.words) == ["viewer", "operator"])
        let narrowed = try UserCommands.Add.parse(["ana", "--role", "operator", "--operations", "backup*"])
        #expect(narrowed.roles.assignments.map(\.words) == ["operator (operations backup*)"])
    }
}
