import Foundation
import WeirStates

// Unsafe memory: `readdir` returns a record that ends its name with a NUL, and that is valid until the next call.

/// An open folder, whose entries are opened without following links; blocks.
///
/// A path of several components is opened one component at a time, so that no replaced folder leads elsewhere.
final class OpenFolder: Sendable {
    enum Kind: Sendable {
        case file(Int64)
        case folder
        case link
        /// A pipe, a socket or a device.
        case other
    }

    private let descriptor: CInt

    /// Opens a folder, following links in its own path; returns nil if it cannot be opened.
    init?(_ path: String) {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor < 0 { return nil }
    }

    private init?(_ name: [CChar], in parent: OpenFolder) {
        descriptor = openat(parent.descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    func folder(_ name: [UInt8]) -> OpenFolder? { OpenFolder(Self.word(name), in: self) }

    /// The kind of an entry, or nil if it is missing.
    func kind(of name: [UInt8]) -> Kind? {
        var status = stat()
        guard fstatat(descriptor, Self.word(name), &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file(Int64(status.st_size))
        case S_IFDIR: return .folder
        case S_IFLNK: return .link
        default: return .other
        }
    }

    /// Opens the file at a path below the folder, or returns nil if that is no regular file that can be read.
    func file(_ path: [[UInt8]]) -> FileHandle? {
        guard let name = path.last else { return nil }
        if path.count > 1 {
            guard let first = path.first, let folder = folder(first) else { return nil }
            return folder.file(Array(path.dropFirst()))
        }
        // Opening can affect a device, so that the kind is checked first, and again after, when it cannot change.
        guard case .file = kind(of: name) else { return nil }
        let file = openat(descriptor, Self.word(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        return FileVersion(handle) == nil ? nil : handle
    }

    /// The names of the first entries in no order, and whether there are more.
    func entries(limit: Int) -> (names: [[UInt8]], isCut: Bool) {
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let stream = fdopendir(copy) else {
            if copy >= 0 { close(copy) }
            return ([], false)
        }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while let entry = readdir(stream) {
            guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { break }
            let start = UnsafeRawPointer(entry).advanced(by: offset)
            let count = strlen(start.assumingMemoryBound(to: CChar.self))
            let name = Array(UnsafeRawBufferPointer(start: start, count: count))
            if name == Array(".".utf8) || name == Array("..".utf8) { continue }
            guard names.count < limit else { return (names, true) }
            names.append(name)
        }
        return (names, false)
    }

    private static func word(_ name: [UInt8]) -> [CChar] { name.map { CChar(bitPattern: $0) } + [0] }
}

enum SystemUser {
    /// The id of a user, or nil for an unknown name; blocks.
    static func id(of name: String) -> uid_t? {
        var (entry, found): (passwd, UnsafeMutablePointer<passwd>?) = (passwd(), nil)
        var buffer = [CChar](repeating: 0, count: 65_536)
        guard getpwnam_r(name, &entry, &buffer, 65_536, &found) == 0, found != nil else { return nil }
        return entry.pw_uid
    }
}

/// The properties of a file that a write changes, and its owner.
struct FileVersion: Sendable, Hashable {
    let size: Int64
    /// The id of the user that the file belongs to.
    let owner: uid_t
    private let seconds: Int64
    private let nanoseconds: Int64

    /// The version of an open file, or nil if it is no regular file.
    init?(_ handle: FileHandle) {
        var status = stat()
        guard fstat(handle.fileDescriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        (size, owner) = (Int64(status.st_size), status.st_uid)
        (seconds, nanoseconds) = (Int64(status.modified.tv_sec), Int64(status.modified.tv_nsec))
    }
}
