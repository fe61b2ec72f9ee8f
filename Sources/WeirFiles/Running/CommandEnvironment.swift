package import Foundation

/// What the commands of a server run in: their folder, the program that runs them, and the variables that all of them have.
package struct CommandEnvironment: Sendable {
    /// The folder of operation files, in which programs run.
    package let folder: URL
    /// Where the pipes are that programs report states in.
    package let temporaryFolder: URL
    /// Where files lie that runs were given, each in a folder of its own.
    package let filesFolder: URL
    /// The program that runs commands; nil if it is missing.
    package let helper: CommandHelper?
    /// `PATH`, `HOME` and `LANG`, as far as the server has them.
    package let variables: [String: String]
    /// The permissions that new files of programs do not get; nil for those of the server's files.
    package let umask: FileMask?

    /// Makes an environment.
    ///
    /// - Parameters:
    ///   - folder: The folder of operation files.
    ///   - environment: The server's own environment, of which programs get `PATH`, `HOME` and `LANG`.
    ///   - helper: The program that runs commands.
    ///   - temporaryFolder: Where the pipes are that programs report states in.
    ///   - filesFolder: Where files lie that runs were given; nil for the temporary folder.
    ///   - umask: The permissions that new files of programs do not get.
    package init(
        folder: URL, environment: [String: String], helper: CommandHelper?,
        temporaryFolder: URL = FileManager.default.temporaryDirectory, filesFolder: URL? = nil, umask: FileMask? = nil
    ) {
        self.folder = folder.standardizedFileURL
        self.helper = helper
        self.umask = umask
        self.temporaryFolder = temporaryFolder
        self.filesFolder = (filesFolder ?? temporaryFolder).absoluteURL.standardizedFileURL
        var variables = ["PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"]
        for name in ["PATH", "HOME", "LANG"] { variables[name] = environment[name] ?? variables[name] }
        self.variables = variables
    }
}
