import ArgumentParser

/// The `weir` command.
#if !FUZZING  // `fuzz` has its own entry point.
    @main
#endif
struct RootCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "weir",
        abstract: "Runs operations and shows every state each one passes through, live, in a browser.",
        version: version,
        groupedSubcommands: [
            CommandGroup(
                name: "Server",
                subcommands: [
                    Serve.self, Check.self, Export.self, Import.self, UserCommands.self,
                    TokenCommands.self, SecretCommands.self,
                    AuditCommands.self, JournalCommands.self, SettingsCommands.self,
                ]),
            CommandGroup(
                name: "Client",
                subcommands: [
                    LogIn.self, LogOut.self, OperationCommands.self, ListRuns.self, StartRun.self, Watch.self,
                    CancelRun.self, ShowOutput.self, RunCommand.self, SendReports.self, NotifyCommands.self,
                ]),
        ],
        defaultSubcommand: nil)

    /// The version of this Weir; the changelog describes each one.
    static let version = "0.1.0"
}
