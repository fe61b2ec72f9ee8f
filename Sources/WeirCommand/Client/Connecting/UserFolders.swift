package import Foundation

/// The user's own folders, by the XDG Base Directory Specification.
package struct UserFolders: Sendable {
    private let environment: [String: String]

    package init(environment: [String: String]) { self.environment = environment }

    /// For settings: `$XDG_CONFIG_HOME/weir`, else `~/.config/weir`.
    package var settings: URL { folder("XDG_CONFIG_HOME", or: ".config") }

    /// For what is to be kept over restarts: `$XDG_STATE_HOME/weir`, else `~/.local/state/weir`.
    package var state: URL { folder("XDG_STATE_HOME", or: ".local/state") }

    private func folder(_ variable: String, or standard: String) -> URL {
        // The specification has relative paths ignored.
        if let path = environment[variable], path.hasPrefix("/") { return URL(filePath: path).appending(path: "weir") }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
        return (home ?? FileManager.default.homeDirectoryForCurrentUser).appending(path: standard).appending(
            path: "weir")
    }
}
