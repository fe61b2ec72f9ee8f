import Foundation
import WeirStates

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The servers that the user is signed in to, with their tokens, and the default server.
struct Profiles: Sendable, Hashable, Codable {
    struct Profile: Sendable, Hashable, Codable {
        var token: String?
        var authority: String?
    }

    /// The address of the default server.
    var current: String?
    var servers: [String: Profile] = [:]

    init() {}

    /// Stores a server and makes it the default.
    mutating func add(_ address: ServerAddress, _ profile: Profile) {
        servers[address.description] = profile
        current = address.description
    }

    /// Removes a server; returns whether it was stored.
    mutating func remove(_ address: ServerAddress) -> Bool {
        if current == address.description { current = nil }
        return servers.removeValue(forKey: address.description) != nil
    }
}

/// The file that stores the profiles: `weir/client.json` in the user's configuration folder, readable by its owner only.
struct ProfileFile: Sendable {
    private let url: URL

    /// The file in a folder, such as `$XDG_CONFIG_HOME/weir`.
    init(in folder: URL) { url = folder.appending(path: "client.json") }

    /// The file in the configuration folder that the environment names.
    init(environment: [String: String]) {
        self.init(in: UserFolders(environment: environment).settings)
    }

    var path: String { url.path }

    func read() throws(ClientError) -> Profiles {
        guard FileManager.default.fileExists(atPath: path) else { return Profiles() }
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            if let mode = attributes[.posixPermissions] as? Int, mode & 0o077 != 0 {
                throw ClientError(
                    .misconfigured, "Others on this machine can read the tokens in \(path). Run `chmod 600 '\(path)'`.")
            }
            return try Profiles(json: try Data(contentsOf: url))
        } catch let error as ClientError {
            throw error
        } catch {
            throw ClientError(
                .misconfigured, "The profiles in \(path) cannot be read. Remove the file, then run `weir login` again.")
        }
    }

    func write(_ profiles: Profiles) throws(ClientError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            try PrivateFile.replace(url, with: try encoder.encode(profiles))
        } catch {
            throw ClientError(.file, "The profile cannot be written to \(path). Check the folder and its permissions.")
        }
    }
}

enum PrivateFile {
    /// Opens a file, which is created, with its folder, for the owner only.
    static func open(_ url: URL, flags: Int32) throws -> FileHandle {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        #if canImport(Darwin)
            let descriptor = Darwin.open(url.path, flags | O_CLOEXEC, 0o600)
        #elseif canImport(Glibc)
            let descriptor = Glibc.open(url.path, flags | O_CLOEXEC, 0o600)
        #elseif canImport(Musl)
            let descriptor = Musl.open(url.path, flags | O_CLOEXEC, 0o600)
        #endif
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    static func replace(_ url: URL, with data: Data) throws {
        let draft = url.appendingPathExtension("new")
        let file = try open(draft, flags: O_WRONLY | O_CREAT | O_TRUNC)
        try file.write(contentsOf: data)
        try file.synchronize()
        try file.close()
        guard rename(draft.path, url.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}

/// The user's folders, by the XDG Base Directory Specification.
struct UserFolders: Sendable {
    private let environment: [String: String]

    init(environment: [String: String]) { self.environment = environment }

    /// The configuration folder: `$XDG_CONFIG_HOME/weir`, else `~/.config/weir`.
    var settings: URL { folder("XDG_CONFIG_HOME", or: ".config") }

    /// The folder for persistent state: `$XDG_STATE_HOME/weir`, else `~/.local/state/weir`.
    var state: URL { folder("XDG_STATE_HOME", or: ".local/state") }

    private func folder(_ variable: String, or standard: String) -> URL {
        // The specification requires relative paths to be ignored.
        if let path = environment[variable], path.hasPrefix("/") { return URL(filePath: path).appending(path: "weir") }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
        return (home ?? FileManager.default.homeDirectoryForCurrentUser).appending(path: standard).appending(
            path: "weir")
    }
}
